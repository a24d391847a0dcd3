"""Any value as JSON that both databases can hold; what changes on the way is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from studio.web.text import MAX_DEPTH, REPLACEMENT, UNSTORABLE

LONGEST = 1_000_000  # characters of one text
WIDEST = 10_000  # bits of a whole number: Python writes no wider ones
ELLIPSIS = "…"


class Keeper:
    """Makes values storable and remembers whether one was changed or cut."""

    def __init__(self) -> None:
        self.sanitized = False
        self.truncated = False

    def keep(self, value: Any, depth: int = 0) -> Any:
        """`value` as plain JSON: texts cleaned, numbers finite, nesting and length limited."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return value if value.bit_length() <= WIDEST else self.cut()
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else self.replaced(str(value))
        if depth >= MAX_DEPTH:
            return self.cut()
        if isinstance(value, Mapping):
            pairs = value.items()
            return {self.text(str(key)): self.keep(each, depth + 1) for key, each in pairs}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.keep(each, depth + 1) for each in value]
        return self.replaced(self.text(str(value)))

    def text(self, value: str) -> str:
        """A text without what PostgreSQL cannot hold, and not longer than we keep."""
        if len(value) > LONGEST:
            self.truncated = True
            value = value[: LONGEST - 1] + ELLIPSIS
        if UNSTORABLE.search(value) is None:
            return value
        return str(self.replaced(UNSTORABLE.sub(REPLACEMENT, value)))

    def cut(self) -> str:
        """Note that a value is left out, and put a mark in its place."""
        self.truncated = True
        return ELLIPSIS

    def replaced(self, value: Any) -> Any:
        """Note that a value is not what was given."""
        self.sanitized = True
        return value
