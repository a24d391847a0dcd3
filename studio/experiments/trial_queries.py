"""The trials of an experiment as a table: failures first, filtered, one bounded page at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models.query import QuerySet

from studio.experiments.models import Experiment, Trial
from studio.experiments.place_queries import Filters, beyond, key, narrowed, placed
from studio.experiments.queries import Mean, passes
from studio.scorers.models import Score
from studio.web.claims import WorkState
from studio.web.paging import link

PAGE = 50


@dataclass(frozen=True, slots=True)
class Cell:
    """What one scorer says about one trial; it is there even if nothing was said."""

    name: str
    slug: str
    outcome: str
    score_id: int | None = None
    value: float | None = None
    label: str = ""
    passed: bool | None = None
    low: float = 0
    high: float = 1
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One line: a trial and its cells, one for every scorer that was asked."""

    trial: Trial
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class TrialPage:
    """One page of lines, with the query strings of its neighbours."""

    rows: list[TrialRow]
    older: str | None
    newer: str | None


def table_rows(experiment: Experiment) -> QuerySet[Any]:
    """An experiment's trials with only what a table shows."""
    return Trial.objects.filter(experiment=experiment).select_related("item", "trace").only(
        "experiment_id", "state", "repetition", "error_kind", "error", "duration_ms",
        "output_preview", "input_tokens", "output_tokens", "finished_at", "attempt", "cost",
        "item__item_id", "item__external_id", "item__input_preview", "item__truth_preview",
        "trace__trace_id",
    )  # fmt: skip


def trial_page(
    experiment: Experiment,
    asked: Sequence[Mean],
    params: Mapping[str, Any],
    size: int = PAGE,
) -> TrialPage:
    """The page of trials that a query string asks for: two queries whatever its length."""
    filters = Filters.read(params)
    rows = placed(narrowed(table_rows(experiment), asked, filters), asked, filters.scorer)
    before, after = str(params.get("before") or ""), str(params.get("after") or "")
    if after:
        found = list(beyond(rows, after, "lt").order_by("-place", "-pk")[: size + 1])
        up, down = len(found) > size, True
        found = found[:size][::-1]
    else:
        below = beyond(rows, before, "gt") if before else rows
        found = list(below.order_by("place", "pk")[: size + 1])
        up, down = bool(before), len(found) > size
        found = found[:size]
    return TrialPage(
        rows=with_cells(found, asked),
        older=link(params, before=key(found[-1])) if found and down else None,
        newer=link(params, after=key(found[0])) if found and up else None,
    )


def with_cells(trials: Sequence[Trial], asked: Sequence[Mean]) -> list[TrialRow]:
    """The trials with what every asked scorer said about each, in one query."""
    scores = Score.objects.standing().filter(trial_id__in=[each.pk for each in trials])
    by_trial: dict[int, dict[int, Score]] = defaultdict(dict)
    columns = (
        "trial_id",
        "scorer_version_id",
        "outcome",
        "value",
        "label",
        "reason_preview",
    )
    for score in scores.only(*columns):
        if score.trial_id is not None:
            by_trial[score.trial_id][score.scorer_version_id] = score
    return [
        TrialRow(
            trial,
            [cell(trial, one, by_trial[trial.pk].get(one.scorer_version)) for one in asked],
        )
        for trial in trials
    ]


def cell(trial: Trial, asked: Mean, score: Score | None) -> Cell:
    """One cell; without a score it says why there is none."""
    if score is None:
        waiting = trial.state in {WorkState.PENDING, WorkState.RUNNING}
        reason = "" if waiting else "The agent gave no answer to score."
        return Cell(asked.name, asked.slug, "pending" if waiting else "skipped", reason=reason)
    return Cell(
        name=asked.name,
        slug=asked.slug,
        outcome=score.outcome,
        score_id=score.pk,
        value=score.value,
        label=score.label,
        passed=passes(asked, score.value),
        low=asked.low,
        high=asked.high,
        reason=score.reason_preview,
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What one asked scorer said about a trial, with its whole reason."""

    cell: Cell
    score: Score | None


def scores_with_reasons(trial: Trial, asked: Sequence[Mean]) -> list[Said]:
    """Every asked scorer's word on one trial, in the order asked."""
    scores = Score.objects.standing().filter(trial_id=trial.pk)
    columns = ("scorer_version_id", "outcome", "value", "label", "reason", "reason_preview",
               "error_kind", "duration_ms")  # fmt: skip
    by_version = {score.scorer_version_id: score for score in scores.only(*columns)}
    return [
        Said(cell(trial, each, by_version.get(each.scorer_version)),
             by_version.get(each.scorer_version))
        for each in asked
    ]  # fmt: skip
