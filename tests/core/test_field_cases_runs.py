"""Field cases of runs: gates, thresholds, averages, isolation (F28–F36)."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from evals_core import (
    InvalidData,
    Item,
    Outcome,
    Scorer,
    Subject,
    Threshold,
    Trajectory,
    TrialPlan,
    Verdict,
    create_scorer,
    mean_of,
    pass_rate,
    run_evals_sync,
    run_one,
)


def constant(value: object, scorer_id: str = "constant") -> Scorer:
    return create_scorer(scorer_id, generate_score=lambda _: value)


def items(count: int) -> list[dict[str, object]]:
    return [{"input": f"item {each}"} for each in range(count)]


@pytest.mark.parametrize(
    ("value", "count", "threshold"),
    [(0.7, 3, 0.7), (0.1, 10, {"max": 0.1}), (0.9, 7, {"max": 0.9})],
)
def test_it_forgives_rounding_errors(value: float, count: int, threshold: object) -> None:
    """F28."""
    result = run_evals_sync(items(count), str, scorers=[(constant(value), threshold)])
    assert result.verdict is Verdict.PASSED
    assert f"{result.scores['constant'].value:.2f}" == f"{value:.2f}"


@pytest.mark.parametrize(
    ("bounds", "threshold"),
    [(0, Threshold(min=0)), ({"min": 0}, Threshold(min=0)), ({"max": 0}, Threshold(max=0))],
)
def test_it_takes_zero_for_a_threshold(bounds: object, threshold: Threshold) -> None:
    """F29."""
    result = run_evals_sync(items(2), str, scorers=[(constant(0), bounds)])
    assert result.verdict is Verdict.PASSED
    assert result.thresholds[0].threshold == threshold


@pytest.mark.parametrize("scorer", [constant(0), (constant(0), None)])
def test_it_gives_no_verdict_where_nothing_is_asserted(scorer: object) -> None:
    """F29, F30."""
    result = run_evals_sync(items(2), str, scorers=[scorer])
    assert (result.verdict, result.gates, result.thresholds) == (None, (), ())
    assert result.scores["constant"].value == 0


def answer_with_calls(_: str) -> dict[str, object]:
    return {"text": "Done.", "tool_calls": [{"name": "search"}, {"name": "answer"}]}


def _follows(context: Any) -> bool:
    taken: Trajectory = context.run.output
    expected: list[str] = context.run.expected_trajectory
    return [step.name for step in taken.steps] == expected


def test_it_gives_a_gate_the_trajectory_and_the_expectation() -> None:
    """F31."""
    gate = create_scorer("follows", subject=Subject.TRAJECTORY, generate_score=_follows)
    item = {"input": "Find it.", "expected_trajectory": ["search", "answer"]}
    result = run_evals_sync([item], answer_with_calls, gates=[gate])
    assert result.verdict is Verdict.PASSED


def test_it_fails_a_gate_that_raises_and_says_why() -> None:
    """F31."""

    def fail(_: object) -> float:
        raise RuntimeError("cannot judge this")

    result = run_evals_sync(items(1), str, gates=[create_scorer("g", generate_score=fail)])
    assert result.verdict is Verdict.FAILED
    assert result.gates[0].error == "cannot judge this"
    assert result.items[0].scores[0].outcome is Outcome.ERROR


WHOLE = Item(
    input="question",
    ground_truth={"answer": 0},
    expected_trajectory=[],
    request_context={"user": "Ada"},
    metadata={"k": None},
    tags=("a", "b"),
)


def probe(seen: list[object]) -> Scorer:
    def look(context: Any) -> int:
        run = context.run
        message = run.input["inputMessages"][0]["content"]["content"]
        expected = (run.ground_truth, run.expected_trajectory)
        seen.append((message, *expected, run.request_context, run.metadata, run.tags))
        return 1

    return create_scorer("probe", generate_score=look)


def test_it_brings_every_field_of_an_item_to_the_scorer() -> None:
    """F32."""
    seen: list[object] = []
    asyncio.run(run_one(TrialPlan("key", WHOLE), str, [probe(seen)]))
    assert seen == [
        ("question", {"answer": 0}, [], {"user": "Ada"}, {"k": None}, ("a", "b")),
    ]


def test_it_brings_the_same_fields_on_every_path() -> None:
    """F32."""
    seen: list[object] = []
    wire = {
        "input": "question",
        "groundTruth": {"answer": 0},
        "expectedTrajectory": [],
        "requestContext": {"user": "Ada"},
        "metadata": {"k": None},
        "tags": ["a", "b"],
    }
    run_evals_sync([WHOLE, wire], str, scorers=[probe(seen)])
    assert seen[0] == seen[1]


def test_it_says_how_many_items_a_mean_covers() -> None:
    """F33."""

    def target(question: str) -> str:
        if question in ("item 6", "item 7"):
            raise RuntimeError("down")
        return question

    correct = create_scorer("correct", generate_score=first)
    result = run_evals_sync(items(8), target, scorers=[correct])
    mean = result.scores["correct"]
    assert mean.value == pytest.approx(1 / 3)
    assert (mean.scored, mean.of, mean.errors) == (6, 8, 2)
    assert mean.errors_as_zero == pytest.approx(0.25)
    assert result.summary.errors == 2


def first(context: Any) -> bool:
    text = context.run.output[0]["content"]["content"]
    return text in ("item 0", "item 1")


def test_it_has_no_mean_of_nothing() -> None:
    """F34."""

    def fail(_: str) -> str:
        raise RuntimeError("down")

    result = run_evals_sync(items(2), fail, scorers=[constant(1)])
    assert result.scores["constant"].value is None
    assert str(result.scores["constant"]) == "– (0 of 2)"
    assert json.dumps(mean_of([]).value) == "null"
    with pytest.raises(InvalidData, match="no items"):
        run_evals_sync([], str, scorers=[constant(1)])


def test_it_loses_nothing_to_a_failing_item_or_callback(caplog: pytest.LogCaptureFixture) -> None:
    """F35."""
    called: list[str] = []

    def target(question: str) -> str:
        if question == "item 1":
            raise RuntimeError("down")
        return question

    def callback(item: Any) -> None:
        called.append(item.case.item.id)
        if item.case.item.id in ("0", "2"):
            raise OSError("the disk is full")

    with caplog.at_level(logging.ERROR):
        options: dict[str, Any] = {"concurrency": 2, "on_item_complete": callback}
        result = run_evals_sync(items(3), target, scorers=[constant(1)], **options)
    assert sorted(called) == ["0", "1", "2"]
    assert [item.error is None for item in result.items] == [True, False, True]
    assert result.items[1].error is not None
    assert "down" in result.items[1].error.message
    assert "the result is kept" in caplog.text


def test_it_does_not_blame_the_cancelled() -> None:
    """F36."""
    rate = pass_rate(passed=2, failed=1, cancelled=1)
    assert (f"{rate.value:.0%}", rate.of, rate.cancelled) == ("67%", 3, 1)
    assert pass_rate(0, 0, cancelled=3).value is None


def test_it_does_not_score_where_the_target_failed() -> None:
    """Q33."""

    def fail(_: str) -> str:
        raise RuntimeError("down")

    seen: list[object] = []
    result = run_evals_sync(items(1), fail, scorers=[probe(seen)])
    assert (seen, result.items[0].scores) == ([], ())
