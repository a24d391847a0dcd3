"""Text as the checks compare it: whitespace, case, normal forms, likeness and rounding."""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal

NormalForm = Literal["NFC", "NFKC", "none"]

# What JavaScript calls whitespace: unlike Python it has U+FEFF and lacks U+001C–001F, U+0085.
WHITESPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_NO_WHITESPACE: Final = dict.fromkeys(map(ord, WHITESPACE))


def normalised(text: str, form: NormalForm = "NFC") -> str:
    """The text in a normal form, so that what looks the same compares as the same."""
    if form == "none" or text.isascii():
        return text
    return unicodedata.normalize(form, text)


def dice(first: str, second: str) -> float:
    """Likeness of two texts by their pairs of neighbouring UTF-16 units, from 0 to 1."""
    first, second = first.translate(_NO_WHITESPACE), second.translate(_NO_WHITESPACE)
    if first == second:
        return 1.0
    is_wide = max(first, default="") > "\uffff" or max(second, default="") > "\uffff"
    pairs, others = _pairs(first, is_wide=is_wide), _pairs(second, is_wide=is_wide)
    if not pairs or not others:
        return 0.0
    shared = sum((Counter(pairs) & Counter(others)).values())
    return 2 * shared / (len(pairs) + len(others))


def _pairs(text: str, *, is_wide: bool) -> list[tuple[object, object]]:
    units: Sequence[object] = text
    if is_wide:
        data = text.encode("utf-16-le", "surrogatepass")
        units = [data[index : index + 2] for index in range(0, len(data), 2)]
    return list(pairwise(units))


def round2(value: float) -> float:
    """The value with two decimals, ties going up."""
    scaled = (value + 2**-52) * 100
    if not math.isfinite(scaled):
        return value
    low = math.floor(scaled)
    return (low + 1 if scaled - low >= 0.5 else low) / 100


def is_truthy(value: object) -> bool:
    """Whether a JSON value counts as true in JavaScript, where an empty list or object does."""
    if isinstance(value, (Mapping, list, tuple)):
        return True
    return bool(value) and not (isinstance(value, float) and math.isnan(value))


def compact_json(value: object) -> str:
    """The value as JSON text without spaces; what JSON cannot hold is shown as Python does."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (ValueError, TypeError, RecursionError):
        return f"<{type(value).__name__} that is not JSON>"


def is_storable(text: str) -> bool:
    """Whether every database can hold the text: no NUL, no half of a character."""
    return "\0" not in text and (
        text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
    )


def is_json(value: object) -> bool:
    """Whether the value can be written as strict JSON."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def parse_json(text: str) -> object:
    """Read strict JSON, where NaN and Infinity are errors; raises ValueError."""
    try:
        value: object = json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def same_json(first: object, second: object) -> bool:
    """Whether two JSON values are equal: numbers by value, objects whatever their key order."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(
            same_json(value, second[key]) for key, value in first.items()
        )
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(same_json, first, second))
    return first == second


def quoted(value: object, limit: int = 80) -> str:
    """The value in quotation marks for a sentence, shortened where it is long."""
    text = value if isinstance(value, str) else compact_json(value)
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{short}"' if isinstance(value, str) else short


def listed(names: Iterable[str]) -> str:
    """The names as they stand in a sentence, separated by commas."""
    return ", ".join(names) or "none"
