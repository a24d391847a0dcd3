"""Gates, thresholds and the verdict they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Protocol, TypeAlias

from evals_core.score import Outcome, ScoreError
from evals_core.stats import Mean, at_least, at_most, mean_of

Bounds: TypeAlias = "float | Mapping[str, float] | Threshold"


class Verdict(StrEnum):
    """What gates and thresholds say together; without any of them there is no verdict."""

    PASSED = "passed"
    SCORED = "scored"  # every gate holds, a threshold does not
    FAILED = "failed"


class Scored(Protocol):
    """As much of a score as a verdict needs; a stored row will do."""

    @property
    def outcome(self) -> str:
        """One of the values of Outcome."""
        ...

    @property
    def value(self) -> float | None:
        """The value, where there is one."""
        ...

    @property
    def error(self) -> ScoreError | str | None:
        """Why there is no value."""
        ...


class InvalidThreshold(ValueError):
    """A threshold that no mean could be held against; the message says why."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The mean that a scorer should reach, stay below, or both."""

    min: float | None = None
    max: float | None = None

    def holds(self, mean: Mean) -> bool:
        """Whether there is a mean over every item and it lies within the bounds."""
        if mean.value is None or not mean.is_complete:
            return False
        above = self.min is None or at_least(mean.value, self.min)
        return above and (self.max is None or at_most(mean.value, self.max))

    def __str__(self) -> str:
        if self.max is None:
            return f"at least {self.min:g}"
        return f"at most {self.max:g}" if self.min is None else f"{self.min:g} to {self.max:g}"


def read_threshold(
    bounds: object, *, name: str = "the scorer", low: float = 0.0, high: float = 1.0
) -> Threshold:
    """Read a number (a minimum) or {"min", "max"}, each within the scale of the scorer."""
    if isinstance(bounds, Threshold):
        found = bounds
    elif isinstance(bounds, Mapping):
        unknown = ", ".join(sorted(set(map(str, bounds)) - {"min", "max"}))
        if unknown:
            raise InvalidThreshold(f"the threshold of {name} has min and max, not {unknown}")
        found = Threshold(bounds.get("min"), bounds.get("max"))
    else:
        found = Threshold(min=bounds)  # type: ignore[arg-type]  # checked below
    _check(found, name, low, high)
    return found


def _check(threshold: Threshold, name: str, low: float, high: float) -> None:
    bounds: list[float] = []
    given: list[object] = [each for each in (threshold.min, threshold.max) if each is not None]
    if not given:
        raise InvalidThreshold(f"the threshold of {name} needs a min or a max")
    for bound in given:
        if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not isfinite(bound):
            raise InvalidThreshold(f"the threshold of {name} must be a number, not {bound!r}")
        if not low <= bound <= high:
            raise InvalidThreshold(
                f"the threshold of {name} is {bound:g}, outside its scale of {low:g} to {high:g}"
            )
        bounds.append(bound)
    if len(bounds) == 2 and bounds[0] > bounds[1]:
        raise InvalidThreshold(f"the threshold of {name} has a min above its max")


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether a gate held, its mean, and the first error where there was one."""

    id: str
    passed: bool
    mean: Mean
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ThresholdResult:
    """Whether a mean reached its threshold."""

    id: str
    passed: bool
    mean: Mean
    threshold: Threshold
    error: str | None = None


@dataclass(frozen=True, slots=True)
class VerdictReport:
    """The verdict with everything it rests on; None where nothing was asserted."""

    verdict: Verdict | None
    gates: tuple[GateResult, ...] = ()
    thresholds: tuple[ThresholdResult, ...] = ()


ScoresOfItem: TypeAlias = Mapping[str, Scored | None]


def mean_over(scorer_id: str, scores_by_item: Iterable[ScoresOfItem]) -> Mean:
    """The mean of one scorer over items; an item without its score counts as missing."""
    return mean_score(scores.get(scorer_id) for scores in scores_by_item)


def mean_score(scores: Iterable[Scored | None]) -> Mean:
    """The mean of the scores that have a value; a missing score counts as an error."""
    values: list[float] = []
    errors = not_scorable = 0
    for score in scores:
        if score is not None and score.outcome == Outcome.SCORED and score.value is not None:
            values.append(score.value)
        elif score is not None and score.outcome == Outcome.NOT_SCORABLE:
            not_scorable += 1
        else:
            errors += 1
    return mean_of(values, errors=errors, not_scorable=not_scorable)


def judge_verdict(
    gates: Iterable[str],
    thresholds: Mapping[str, Threshold],
    scores_by_item: Sequence[ScoresOfItem],
) -> VerdictReport:
    """Hold the scores of all items against gates and thresholds.

    A gate or threshold whose scorer applied to no item asserts nothing and is left out.
    """
    held = (_judge_gate(gate, scores_by_item) for gate in gates)
    reached = (_judge_threshold(*pair, scores_by_item) for pair in thresholds.items())
    gate_results = tuple(result for result in held if _applies(result.mean))
    threshold_results = tuple(result for result in reached if _applies(result.mean))
    verdict = combine_verdict(gate_results, threshold_results)
    return VerdictReport(verdict, gate_results, threshold_results)


def _applies(mean: Mean) -> bool:
    return mean.not_scorable < mean.of


def _judge_gate(gate: str, scores_by_item: Sequence[ScoresOfItem]) -> GateResult:
    mean = mean_over(gate, scores_by_item)
    holds = mean.is_complete and mean.lowest is not None and at_least(mean.lowest, 1.0)
    return GateResult(gate, holds, mean, _first_error(gate, scores_by_item))


def _judge_threshold(
    scorer_id: str, threshold: Threshold, scores_by_item: Sequence[ScoresOfItem]
) -> ThresholdResult:
    mean = mean_over(scorer_id, scores_by_item)
    error = _first_error(scorer_id, scores_by_item)
    return ThresholdResult(scorer_id, threshold.holds(mean), mean, threshold, error)


def _first_error(scorer_id: str, scores_by_item: Sequence[ScoresOfItem]) -> str | None:
    for scores in scores_by_item:
        score = scores.get(scorer_id)
        error = score.error if score is not None else None
        if error is not None:
            return error.message if isinstance(error, ScoreError) else str(error)
    missing = sum(scores.get(scorer_id) is None for scores in scores_by_item)
    return f"{missing} of {len(scores_by_item)} items have no score" if missing else None


def combine_verdict(
    gates: Sequence[GateResult], thresholds: Sequence[ThresholdResult]
) -> Verdict | None:
    """One verdict of all results; None where there are none."""
    if not gates and not thresholds:
        return None
    if not all(gate.passed for gate in gates):
        return Verdict.FAILED
    if not all(threshold.passed for threshold in thresholds):
        return Verdict.SCORED
    return Verdict.PASSED
