"""Means that say how much they cover, and rates that do not blame who was stopped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import Final

TOLERANCE: Final = 1e-9  # two numbers nearer than this are the same number


def at_least(value: float, bound: float) -> bool:
    """Whether the value reaches the bound, rounding errors forgiven."""
    return value >= bound - TOLERANCE


def at_most(value: float, bound: float) -> bool:
    """Whether the value stays within the bound, rounding errors forgiven."""
    return value <= bound + TOLERANCE


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of scores and what it covers: `scored` of `of`, the rest accounted for.

    `value` is None where nothing was scored.
    """

    value: float | None
    scored: int
    of: int
    errors: int = 0
    not_scorable: int = 0
    lowest: float | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every item to which the scorer applies has a score."""
        return self.scored + self.not_scorable == self.of

    @property
    def errors_as_zero(self) -> float | None:
        """The mean if every error and every missing score had been a 0."""
        applies = self.of - self.not_scorable
        return None if applies <= 0 else fsum([(self.value or 0.0) * self.scored]) / applies

    def __str__(self) -> str:
        shown = "–" if self.value is None else f"{self.value:.2f}"
        return f"{shown} ({self.scored} of {self.of})"


def mean_of(values: Iterable[float], *, errors: int = 0, not_scorable: int = 0) -> Mean:
    """The mean of the values, counting beside them what could not be scored."""
    known = list(values)
    count = len(known)
    return Mean(
        value=fsum(known) / count if known else None,
        scored=count,
        of=count + errors + not_scorable,
        errors=errors,
        not_scorable=not_scorable,
        lowest=min(known, default=None),
    )


@dataclass(frozen=True, slots=True)
class PassRate:
    """How many of the finished passed; the cancelled stand beside and count neither way."""

    value: float | None
    passed: int
    of: int
    cancelled: int = 0


def pass_rate(passed: int, failed: int, cancelled: int = 0) -> PassRate:
    """The rate of passes among what was finished, or none where nothing was."""
    finished = passed + failed
    return PassRate(passed / finished if finished else None, passed, finished, cancelled)
