"""Scorers: steps in their order, scores of every kind, versions by content."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from decimal import Decimal

import pytest

from evals_core import (
    Outcome,
    Run,
    Score,
    Scorer,
    StepContext,
    Subject,
    create_scorer,
    not_scorable,
    score_run,
    scorer,
    scorer_from_spec,
)
from evals_core.testing import create_tool_invocation, make_run


def scored(made: Scorer, run: Run | None = None) -> Score:
    return asyncio.run(score_run(made, run or Run("out", "in")))


def returning(value: object) -> Scorer:
    return create_scorer("probe", generate_score=lambda _: value)


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (0, 0.0),
        (0.0, 0.0),
        (False, 0.0),
        (True, 1.0),
        ({"score": 0, "reason": "no"}, 0.0),
        (Decimal("0.5"), 0.5),
    ],
)
def test_it_keeps_falsy_scores_as_scores(returned: object, value: float) -> None:
    """F23."""
    score = scored(returning(returned))
    assert score.outcome is Outcome.SCORED
    assert score.value == value
    assert isinstance(score.value, float)
    assert score.reason == ("no" if isinstance(returned, dict) else None)


@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        ("0.5", "not_a_number"),
        ("good", "not_a_number"),
        ([1], "not_a_number"),
        ({"value": 1}, "not_a_number"),
        (float("nan"), "non_finite_score"),
        (float("inf"), "non_finite_score"),
        (10**400, "non_finite_score"),
    ],
)
def test_it_makes_an_error_of_what_is_no_number(returned: object, kind: str) -> None:
    score = scored(returning(returned))
    assert score.outcome is Outcome.ERROR
    assert score.value is None
    assert score.error is not None
    assert (score.error.kind, score.error.step) == (kind, "generate_score")


@pytest.mark.parametrize("returned", [None, {"score": None}, not_scorable("nothing there")])
def test_it_makes_not_scorable_of_nothing(returned: object) -> None:
    score = scored(returning(returned))
    assert score.outcome is Outcome.NOT_SCORABLE
    assert score.value is None


def test_it_runs_steps_in_the_order_given_and_hands_on_their_results() -> None:
    async def analyze(context: StepContext) -> str:
        return f"{context.preprocessed}, analyzed"

    made = (
        create_scorer("steps")
        .preprocess(lambda context: f"{context.run.output} prepared")
        .analyze(analyze)
        .generate_score(lambda context: len(context.results))
        .generate_reason(lambda context: f"{context.analyzed}: {context.score:g}")
    )
    score = scored(made)
    assert score.value == 2
    assert score.reason == "out prepared, analyzed: 2"
    assert list(score.steps) == ["preprocess", "analyze", "generate_score", "generate_reason"]


def test_it_leaves_a_scorer_as_it_is_when_a_step_is_added() -> None:
    plain = create_scorer("plain")
    assert plain.generate_score(lambda _: 1).steps != plain.steps == ()


def test_it_names_the_step_that_failed_and_keeps_what_came_before() -> None:
    def fail(_: StepContext) -> object:
        raise RuntimeError("broken")

    made = create_scorer("failing", preprocess=lambda _: 1, analyze=fail, generate_score=fail)
    score = scored(made)
    assert score.outcome is Outcome.ERROR
    assert score.error is not None
    assert (score.error.step, score.error.message) == ("analyze", "broken")
    assert score.steps == {"preprocess": 1}


def test_it_keeps_the_score_value_out_of_a_run_whose_reason_failed() -> None:
    made = returning(0.5).generate_reason(lambda context: context.results["missing"])
    score = scored(made)
    assert score.outcome is Outcome.ERROR
    assert score.value is None
    assert score.steps == {"generate_score": 0.5}


def test_it_survives_a_step_that_exits_the_program() -> None:
    def leave(_: StepContext) -> object:
        raise SystemExit(3)

    assert scored(create_scorer("exit", generate_score=leave)).outcome is Outcome.ERROR


def test_it_says_that_a_step_is_missing() -> None:
    score = scored(create_scorer("empty"))
    assert score.error is not None
    assert score.error.kind == "no_score_step"


@pytest.mark.parametrize("name", ["", "  ", None])
def test_it_refuses_a_scorer_without_an_id(name: object) -> None:
    with pytest.raises(ValueError, match="needs an id"):
        create_scorer(name)  # type: ignore[arg-type]


def test_it_makes_a_scorer_of_a_function_of_the_run() -> None:
    @scorer("says out")
    def check(run: Run) -> bool:
        """The run says out."""
        return run.output == "out"

    assert (check.id, check.description) == ("says out", "The run says out.")
    assert scored(check).value == 1.0


def test_it_gives_a_trajectory_scorer_the_trajectory() -> None:
    made = create_scorer(
        "steps",
        subject=Subject.TRAJECTORY,
        generate_score=lambda context: len(context.run.output.steps),
    )
    assert scored(made, make_run("Done.", calls=[create_tool_invocation("search")])).value == 1


def _limited(limit: int) -> Scorer:
    return create_scorer("limit", generate_score=lambda context: len(context.results) < limit)


def test_it_has_one_version_for_one_definition() -> None:
    assert _limited(3).version == _limited(3).version
    assert _limited(3).version != _limited(4).version
    assert len(_limited(3).version) == 64


def test_it_changes_the_version_with_anything_that_changes_the_score() -> None:
    plain = returning(1)
    others = (plain.generate_reason(lambda _: "why"), create_scorer("probe", direction="lower"))
    assert len({plain.version, *(each.version for each in others)}) == 3


def test_it_does_not_take_an_address_into_the_version() -> None:
    @dataclass
    class Word:
        text: str

    def made(text: str) -> Scorer:
        word = Word(text)
        return create_scorer("word", generate_score=lambda _: word.text == "x")

    assert made("x").version == made("x").version != made("y").version


def test_it_makes_a_check_again_from_its_spec() -> None:
    made = scorer_from_spec({"kind": "check-includes", "arguments": {"expected": "sunny"}})
    again = scorer_from_spec(made.spec)
    assert (again.id, again.version) == (made.id, made.version)
    assert scored(again, make_run("A sunny day")).value == 1.0


def test_it_names_a_kind_that_it_does_not_know() -> None:
    with pytest.raises(KeyError, match="no scorer of the kind 'nonsense'"):
        scorer_from_spec({"kind": "nonsense"})
