"""Text at the boundary: what cannot be stored is replaced, previews never cut a character."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import orjson

MAX_DEPTH = 100
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


class TooDeep(ValueError):
    """JSON nested deeper than we accept."""


def clean(value: Any, depth: int = 0) -> Any:
    """`value` as strict JSON that every database holds.

    NUL and lone surrogates become U+FFFD; NaN and infinities, and what JSON has no form for,
    become their text; what is nested deeper than 100 levels becomes text too.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return UNSTORABLE.sub(REPLACEMENT, value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth >= MAX_DEPTH:
        return f"(nested deeper than {MAX_DEPTH} levels)"
    if isinstance(value, Mapping):
        return {clean(str(k)): clean(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean(v, depth + 1) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return clean(asdict(value), depth + 1)
    if isinstance(value, bytes):
        return clean(value.decode("utf-8", "replace"))
    return clean(str(value))


def check_depth(body: bytes | str, limit: int = MAX_DEPTH) -> None:
    """Raise `TooDeep` when JSON text opens more than `limit` brackets at once."""
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    depth = 0
    # Possessive, and the closing quote optional: one look at each character, whatever is sent.
    for match in re.finditer(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', body, re.DOTALL):
        mark = match[0][0]
        if mark in "[{":
            depth += 1
            if depth > limit:
                raise TooDeep(f"nested deeper than {limit} levels")
        elif mark in "]}":
            depth -= 1


def preview(value: object, length: int = 300) -> str:
    """A short, storable text of any value: the text itself, else compact JSON."""
    text = value if isinstance(value, str) else dumps(value)
    text = UNSTORABLE.sub(REPLACEMENT, " ".join(text[: length * 4].split()))
    return text if len(text) <= length else text[: length - 1] + "…"


def dumps(value: object) -> str:
    """Compact JSON for showing; what JSON cannot hold is shown as its text."""
    if value is None:
        return ""
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, ValueError, RecursionError):
        return str(value)
