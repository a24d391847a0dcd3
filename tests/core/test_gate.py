"""Thresholds, gates and the verdict they lead to."""

from __future__ import annotations

import pytest

from evals_core import (
    InvalidThreshold,
    Outcome,
    Score,
    ScoreError,
    Threshold,
    Verdict,
    judge_verdict,
    mean_of,
    means,
    read_threshold,
)

Row = dict[str, Score | None]


def scored(scorer_id: str, value: float) -> Score:
    return Score(scorer_id, Outcome.SCORED, value)


def rows(*values: float | Outcome | None, scorer_id: str = "s") -> list[Row]:
    """One item for each value: a score, another outcome, or no score at all."""
    made: list[Row] = []
    for value in values:
        if value is None:
            made.append({})
        elif isinstance(value, Outcome):
            error = ScoreError("scorer_failed", "broken") if value is Outcome.ERROR else None
            made.append({scorer_id: Score(scorer_id, value, error=error)})
        else:
            made.append({scorer_id: scored(scorer_id, value)})
    return made


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (0, Threshold(min=0)),
        (0.7, Threshold(min=0.7)),
        ({"min": 0.2, "max": 0.8}, Threshold(0.2, 0.8)),
        ({"max": 0}, Threshold(max=0)),
    ],
)
def test_it_reads_a_number_and_a_range(bounds: object, expected: Threshold) -> None:
    assert read_threshold(bounds) == expected


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (1.5, "outside its scale of 0 to 1"),
        ("x", "must be a number"),
        (True, "must be a number"),
        (float("nan"), "must be a number"),
        ({}, "needs a min or a max"),
        ({"min": 0.8, "max": 0.2}, "min above its max"),
        ({"least": 0.5}, "not least"),
    ],
)
def test_it_refuses_a_threshold_that_nothing_could_meet(bounds: object, message: str) -> None:
    with pytest.raises(InvalidThreshold, match=message):
        read_threshold(bounds)


def test_it_allows_bounds_on_the_scale_of_the_scorer() -> None:
    assert read_threshold(4, low=1, high=5) == Threshold(min=4)


def test_it_passes_a_gate_only_where_every_item_reaches_one() -> None:
    assert judge_verdict(["s"], {}, rows(1, 1)).verdict is Verdict.PASSED
    report = judge_verdict(["s"], {}, rows(2, 0))
    assert report.verdict is Verdict.FAILED
    assert report.gates[0].mean.value == 1


@pytest.mark.parametrize("missing", [Outcome.ERROR, None])
def test_it_fails_a_gate_with_an_errored_or_missing_score(missing: Outcome | None) -> None:
    report = judge_verdict(["s"], {}, rows(1, missing))
    assert report.verdict is Verdict.FAILED
    assert report.gates[0].error in ("broken", "1 of 2 items have no score")


@pytest.mark.parametrize("missing", [Outcome.ERROR, None])
def test_it_does_not_pass_a_threshold_over_part_of_the_items(missing: Outcome | None) -> None:
    report = judge_verdict([], {"s": Threshold(min=0.5)}, rows(1, missing))
    assert report.verdict is Verdict.SCORED
    assert not report.thresholds[0].passed


def test_it_leaves_out_items_to_which_the_scorer_does_not_apply() -> None:
    report = judge_verdict(["s"], {}, rows(1, Outcome.NOT_SCORABLE))
    assert report.verdict is Verdict.PASSED
    assert str(report.gates[0].mean) == "1.00 (1 of 2)"


def test_it_asserts_nothing_where_the_scorer_applies_to_no_item() -> None:
    report = judge_verdict(["s"], {}, rows(Outcome.NOT_SCORABLE))
    assert (report.verdict, report.gates) == (None, ())


def test_it_says_scored_where_only_a_threshold_is_missed() -> None:
    both = [{"g": scored("g", 1), "s": scored("s", 0.2)}]
    assert judge_verdict(["g"], {"s": Threshold(min=0.5)}, both).verdict is Verdict.SCORED
    assert judge_verdict(["g"], {"s": Threshold(max=0.5)}, both).verdict is Verdict.PASSED


def test_it_counts_what_a_mean_covers() -> None:
    mean = means(["s"], rows(1, 0, Outcome.NOT_SCORABLE, Outcome.ERROR, None))["s"]
    assert (mean.value, mean.scored, mean.of) == (0.5, 2, 5)
    assert (mean.errors, mean.not_scorable) == (2, 1)
    assert mean.errors_as_zero == 0.25


def test_it_sums_exactly() -> None:
    assert mean_of([0.1] * 10).value == pytest.approx(0.1, abs=1e-17)
    assert str(mean_of([])) == "– (0 of 0)"
