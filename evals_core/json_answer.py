"""Find the JSON object in what a model wrote, however it is wrapped, and mend a lost end."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from evals_core.text import parse_json

CLOSERS: Final = {"{": "}", "[": "]"}
MOST_CUTS: Final = 8  # tokens taken from a lost end before giving up


def find_json(text: str, marker: str = "") -> Any:
    """The last object of the text, after the marker where it occurs; None where there is none.

    The last, because a judge may quote what it judges before it answers, and what it judges
    may hold a grade of its own making. An array that holds objects is returned as it is,
    and so is text that is one JSON string; both are answers of a wrong shape.
    """
    text = _answer_part(text, marker)
    found = [value for value in _values(text) if value is not None]
    if found:
        filled = [value for value in found if value != {}]
        return (filled or found)[-1]
    try:
        return parse_json(text.strip())
    except ValueError:
        return None


def _answer_part(text: str, marker: str) -> str:
    text = text.rpartition("</think>")[2]
    return text.rpartition(marker)[2] if marker else text


def _values(text: str) -> list[Any]:
    """The values in order; one that is broken beyond mending makes all of them worthless."""
    if text.lstrip().startswith('"'):
        return []  # a JSON string is not searched for what stands in it
    values: list[Any] = []
    place = 0
    while (begin := _next_start(text, place)) is not None:
        end, stack = _end_of(text, begin)
        value = _read(text[begin:end]) if not stack else _mend(text[begin:])
        if value is None and (stack or text[begin] == "{"):
            return []
        if value is not None:
            values.append(value)
        place = end
    return values


# Only what begins as JSON does: {options} and [1] in running text do not.
_START: Final = re.compile(r'\{(?=\s*["\'},]|\s*$)|\[(?=\s*\{)')


def _next_start(text: str, place: int) -> int | None:
    found = _START.search(text, place)
    return found.start() if found else None


def _end_of(text: str, begin: int) -> tuple[int, list[str]]:
    """Where the value that begins here ends, and the brackets still open if it never does."""
    stack: list[str] = []
    place, is_text = begin, False
    while place < len(text):
        sign = text[place]
        if is_text:
            place += sign == "\\"
            is_text = sign != '"'
        elif sign == '"':
            is_text = True
        elif sign in CLOSERS:
            stack.append(CLOSERS[sign])
        elif stack and sign == stack[-1]:
            stack.pop()
            if not stack:
                return place + 1, stack
        place += 1
    return len(text), [*stack, '"'] if is_text else stack


_LAST_COMMA: Final = re.compile(r',(?=\s*[}\]])|("(?:[^"\\]|\\.)*")', re.DOTALL)


def _read(text: str) -> Any:
    for each in (text, _LAST_COMMA.sub(lambda found: found[1] or "", text)):
        try:
            return json.loads(each, strict=False, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
    return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _mend(text: str) -> Any:
    """Close what a lost end left open, without the key or value that was cut in two."""
    text = text.rstrip().removesuffix("```")
    for _ in range(MOST_CUTS):
        text = text.rstrip().rstrip(",:")
        _, stack = _end_of(text, 0)
        if stack and stack[-1] == '"' and (len(text) - len(text.rstrip("\\"))) % 2:
            text = text[:-1]
        value = _read(_whole_word(text) + "".join(reversed(stack)))
        if value is not None:
            return value
        text = text[: max(text.rfind(","), text.rfind("{") + 1, text.rfind("[") + 1)]
    return None


_CUT_WORD: Final = re.compile(r"[:,\[]\s*([a-z]+)$")


def _whole_word(text: str) -> str:
    """The text with a literal that was cut in two made whole."""
    cut = _CUT_WORD.search(text)
    words = ("null", "true", "false") if cut else ()
    return next(
        (text[: cut.start(1)] + each for each in words if cut and each.startswith(cut[1])), text
    )
