"""The engine's scores as rows, and what the table refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

import evals_core
from studio.scorers.build import engine_scorer
from studio.scorers.models import Score, Scorer
from studio.scorers.record import score_rows
from studio.traces.as_run import as_run
from studio.traces.models import Trace
from tests.studio.scorers.conftest import MakeScore

pytestmark = pytest.mark.django_db
MakeTrace = Callable[..., Trace]


def row_of(scorer: Scorer, trace: Trace, **score: Any) -> Score:
    """One engine score, stored and read back."""
    made = evals_core.Score(scorer_id="x", **score)
    assert scorer.version is not None
    rows = score_rows([(scorer.version, made)], trace=trace, agent=None, source="experiment")
    Score.objects.bulk_create(rows)
    return Score.objects.latest("pk")


def test_a_check_is_built_run_and_recorded(sunny: Scorer, make_trace: MakeTrace) -> None:
    trace = make_trace(said="It is SUNNY.")
    assert sunny.version is not None
    score = asyncio.run(evals_core.score_run(engine_scorer(sunny.version), as_run(trace)))
    rows = score_rows([(sunny.version, score)], trace=trace, agent=None, source="experiment",
                      experiment_id=3, trial_id=4)  # fmt: skip
    Score.objects.bulk_create(rows)
    row = Score.objects.get()
    assert (row.outcome, row.value, row.experiment_id, row.trial_id) == ("scored", 1.0, 3, 4)
    assert row.steps["preprocess"]["found"] is True
    assert "sunny" in row.reason


def test_an_error_keeps_its_kind_and_message_and_has_no_value(
    sunny: Scorer, make_trace: MakeTrace
) -> None:
    error = evals_core.ScoreError("scorer_failed", "bad \x00 text", "analyze")
    row = row_of(sunny, make_trace(), outcome=evals_core.Outcome.ERROR, value=0.5, error=error)
    assert row.value is None
    assert row.error_kind == "scorer_failed"
    assert row.reason == "analyze: bad \ufffd text"


def test_hostile_texts_and_odd_values_are_stored(sunny: Scorer, make_trace: MakeTrace) -> None:
    steps = {"a\x00": "\ud800", "b": {1: object}, "set": {3}, "big": 2**80, "nan": float("nan")}
    reason = "r\x00" * 400
    row = row_of(
        sunny, make_trace(), outcome=evals_core.Outcome.SCORED, value=1.0,
        reason=reason, label="l" * 500, steps=steps,
    )  # fmt: skip
    assert "\x00" not in row.reason
    assert len(row.reason) == 800
    assert len(row.reason_preview) == 300
    assert len(row.label) == 120
    assert isinstance(row.steps, dict)


def test_a_scorer_scores_a_trace_once(make_score: MakeScore, make_trace: MakeTrace) -> None:
    trace = make_trace()
    make_score(trace=trace)
    with pytest.raises(IntegrityError), transaction.atomic():
        make_score(0.5, trace=trace)
    assert make_score(trace=trace, is_current=False).pk
    assert make_score(trace=trace, span_id="1").pk


def test_the_same_scores_again_change_nothing(sunny: Scorer, make_trace: MakeTrace) -> None:
    trace = make_trace()
    assert sunny.version is not None
    made = [(sunny.version, evals_core.Score("x", evals_core.Outcome.SCORED, value=1.0))]
    for _ in range(2):
        rows = score_rows(made, trace=trace, agent=None, source="experiment")
        Score.objects.bulk_create(rows, ignore_conflicts=True)
    assert Score.objects.count() == 1


@pytest.mark.parametrize(
    ("outcome", "value"),
    [("scored", None), ("error", 0.0), ("not_scorable", 1.0), ("guessed", None)],
)
def test_a_value_stands_exactly_where_something_was_scored(
    make_score: MakeScore, outcome: str, value: float | None
) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_score(value, outcome=outcome)


def test_a_scorer_with_scores_cannot_vanish(make_score: MakeScore, sunny: Scorer) -> None:
    make_score()
    with pytest.raises(Exception, match="restricted"), transaction.atomic():
        sunny.delete()
