"""Markdown to clean HTML: an allowlist of tags, and remote images shown as links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import nh3
from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from studio.web.templatetags.studio_format import as_text

register = template.Library()

LONGEST: Final = 100_000  # beyond this a text is shown plain: rendering must stay quick
TAGS: Final = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("strong", "em", "s", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES: Final = {"a": {"href", "title"}, "ol": {"start"}}


def image_as_link(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    """Write an image as a link to it, so that reading a text fetches nothing."""
    token = tokens[index]
    address = escape(str(token.attrGet("src") or ""))
    words = escape(token.content) or "image"
    return f'<a href="{address}">{words}</a>'


def reader() -> MarkdownIt:
    """Make a parser that treats HTML in a text as text."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    parser.add_render_rule("image", image_as_link)
    return parser


PARSER: Final = reader()


@register.filter
def markdown(value: object) -> SafeString:
    """Write a Markdown text as HTML that can do nothing but be read."""
    text = as_text(value)
    if len(text) > LONGEST:
        return SafeString(f"<pre>{escape(text)}</pre>")
    clean = nh3.clean(
        PARSER.render(text),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(clean)  # noqa: S308 - nh3 has just cleaned it
