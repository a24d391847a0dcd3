"""Find strict JSON in a text."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_FENCE: Final = re.compile(r"```[\w-]*[ \t]*\n(.*?)```", re.DOTALL)
_START: Final = re.compile(r"[\[{]")
MOST_STARTS: Final = 20


def json_in(text: str, *, contains: bool = False) -> tuple[list[Any] | None, str]:
    """The JSON value of a text in a list of one, or None, and a note on what is odd about it."""
    note = "the text is not JSON"
    for candidate in _candidates(text) if contains else [text]:
        try:
            return _read(candidate, whole=not contains)
        except (ValueError, RecursionError) as error:
            note = str(error) if not contains else "no JSON in the text"
    return None, note


def _candidates(text: str) -> list[str]:
    starts = [match.start() for match in _START.finditer(text)][:MOST_STARTS]
    return [match[1].strip() for match in _FENCE.finditer(text)] + [text[at:] for at in starts]


def _read(text: str, *, whole: bool) -> tuple[list[Any], str]:
    repeated: set[str] = set()

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(found)
        if len(value) < len(found):
            repeated.update(key for key in value if sum(key == each for each, _ in found) > 1)
        return value

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_refuse)
    value = decoder.decode(text) if whole else decoder.raw_decode(text)[0]
    keys = ", ".join(sorted(repeated))
    return [value], f"repeated key {keys}, the last one counts" if keys else ""


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def describe_json(found: list[Any]) -> str:
    """What kind of JSON value was found."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(found[0]), "null" if found[0] is None else "a number")
