"""Scorers: what they are, what they say, and the four steps that lead to a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Outcome(StrEnum):
    """How one scoring ended; only `SCORED` ever enters a mean."""

    SCORED = "scored"
    NOT_SCORABLE = "not_scorable"
    ERROR = "error"


class Subject(StrEnum):
    """What a scorer reads: the run as it is, or the trajectory taken from it."""

    RUN = "run"
    TRAJECTORY = "trajectory"


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
