"""JSON for readers: text as text, objects as lists of facts, the rest as code."""

from __future__ import annotations

from typing import Final

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from studio.web.templatetags.studio_format import as_text, pretty_json

register = template.Library()

DEEPEST: Final = 3
MOST: Final = 50


@register.filter
def readable(value: object) -> SafeString:
    """Write a JSON value the way a person would lay it out."""
    return laid_out(value, 0)


def laid_out(value: object, depth: int) -> SafeString:
    """Write one level of a JSON value, and what is too deep or too long as code."""
    if value is None:
        return format_html('<span class="muted">{}</span>', "none")
    if isinstance(value, str):
        text = format_html('<div class="text">{}</div>', as_text(value))
        return text if value else quiet("empty text")
    if isinstance(value, bool | int | float):
        return format_html('<span class="mono">{}</span>', as_text(value))
    if not isinstance(value, dict | list | tuple):
        return format_html('<div class="text">{}</div>', as_text(value))
    if not value:
        return quiet("empty")
    if depth >= DEEPEST or len(value) > MOST:
        return format_html('<pre class="code">{}</pre>', pretty_json(value))
    if isinstance(value, dict):
        return facts(value, depth)
    rows = format_html_join("", "<li>{}</li>", ((laid_out(each, depth + 1),) for each in value))
    return format_html('<ul class="json-list">{}</ul>', rows)


def facts(value: dict[object, object], depth: int) -> SafeString:
    """Write an object as names and values."""
    pairs = ((as_text(name), laid_out(each, depth + 1)) for name, each in value.items())
    rows = format_html_join("", "<div><dt>{}</dt><dd>{}</dd></div>", pairs)
    return format_html('<dl class="facts json-facts">{}</dl>', rows)


def quiet(words: str) -> SafeString:
    """Write a remark in the place of a value."""
    return format_html('<span class="muted">{}</span>', words)
