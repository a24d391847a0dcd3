"""Scorers by kind: make one again from its stored spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evals_core.checks import CATALOGUE, build
from evals_core.scorer import Scorer

Maker = Callable[[Mapping[str, Any]], Scorer]


class UnknownKind(KeyError):
    """No scorer of that kind is known."""

    def __str__(self) -> str:
        return f"there is no scorer of the kind {self.args[0]!r}"


_makers: dict[str, Maker] = {}


def register(kind: str, maker: Maker) -> None:
    """Make a kind known: the maker is given the arguments of a spec and makes the scorer."""
    if kind in _makers or kind in CATALOGUE:
        raise ValueError(f"the kind {kind!r} is taken")
    _makers[kind] = maker


def scorer_from_spec(spec: Mapping[str, Any]) -> Scorer:
    """The scorer that has this spec, of the form {"kind", "arguments"}."""
    kind, arguments = str(spec.get("kind")), spec.get("arguments") or {}
    if kind in CATALOGUE:
        return build(kind, arguments)
    if kind not in _makers:
        raise UnknownKind(kind)
    return _makers[kind](arguments)


def known_kinds() -> list[str]:
    """Every kind that can be made, in order of name."""
    return sorted({*CATALOGUE, *_makers})
