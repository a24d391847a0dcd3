"""How values are written on a page: numbers, times, ids, JSON and texts."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final

import orjson
from django import template
from django.http import HttpRequest
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.web import text
from studio.web.text import REPLACEMENT, UNSTORABLE, dumps

register = template.Library()

THIN: Final = "\u2009"
DAY: Final = 86_400
SCALES: Final = (
    (DAY * 365, "y"),
    (DAY * 30, "mo"),
    (DAY, "d"),
    (3_600, "h"),
    (60, "min"),
)


@register.filter
def score(value: float | None) -> str:
    """Write a score with at most two decimals, and nothing for no score."""
    if not isinstance(value, int | float):
        return ""
    if value and abs(value) < 0.005:
        return f"{value:.1g}"
    number = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if number == "-0" else number


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
    whole = str(value)
    return whole if len(whole) <= length + 2 else whole[:length]


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
    far = f"{number}{THIN}{unit}"
    return f"{far} ago" if seconds > 0 else f"in {far}"


@register.filter
def pretty_json(value: object) -> str:
    """Write any JSON value with two-space indents."""
    options = orjson.OPT_NON_STR_KEYS | orjson.OPT_INDENT_2
    try:
        return orjson.dumps(value, default=str, option=options).decode()
    except (
        TypeError,
        ValueError,
    ):  # a number beyond 64 bits, or text with half a character
        plain = json.dumps(value, default=str, ensure_ascii=False, indent=2)
        return UNSTORABLE.sub(REPLACEMENT, plain)


@register.filter
def as_text(value: object) -> str:
    """Write text as it is and everything else as compact JSON."""
    return UNSTORABLE.sub(REPLACEMENT, value if isinstance(value, str) else dumps(value))


@register.filter
def preview(value: object, length: int = 120) -> str:
    """Write the beginning of a value on one line, cut between code points."""
    return text.preview(value, length)


@register.filter
def words(names: str) -> list[str]:
    """Split names at the spaces between them."""
    return names.split()


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Draw one icon of the sprite; without a label it is decoration."""
    place = f"{static('icons.svg')}#{name}"
    if label:
        return format_html(
            '<svg class="icon" role="img" aria-label="{}"><use href="{}"></use></svg>',
            label,
            place,
        )
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"></use></svg>', place)


@register.simple_tag
def moment(value: datetime | None, absolute: bool = False) -> SafeString | str:
    """Write a moment in relative words, or as a date; the browser adds the reader's own zone."""
    if value is None:
        return ""
    return format_html(
        '<time class="nowrap" datetime="{}" title="{} UTC"{}>{}</time>',
        value.isoformat(),
        f"{value:%Y-%m-%d %H:%M:%S}",
        SafeString(" data-absolute") if absolute else "",
        f"{value:%Y-%m-%d %H:%M}" if absolute else ago(value),
    )


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
