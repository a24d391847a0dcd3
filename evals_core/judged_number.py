"""Read the score in what a judge wrote: JSON, or a number at the end in one of its spellings."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from evals_core.json_answer import find_json

Scale = tuple[float, float]


class UnreadableScore(ValueError):
    """There is no score on the scale in the judge's answer; the message says why."""


def read_judged_score(text: str, scale: Scale, marker: str = "") -> dict[str, Any]:
    """The score and, where the judge gave one, its reason; a number off the scale is refused."""
    found = find_json(text, marker)
    if isinstance(found, dict):
        return _of_object(found, scale)
    number = _of_text(text.rpartition(marker)[2] if marker else text, scale)
    return {"score": _on_scale(number, scale)}


def _of_object(found: dict[str, Any], scale: Scale) -> dict[str, Any]:
    known = {str(key).strip().lower(): value for key, value in found.items()}
    if "score" not in known:
        raise UnreadableScore('the answer has no "score"')
    given = known["score"]
    if isinstance(given, str):
        given = _of_text(given, scale)
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise UnreadableScore(f"the score is {type(given).__name__}, not a number")
    reason = known.get("reason")
    read: dict[str, Any] = {"score": _on_scale(given, scale)}
    return read | ({"reason": reason} if isinstance(reason, str) else {})


def _on_scale(value: float, scale: Scale) -> float:
    low, high = scale
    if not math.isfinite(value) or not low <= value <= high:
        raise UnreadableScore(f"the score {value:g} is outside {low:g}–{high:g}")
    return value


_LAST_NUMBER: Final = re.compile(
    r"(?<![\w.])(-?\d{1,9}(?:\.\d{1,20})?)\s*(%|(?:/|out of)\s*(\d{1,9}(?:\.\d{1,20})?))?[\s.*`]*$"
)


def _of_text(text: str, scale: Scale) -> float:
    found = _LAST_NUMBER.search(text[-200:])
    if found is None:
        raise UnreadableScore("the answer holds no score")
    low, high = scale
    value, unit, whole = float(found[1]), found[2], found[3]
    if unit is None:
        return value
    of = 100.0 if unit == "%" else float(whole)
    if of <= 0:
        raise UnreadableScore(f"the answer is a share of {of:g}")
    return value if unit != "%" and of == high else low + value / of * (high - low)
