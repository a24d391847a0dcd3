"""What one scorer says about one run: a value, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from numbers import Real

from evals_core.steps import NotScorable, Said


class Outcome(StrEnum):
    """How one scoring ended; only `SCORED` ever enters a mean."""

    SCORED = "scored"
    NOT_SCORABLE = "not_scorable"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ScoreError:
    """Why no score could be made: a kind for machines, a message for people."""

    kind: str
    message: str
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """What one scorer says about one run."""

    scorer_id: str
    outcome: Outcome
    value: float | None = None
    reason: str | None = None
    label: str | None = None
    error: ScoreError | None = None
    steps: Mapping[str, object] = field(default_factory=dict)  # step name → result
    prompts: Mapping[str, str] = field(default_factory=dict)  # step name → prompt sent
    judge: Mapping[str, object] = field(default_factory=dict)  # step name → executions
    duration_ms: float = 0.0


class BadScore(ValueError):
    """A generate_score step returned something that is not a score."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def read_score(value: object) -> Said | NotScorable:
    """Read what a generate_score step returned; raises BadScore where it is no score."""
    if value is None:
        return NotScorable("the scorer returned nothing")
    if isinstance(value, (NotScorable, Said)):
        return value
    if isinstance(value, Mapping):
        return _read_object(value)
    return Said(_number(value))


def _read_object(value: Mapping[str, object]) -> Said | NotScorable:
    reason, label = (None if value.get(key) is None else str(value[key]) for key in _BESIDE)
    if "score" not in value:
        raise BadScore("not_a_number", 'the score is an object without "score"')
    if value["score"] is None:
        return NotScorable(reason)
    return Said(_number(value["score"]), reason, label)


_BESIDE = ("reason", "label")


def _number(value: object) -> float:
    if not isinstance(value, (Real, Decimal)):
        shown = f'the text "{value[:80]}"' if isinstance(value, str) else type(value).__name__
        raise BadScore("not_a_number", f"a score must be a number, this is {shown}")
    try:
        number = float(value)
    except (OverflowError, ValueError) as error:
        raise BadScore("non_finite_score", "the score is too large for a number") from error
    if not math.isfinite(number):
        raise BadScore("non_finite_score", f"the score is {number}, which is not finite")
    return number
