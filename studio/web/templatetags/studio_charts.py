"""Small charts drawn on the server: score bars, histograms, sparklines and progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NotRequired, TypedDict

from django import template

from studio.web.templatetags.studio_format import score

register = template.Library()

BARS_HEIGHT: Final = 56
LINE_WIDTH: Final = 96
LINE_HEIGHT: Final = 24


class Bin(TypedDict):
    """One bar of a histogram: its range, its count, and the page that shows only it."""

    low: float
    high: float
    count: int
    href: str
    active: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its place in the drawing."""

    x: float
    y: float
    width: float
    height: float
    count: int
    href: str
    active: bool
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """A sparkline: unbroken pieces as SVG points, and the last point as a dot."""

    pieces: tuple[str, ...]
    dot: tuple[str, str] | None
    words: str


@register.simple_tag
def share(value: float | None, low: float = 0, high: float = 1) -> str:
    """Say where a value lies on its scale, from 0 to 100."""
    if not isinstance(value, int | float) or high == low:
        return "0"
    return f"{min(1.0, max(0.0, (value - low) / (high - low))) * 100:.1f}"


@register.simple_tag
def histogram_bars(bins: Sequence[Bin]) -> list[Bar]:
    """Lay out the bars of a histogram in a drawing that is 100 wide."""
    if not bins:
        return []
    highest = max(each["count"] for each in bins) or 1
    step = 100 / len(bins)
    return [bar_of(each, number * step, step, highest) for number, each in enumerate(bins)]


def bar_of(each: Bin, x: float, step: float, highest: int) -> Bar:
    """Lay out one bar; a bin with few scores still shows a sliver."""
    height = max(2.0, each["count"] / highest * BARS_HEIGHT) if each["count"] else 0.0
    words = f"{score(each['low'])} to {score(each['high'])}: {each['count']}"
    return Bar(
        x=round(x + step * 0.04, 3),
        y=round(BARS_HEIGHT - height, 2),
        width=round(step * 0.92, 3),
        height=round(height, 2),
        count=each["count"],
        href=each["href"],
        active=bool(each.get("active", False)),
        title=words,
    )


@register.simple_tag
def spark_line(values: Sequence[float | None], low: float = 0, high: float = 1) -> Line:
    """Lay out a sparkline; a missing value is a gap, never a zero."""
    known = [value for value in values if value is not None]
    low, high = min([low, *known]), max([high, *known])
    step = (LINE_WIDTH - 6) / max(1, len(values) - 1)
    pieces: list[list[str]] = [[]]
    last: tuple[str, str] | None = None
    for number, value in enumerate(values):
        if value is None:
            pieces.append([])
            continue
        y = LINE_HEIGHT - 3 - (value - low) / ((high - low) or 1) * (LINE_HEIGHT - 6)
        last = (f"{3 + number * step:.1f}", f"{y:.1f}")
        pieces[-1].append(f"{last[0]},{last[1]}")
    words = f"last {score(known[-1])}" if known else "no values"
    return Line(tuple(" ".join(piece) for piece in pieces if len(piece) > 1), last, words)


@register.simple_tag
def progress_share(done: int, failed: int, total: int) -> tuple[str, str]:
    """Say how wide the finished and the failed parts of a progress bar are, of 100."""
    if not total:
        return "0", "0"
    return f"{done / total * 100:.2f}", f"{failed / total * 100:.2f}"


@register.simple_tag
def finished_of(done: int, failed: int) -> int:
    """Say how many are over, well or badly."""
    return done + failed
