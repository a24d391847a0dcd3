"""What a pattern means in JavaScript, spelled for an engine whose time is linear."""

from __future__ import annotations

import re
from typing import Final

import re2

from evals_core.text import WHITESPACE

_PAIR_SHIFT: Final = 0x100000  # half of an astral character → a character of plane 16


class PatternError(ValueError):
    """The pattern cannot be used; the message says why in words."""


def as_units(text: str) -> str:
    """The text with every astral character as the two units that JavaScript sees."""
    if text.isascii() or (max(text, default="") < "\ud800"):
        return text
    return "".join(map(unit_of, text))


def unit_of(char: str) -> str:
    """The units of one character, as characters of a private plane."""
    code = ord(char)
    if code > 0xFFFF:
        code -= 0x10000
        return chr(_PAIR_SHIFT + 0xD800 + (code >> 10)) + chr(_PAIR_SHIFT + 0xDC00 + (code & 0x3FF))
    return chr(_PAIR_SHIFT + code) if 0xD800 <= code <= 0xDFFF else char


def _ranges(chars: str) -> str:
    return "".join(rf"\x{{{ord(char):x}}}" for char in chars)


def _gaps(chars: str) -> str:
    codes = sorted(map(ord, chars))
    starts = [0, *(code + 1 for code in codes)]
    ends = [*(code - 1 for code in codes), 0x10FFFF]
    return "".join(
        rf"\x{{{low:x}}}-\x{{{high:x}}}"
        for low, high in zip(starts, ends, strict=True)
        if low <= high
    )


_SPACE: Final = _ranges(WHITESPACE)
_NOT_SPACE: Final = _gaps(WHITESPACE)
_CONTROLS: Final = {"n": 10, "r": 13, "t": 9, "v": 11, "f": 12, "0": 0}
_HEX: Final = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})")
_HEX_PAIR: Final = re.compile(r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_HEX_BRACED: Final = re.compile(r"[ux]\{([0-9a-fA-F]{1,6})\}")
_PROPERTY: Final = re.compile(r"([pP])\{(?:(?:Script|sc|General_Category|gc)=)?(\^?\w+)\}|[pP]\w")
_PROPERTY_NAMES: Final = {
    "Letter": "L",
    "Number": "N",
    "Punctuation": "P",
    "Symbol": "S",
}
_UNSUPPORTED: Final = {
    "(?=": "look-ahead",
    "(?!": "look-ahead",
    "(?<=": "look-behind",
    "(?<!": "look-behind",
    "(?P=": "back-reference",
}
_GROUP: Final = re.compile(r"\(\?(?:P?<\w+>|[a-zA-Z-]*[:)])")
_REPEAT: Final = re.compile(r"\{\d+(?:,\d*)?\}")
_BACK_REFERENCE: Final = re.compile(r"[1-9]|k<")
_LINEAR: Final = "patterns run in linear time, without look-around and back-references"


class Translation:
    """One pass over a pattern that spells its JavaScript meaning for the linear engine."""

    def __init__(self, source: str, flags: str, *, by_units: bool, is_literal: bool) -> None:
        self.source, self.at = source, 0
        self.by_units, self.is_literal = by_units, is_literal
        self.dot_is_all = "s" in flags
        self.simple_case = "i" in flags and by_units

    def whole(self) -> str:
        out: list[str] = []
        while self.at < len(self.source):
            out.append(self.piece())
        return "".join(out)

    def piece(self) -> str:
        self.refuse_look_around()
        known = _GROUP.match(self.source, self.at) or _REPEAT.match(self.source, self.at)
        if known:
            self.at = known.end()
            return known[0]
        char = self.source[self.at]
        self.at += 1
        if char == "\\":
            return self.escape(in_class=False)
        if char == "[":
            return self.char_class()
        if char == "." and not self.dot_is_all:
            return r"[^\n\r\x{2028}\x{2029}]"
        return char if char in "()|*+?^$." else self.literal(char)

    def refuse_look_around(self) -> None:
        for opening, name in _UNSUPPORTED.items():
            if self.source.startswith(opening, self.at):
                raise PatternError(f"{name} {opening}…) is not supported: {_LINEAR}")

    def literal(self, char: str) -> str:
        if ord(char) > 0xFFFF and self.by_units:
            return f"(?:{unit_of(char)})"
        if self.simple_case and (not char.isascii() or char in "sSkK"):
            forms = {
                char,
                *(form for form in (char.upper(), char.lower()) if len(form) == 1),
            }
            kept = {form for form in forms if char.isascii() or not form.isascii()}
            return f"(?-i:[{_ranges(''.join(sorted(kept)))}])"
        return re2.escape(char) if not char.isalnum() and char.isascii() else char

    def char_class(self) -> str:
        if self.is_literal and self.source.startswith(("]", "^]"), self.at):
            is_any = self.source[self.at] == "^"
            self.at += 2 if is_any else 1
            return r"(?s:.)" if is_any else r"[^\x{0}-\x{10ffff}]"
        out = ["["]
        if self.source.startswith("^", self.at):
            out.append("^")
            self.at += 1
        while self.at < len(self.source):
            char = self.source[self.at]
            self.at += 1
            if char == "]" and out[-1] not in ("[", "^"):
                return "".join([*out, "]"])
            out.append(self.class_member(char))
        raise PatternError("not a valid pattern: missing ]")

    def class_member(self, char: str) -> str:
        if char == "\\":
            return self.escape(in_class=True)
        if char == "[" and self.source.startswith(":", self.at) and not self.is_literal:
            return char
        if char in "[]":
            return rf"\{char}"
        return as_units(char) if self.by_units else char

    def escape(self, *, in_class: bool) -> str:
        if self.at >= len(self.source):
            raise PatternError(r"not a valid pattern: it ends in \ ")
        rest = self.source[self.at :]
        char = rest[0]
        if not in_class and _BACK_REFERENCE.match(rest):
            raise PatternError(rf"back-reference \{char} is not supported: {_LINEAR}")
        return self.coded(rest, in_class=in_class) or self.named(rest, char, in_class=in_class)

    def coded(self, rest: str, *, in_class: bool) -> str | None:
        pair = _HEX_PAIR.match(rest)
        if pair:
            self.at += pair.end()
            text = (chr(int(pair[1], 16)) + chr(int(pair[2], 16))).encode("utf-16", "surrogatepass")
            return self.literal(text.decode("utf-16"))
        found = _HEX_BRACED.match(rest) if not self.by_units else None
        found = found or _HEX.match(rest)
        if not found:
            return None
        self.at += found.end()
        code = int(next(group for group in found.groups() if group), 16)
        if code > 0x10FFFF:
            raise PatternError("not a valid pattern: no such character")
        if self.simple_case and not in_class:
            return self.literal(chr(code))
        code += _PAIR_SHIFT if 0xD800 <= code <= 0xDFFF else 0
        return rf"\x{{{code:x}}}"

    def named(self, rest: str, char: str, *, in_class: bool) -> str:
        found = _PROPERTY.match(rest) if not self.by_units else None
        self.at += found.end() if found else 1
        if found:
            name = _PROPERTY_NAMES.get(found[2], found[2]) if found[2] else ""
            return rf"\{found[1]}{{{name}}}" if name else rf"\{found[0]}"
        if char in "sS":
            inner = _SPACE if char == "s" else _NOT_SPACE
            return inner if in_class else f"[{inner}]"
        if char in _CONTROLS or (in_class and char == "b"):
            return rf"\x{{{_CONTROLS.get(char, 8):x}}}"
        if char in "dD" or (char in "wWbB" and (in_class or not self.simple_case)):
            return rf"\{char}"
        if char in "wWbB":
            return rf"(?-i:\{char})"
        if not self.is_literal and char in "AzC":
            return rf"\{char}"
        return re2.escape(char) if not char.isalnum() else self.literal(char)
