"""Patterns that people write, run on an engine whose time grows only with the text's length."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

import re2

from evals_core.pattern_syntax import PatternError, Translation, as_units
from evals_core.text import NormalForm, normalised

__all__ = ["Pattern", "PatternError", "compile_pattern"]

KNOWN_FLAGS: Final = frozenset("gimsuy")
LONGEST_PATTERN: Final = 5000
MEMORY_OF_ONE: Final = 2 * 1024 * 1024  # bytes; many patterns are kept at a time
_LITERAL: Final = re.compile(r"/(.+)/([a-zA-Z]*)", re.DOTALL)
_SLASHES: Final = re.compile(r"\\.|/", re.DOTALL)


class _Matcher(Protocol):
    def search(self, text: str) -> object: ...


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern without memory: the same text always gets the same answer."""

    source: str
    flags: str
    by_units: bool  # JavaScript without `u`: an astral character is two
    matcher: _Matcher

    def __str__(self) -> str:
        source = _SLASHES.sub(lambda found: r"\/" if found[0] == "/" else found[0], self.source)
        return f"/{source}/{self.flags}"

    def found_in(self, text: str) -> bool:
        """Whether the pattern matches somewhere in the text."""
        text = as_units(text) if self.by_units else _without_lone_halves(text)
        return self.matcher.search(text) is not None


@lru_cache(maxsize=128)
def compile_pattern(
    pattern: str,
    flags: str | None = None,
    *,
    exact: bool = False,
    sticky: bool = False,
    normalise: NormalForm = "none",
) -> Pattern:
    r"""Compile `\d+`, or a JavaScript literal such as `/\d+/gi`; raises PatternError.

    `g` and `y` are accepted and mean nothing, unless `sticky` lets `y` tie the match to the start.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(f"a pattern has at most {LONGEST_PATTERN} characters")
    source, marks, is_literal = _split(pattern, flags)
    _refuse_flags(marks)
    by_units = is_literal and "u" not in marks
    source = normalised(source, normalise)
    body = Translation(source, marks, by_units=by_units, is_literal=is_literal).whole()
    if exact:
        body = rf"\A(?:{body})\z"
    elif sticky and "y" in marks:
        body = rf"\A(?:{body})"
    inline = "".join(mark for mark in "ims" if mark in marks and not (exact and mark == "m"))
    return Pattern(source, marks, by_units, _compiled(f"(?{inline}:{body})" if inline else body))


def _split(pattern: str, flags: str | None) -> tuple[str, str, bool]:
    if flags is not None:
        return pattern, flags, True
    literal = _LITERAL.fullmatch(pattern)
    return (literal[1], literal[2], True) if literal else (pattern, "", False)


def _refuse_flags(flags: str) -> None:
    unknown = sorted(set(flags) - KNOWN_FLAGS)
    if unknown:
        raise PatternError(
            f"unknown flag {', '.join(unknown)} in a pattern (known: i, m, s, u, g, y); "
            'to match a text that only looks like /…/flags give flags=""'
        )


def _compiled(body: str) -> _Matcher:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY_OF_ONE
    options.never_capture = True  # a yes or no needs no groups, and is fastest without
    try:
        matcher: _Matcher = re2.compile(body, options)
    except (re2.error, UnicodeEncodeError) as error:
        raise PatternError(f"not a valid pattern: {_words(error)}") from error
    return matcher


def _words(error: Exception) -> str:
    first = error.args[0] if error.args else error
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)


def _without_lone_halves(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")
