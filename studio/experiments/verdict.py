"""An experiment's verdict: the engine judges its stored scores; the result is kept in words too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import evals_core
from studio.experiments.models import Experiment, ExperimentScorer
from studio.scorers.models import Score
from studio.web.claims import WorkState


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored score as the engine's gates read it."""

    outcome: str
    value: float | None
    error: str | None


def judge(experiment: Experiment) -> tuple[str, dict[str, Any]]:
    """The verdict (empty without gates and thresholds, or when cancelled) and what it rests on."""
    asked = {
        str(each.scorer_version_id): each
        for each in experiment.asked.select_related("scorer_version").order_by("position")
        if each.is_gate or limits(each)
    }
    if not asked or experiment.cancelled:
        return "", {}
    report = evals_core.judge_verdict(
        [key for key, each in asked.items() if each.is_gate],
        {key: evals_core.read_threshold(limits(each)) for key, each in asked.items()
         if limits(each)},
        scores_by_trial(experiment, list(asked)),
    )  # fmt: skip
    gates = [row(asked[gate.id], gate) for gate in report.gates]
    thresholds = [row(asked[each.id], each) | limits(asked[each.id]) for each in report.thresholds]
    return report.verdict or "", {"gates": gates, "thresholds": thresholds}


def limits(asked: ExperimentScorer) -> dict[str, float]:
    """The threshold as the engine takes it; empty when there is none. Zero is a threshold."""
    both = {"min": asked.threshold_min, "max": asked.threshold_max}
    return {name: value for name, value in both.items() if value is not None}


def scores_by_trial(
    experiment: Experiment, versions: list[str]
) -> list[Mapping[str, Stored | None]]:
    """For every trial that was to be scored, its scores; a missing one stays missing."""
    ended = experiment.trials.exclude(state=WorkState.CANCELLED)
    cells: dict[int, dict[str, Stored | None]] = {
        pk: {} for pk in ended.order_by("pk").values_list("pk", flat=True)
    }
    scores = Score.objects.standing().filter(
        experiment_id=experiment.pk, scorer_version__in=[int(version) for version in versions]
    )
    words = defaultdict(str, scores.filter(outcome="error").values_list("pk", "reason"))
    for pk, trial, version, outcome, value in scores.values_list(
        "pk", "trial_id", "scorer_version_id", "outcome", "value"
    ):
        if trial in cells:
            cells[trial][str(version)] = Stored(outcome, value, words.get(pk))
    return list(cells.values())


def row(asked: ExperimentScorer, result: Any) -> dict[str, Any]:
    """One gate or threshold as it is stored and shown."""
    mean = result.mean
    return {
        "scorer_version": asked.scorer_version_id,
        "name": asked.scorer_version.name,
        "passed": result.passed,
        "mean": mean.value,
        "scored": mean.scored,
        "of": mean.of,
        "errors": mean.errors,
        "not_scorable": mean.not_scorable,
        "words": words_for(asked, result),
    }


def words_for(asked: ExperimentScorer, result: Any) -> str:
    """The result in one sentence."""
    mean = result.mean
    if not mean.scored:
        return "nothing was scored"
    covered = f"{mean.value:.2f} ({mean.scored} of {mean.of})"
    if asked.is_gate and not limits(asked):
        held = "every item scored 1" if result.passed else "not every item scored 1"
        return f"{held}: mean {covered}"
    bounds = " and ".join(
        f"at {'least' if name == 'min' else 'most'} {value:g}"
        for name, value in limits(asked).items()
    )
    reason = f"; {result.error}" if result.error else ""
    return f"mean {covered}, asked for {bounds}{reason}"
