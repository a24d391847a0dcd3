"""How values are written on a page: numbers, times, ids, JSON and texts."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import orjson
from django import template
from django.http import HttpRequest
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

THIN: Final = "\u2009"
SCALES: Final = ((86_400 * 365, "y"), (86_400 * 30, "mo"), (86_400, "d"), (3_600, "h"), (60, "min"))


@register.filter
def score(value: float | None) -> str:
    """Write a score with at most two decimals, and nothing for no score."""
    if not isinstance(value, int | float):
        return ""
    if value and abs(value) < 0.005:
        return f"{value:.1g}"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@register.filter
def count(value: int | None) -> str:
    """Write a whole number in groups of three."""
    return "" if value is None else f"{value:,}".replace(",", THIN)


@register.filter
def percent(value: float | None) -> str:
    """Write a share of one as a percentage."""
    return "" if value is None else f"{value * 100:.3g}{THIN}%"


@register.filter
def duration(ms: float | None) -> str:
    """Write milliseconds in the unit that a reader would choose."""
    if ms is None:
        return ""
    if ms < 1_000:
        return f"{ms:.3g}{THIN}ms" if ms < 100 else f"{ms:.0f}{THIN}ms"
    if ms < 60_000:
        return f"{ms / 1_000:.1f}{THIN}s"
    minutes, seconds = divmod(round(ms / 1_000), 60)
    if minutes < 60:
        return f"{minutes}{THIN}min {seconds}{THIN}s"
    return f"{minutes // 60}{THIN}h {minutes % 60}{THIN}min"


@register.filter
def size(value: int | None) -> str:
    """Write a number of bytes in kB or MB."""
    if value is None:
        return ""
    if value < 1_000:
        return f"{value}{THIN}B"
    if value < 1_000_000:
        return f"{value / 1_000:.3g}{THIN}kB"
    return f"{value / 1_000_000:.3g}{THIN}MB"


@register.filter
def short_id(value: object, length: int = 8) -> str:
    """Write the beginning of an id, or all of it when it is short."""
    text = str(value)
    return text if len(text) <= length + 2 else text[:length]


@register.filter
def ago(value: datetime | None) -> str:
    """Write how long ago a moment was, in its largest unit."""
    if value is None:
        return ""
    seconds = (timezone.now() - value).total_seconds()
    if abs(seconds) < 45:
        return "now"
    number, unit = next(
        (round(abs(seconds) / length), name)
        for length, name in (*SCALES, (1, "s"))
        if abs(seconds) >= length or length == 1
    )
    words = f"{number}{THIN}{unit}"
    return f"{words} ago" if seconds > 0 else f"in {words}"


@register.filter
def pretty_json(value: object) -> str:
    """Write any JSON value with two-space indents."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    try:
        return orjson.dumps(value, default=str, option=options).decode()
    except (TypeError, ValueError):  # a number beyond 64 bits, or text with a lone surrogate
        return repr(value)


@register.filter
def as_text(value: object) -> str:
    """Write text as it is and everything else as compact JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, ValueError):  # a number beyond 64 bits, or text with a lone surrogate
        return repr(value)


@register.filter
def preview(value: object, length: int = 120) -> str:
    """Write the beginning of a value on one line, cut between code points."""
    # Four times the length bounds the work on a megabyte of text and leaves room for white space.
    text = " ".join(as_text(value)[: length * 4].split())
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


@register.filter
def words(text: str) -> list[str]:
    """Split a text at its spaces."""
    return text.split()


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Draw one icon of the sprite; without a label it is decoration."""
    place = f"{static('icons.svg')}#{name}"
    if label:
        return format_html(
            '<svg class="icon" role="img" aria-label="{}"><use href="{}"></use></svg>', label, place
        )
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"></use></svg>', place)


@register.simple_tag
def query(request: HttpRequest, **changes: object) -> str:
    """Write the current query with some keys changed, and those set to None left out."""
    parts = request.GET.copy()
    for name, value in changes.items():
        if value is None:
            parts.pop(name, None)
        else:
            parts[name] = str(value)
    return f"?{parts.urlencode()}" if parts else "?"
