"""Checks against what each item says is true."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from evals_core import run_evals_sync
from evals_core.checks import (
    CATALOGUE,
    GROUND_TRUTH,
    CheckArgumentError,
    build,
    called_tool,
    equals,
    excludes,
    includes,
    similarity,
)
from evals_core.run import ABSENT, Run
from evals_core.scorer import Outcome, Score, Scorer, score_run
from evals_core.testing import make_run

EACH = [
    includes(GROUND_TRUTH),
    excludes(GROUND_TRUTH),
    equals(GROUND_TRUTH),
    similarity(GROUND_TRUTH, threshold=0.9),
]


def scored(check: Scorer, run: Run) -> Score:
    """The score that a check gives, by the way every score is made."""
    return asyncio.run(score_run(check, run))


@pytest.mark.parametrize(
    ("check", "text", "truth", "value"),
    [
        (includes(GROUND_TRUTH), "It is Sunny today", "sunny", 1),
        (includes(GROUND_TRUTH, ignore_case=False), "It is Sunny today", "sunny", 0),
        (includes(GROUND_TRUTH), "It makes 18 dollars", 18, 1),
        (includes(GROUND_TRUTH), "It makes 18 dollars", 18.5, 0),
        (includes(GROUND_TRUTH), "That is true", True, 1),
        (excludes(GROUND_TRUTH), "It is sunny", "rain", 1),
        (excludes(GROUND_TRUTH), "It is sunny", "sun", 0),
        (equals(GROUND_TRUTH), "Sunny", "sunny", 1),
        (equals(GROUND_TRUTH), "18.0", 18, 1),
        (equals(GROUND_TRUTH), "18", True, 0),
        (equals(GROUND_TRUTH), "null", None, 1),
        (equals(GROUND_TRUTH), '{"b": [1], "a": null}', {"a": None, "b": [1]}, 1),
        (equals(GROUND_TRUTH), '{"ground_truth": true}', {"ground_truth": True}, 1),
        (similarity(GROUND_TRUTH), "sunny", "sunny", 1),
        (similarity(GROUND_TRUTH, threshold=0.5), "1234", 1299, 0),
    ],
)
def test_the_expected_value_is_the_ground_truth_of_the_run(
    check: Scorer, text: str, truth: object, value: float
) -> None:
    score = scored(check, make_run(text, ground_truth=truth))
    assert (score.outcome, score.value) == (Outcome.SCORED, value)


@pytest.mark.parametrize("check", EACH, ids=lambda check: check.kind)
def test_without_a_ground_truth_nothing_is_scored(check: Scorer) -> None:
    score = scored(check, make_run("It is sunny"))
    assert score.outcome is Outcome.NOT_SCORABLE
    assert (score.value, score.reason, score.error) == (None, "no ground truth", None)


@pytest.mark.parametrize(
    ("check", "truth", "reason"),
    [
        (includes(GROUND_TRUTH), ["a"], "neither text nor a number"),
        (similarity(GROUND_TRUTH), None, "neither text nor a number"),
        (includes(GROUND_TRUTH), float("nan"), "neither text nor a number"),
        (equals(GROUND_TRUTH), {1, 2}, "not a JSON value"),
    ],
)
def test_a_ground_truth_it_cannot_compare_is_not_a_zero(
    check: Scorer, truth: object, reason: str
) -> None:
    score = scored(check, make_run("a", ground_truth=truth))
    assert score.outcome is Outcome.NOT_SCORABLE
    assert reason in str(score.reason)


def test_a_blank_ground_truth_that_is_given_is_text() -> None:
    assert scored(equals(GROUND_TRUTH), make_run("", ground_truth="")).value == 1
    assert scored(includes(GROUND_TRUTH), make_run("ab", ground_truth=" ")).value == 0


@pytest.mark.parametrize("check", EACH, ids=lambda check: check.kind)
def test_it_is_rebuilt_from_what_is_stored(check: Scorer) -> None:
    stored = json.loads(json.dumps(dict(check.spec)))
    assert stored["arguments"]["expected"] == {"ground_truth": True}
    rebuilt = build(stored["kind"], stored["arguments"])
    assert (rebuilt.id, rebuilt.version) == (check.id, check.version)
    assert (rebuilt.description, rebuilt.spec) == (check.description, check.spec)
    run = make_run("sunny", ground_truth="sun")
    assert scored(rebuilt, run).value == scored(check, run).value


def test_its_id_and_description_name_the_ground_truth() -> None:
    check = includes(GROUND_TRUTH)
    assert check.id == "check-includes:ground_truth"
    assert check.description == "Checks if output includes the ground truth"
    strict = includes(GROUND_TRUTH, ignore_case=False)
    assert strict.id == "check-includes:ground_truth;ignore_case=false"


@pytest.mark.parametrize("make", [includes, excludes, equals, similarity])
def test_the_text_ground_truth_is_another_check(make: Callable[..., Scorer]) -> None:
    literal, told = make("ground_truth"), make(GROUND_TRUTH)
    assert (literal.id, literal.version) != (told.id, told.version)
    assert literal.id != told.id
    run = make_run("sunny", ground_truth="sunny")
    assert scored(literal, run).value != scored(told, run).value
    assert build(literal.kind, {"expected": "ground_truth"}).id == literal.id


def test_the_reason_says_what_the_item_expected() -> None:
    score = scored(includes(GROUND_TRUTH), make_run("It is rainy", ground_truth="sunny"))
    assert score.reason == 'expected text that includes "sunny", found "It is rainy"'
    assert score.steps["preprocess"] == {"output": "it is rainy", "target": "sunny", "found": False}


def test_the_catalogue_says_which_arguments_the_item_may_tell() -> None:
    told = {
        f"{kind.kind}.{argument.name}"
        for kind in CATALOGUE.values()
        for argument in kind.arguments
        if argument.from_ground_truth
    }
    kinds = ("includes", "excludes", "equals", "similarity")
    assert told == {f"check-{kind}.expected" for kind in kinds}


def test_other_arguments_are_never_told_by_the_item() -> None:
    with pytest.raises(CheckArgumentError, match="tool_name must be text"):
        called_tool(GROUND_TRUTH)  # type: ignore[arg-type]
    for almost in ({"ground_truth": False}, {"ground_truth": 1}, {"ground_truth": True, "a": 1}):
        with pytest.raises(CheckArgumentError, match="expected must be text"):
            build("check-includes", {"expected": almost})


def test_each_item_of_a_run_is_held_against_its_own() -> None:
    data = [{"input": text, "ground_truth": text} for text in ("sunny", "rainy")]
    data.append({"input": "unknown"})
    result = run_evals_sync(data, lambda asked: f"It is {asked}", gates=[includes(GROUND_TRUTH)])
    mean = result.gates[0].mean
    assert (mean.value, mean.scored, mean.not_scorable) == (1, 2, 1)
    assert result.verdict == "passed"
    assert result.items[2].case.item.ground_truth is ABSENT
