"""Quick checks: their ids, their arguments, their reasons, and building them again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest

from evals_core import checks
from evals_core.checks import CATALOGUE, CheckArgumentError
from evals_core.run import Run
from evals_core.scorer import Outcome, Score, Scorer, score_run
from evals_core.testing import create_tool_invocation, make_run

EACH: list[Scorer] = [
    checks.includes("sunny"),
    checks.excludes("rain"),
    checks.equals({"a": [1, None]}),
    checks.matches("/sun|rain/i", exact=True),
    checks.similarity("sunny", threshold=0.5),
    checks.valid_json(contains=True),
    checks.called_tool("get_weather", times=2),
    checks.did_not_call("send"),
    checks.tool_order(["a", "b"]),
    checks.max_tool_calls(3),
    checks.used_no_tools(),
    checks.no_tool_errors(),
]


def scored(check: Scorer, run: Run) -> Score:
    """The score that a check gives, by the way every score is made."""
    return asyncio.run(score_run(check, run))


@pytest.mark.parametrize("check", EACH, ids=lambda check: check.kind)
def test_it_is_rebuilt_from_what_is_stored(check: Scorer) -> None:
    stored = json.loads(json.dumps(dict(check.spec)))
    rebuilt = checks.build(stored["kind"], stored["arguments"])
    assert (rebuilt.id, rebuilt.description) == (check.id, check.description)
    assert rebuilt.version == check.version
    run = make_run("It is sunny")
    assert scored(rebuilt, run).value == scored(check, run).value


def test_the_catalogue_describes_every_check_for_a_form() -> None:
    assert {check.kind for check in EACH} == set(CATALOGUE)
    for kind in CATALOGUE.values():
        assert kind.name
        assert kind.help.endswith(".")
        for argument in kind.arguments:
            assert argument.label
            assert not (argument.required and argument.default is not None)


def test_each_score_has_a_reason_and_the_facts() -> None:
    score = scored(checks.includes("sunny"), make_run("It is Rainy"))
    assert (score.outcome, score.value) == (Outcome.SCORED, 0)
    assert score.reason == 'expected text that includes "sunny", found "It is Rainy"'
    facts = {"output": "it is rainy", "target": "sunny", "found": False}
    assert score.steps["preprocess"] == facts


@pytest.mark.parametrize(
    ("check", "id_"),
    [
        (lambda: checks.includes("sunny"), "check-includes:sunny"),
        (lambda: checks.includes("a", ignore_case=False), "check-includes:a;ignore_case=false"),
        (lambda: checks.equals(1), "check-equals:json:1"),
        (lambda: checks.matches(r"\d+"), r"check-matches:\d+"),
        (lambda: checks.similarity("a b", threshold=0.5), "check-similarity:a b;threshold=0.5"),
        (lambda: checks.called_tool("send", times=2), "check-called-tool:send;times=2"),
        (lambda: checks.tool_order(["a", "b"]), "check-tool-order:a→b"),
        (lambda: checks.max_tool_calls(3), "check-max-tool-calls:3"),
        (checks.used_no_tools, "check-used-no-tools"),
    ],
)
def test_the_id_says_the_kind_and_the_arguments(check: Callable[[], Scorer], id_: str) -> None:
    assert check().id == id_


def test_different_arguments_never_share_an_id() -> None:
    texts = ["", " ", "a", "A", "a;ignore_case=false", "json:1", "#", "x" * 100, "x" * 101, "a\n"]
    made = [checks.equals(text, ignore_case=case) for text in texts for case in (True, False)]
    made += [checks.equals(1), checks.equals(None), checks.equals([1]), checks.equals("1")]
    made += [checks.tool_order(names) for names in (["a", "b"], ["a→b"], ["ab"], [], [""])]
    assert len({check.id for check in made}) == len(made)
    assert all(len(check.id) < 100 for check in made)


@pytest.mark.parametrize(
    ("kind", "arguments", "words"),
    [
        ("check-nothing", {}, "no check of the kind"),
        ("check-includes", {}, "needs expected"),
        ("check-includes", {"expected": 3}, "expected must be text"),
        ("check-includes", {"expected": "a", "other": 1}, "no argument other"),
        ("check-includes", {"expected": "a", "ignore_case": 1}, "must be true or false"),
        ("check-includes", {"expected": "a", "normalise": "x"}, "must be one of NFC, NFKC, none"),
        ("check-equals", {"expected": float("nan")}, "must be a JSON value"),
        ("check-equals", {"expected": {1, 2}}, "must be a JSON value"),
        ("check-similarity", {"expected": "a", "threshold": "x"}, "must be a number"),
        ("check-similarity", {"expected": "a", "threshold": float("nan")}, "must be a number"),
        ("check-called-tool", {"tool_name": "a", "times": True}, "must be a whole number"),
        ("check-max-tool-calls", {"limit": 1.5}, "must be a whole number"),
        ("check-tool-order", {"tool_names": "ab"}, "must be a list of names"),
        ("check-tool-order", {"tool_names": ["a", 1]}, "must be a list of names"),
        ("check-matches", {"pattern": "("}, "cannot be used"),
        ("check-matches", {"pattern": "a" * 5001}, "at most 5000 characters"),
        ("check-includes", {"expected": "a\0"}, "must not hold NUL"),
        ("check-tool-order", {"tool_names": ["\ud800"]}, "half a character"),
    ],
)
def test_bad_arguments_are_refused_when_the_check_is_made(
    kind: str, arguments: dict[str, object], words: str
) -> None:
    with pytest.raises(CheckArgumentError, match=words):
        checks.build(kind, arguments)


@pytest.mark.parametrize("check", EACH, ids=lambda check: check.kind)
@pytest.mark.parametrize(
    "output",
    [
        None,
        3,
        "",
        "plain",
        {"text": "t"},
        {"total": 3},
        [None],
        [1, 2],
        [{"role": "assistant", "content": {"parts": [None, {"type": "tool-invocation"}]}}],
        [{"role": "assistant", "content": {"toolInvocations": [{"state": {}, "toolName": []}]}}],
        [{"role": "assistant", "content": "half \ud800"}],
    ],
    ids=str,
)
def test_no_output_makes_a_check_fail_to_score(check: Scorer, output: Any) -> None:
    score = scored(check, Run(output=output))
    assert score.outcome is Outcome.SCORED, score.error
    assert score.reason


def test_equals_takes_the_final_text_when_there_are_several() -> None:
    said = [{"role": "assistant", "content": text} for text in ("Let me look.", "42")]
    silent = {"role": "assistant", "content": {"parts": [{"type": "step-start"}]}}
    assert scored(checks.equals("42"), Run(output=[*said, silent])).value == 1
    assert scored(checks.includes("look.\n42"), Run(output=said)).value == 1
    recorded = checks.equals("Let me look.42", reading="recorded")
    assert scored(recorded, Run(output=said)).value == 1


def test_the_order_of_calls_is_a_subsequence() -> None:
    run = make_run(calls=[create_tool_invocation(name) for name in ("b", "a", "b")])
    assert scored(checks.tool_order(["a", "b"]), run).value == 1
    assert scored(checks.tool_order(["a", "a"]), run).reason == (
        'expected the calls a → a in this order, found b → a → b: "a" is missing in its place'
    )


def test_pending_calls_are_no_error_in_the_recorded_reading() -> None:
    run = make_run(calls=[create_tool_invocation("send", state="partial-call")])
    assert scored(checks.no_tool_errors(), run).value == 0
    assert scored(checks.no_tool_errors(reading="recorded"), run).value == 1


@pytest.mark.speed
def test_it_scores_two_thousand_items_a_second_with_five_checks() -> None:
    five = [EACH[0], EACH[2], EACH[3], EACH[6], EACH[11]]
    call = create_tool_invocation("get_weather", result={"degrees": 21})

    async def seconds() -> float:
        runs = [make_run(f"It is sunny, {degrees} degrees", calls=[call]) for degrees in range(400)]
        started = perf_counter()
        assert len([await score_run(check, run) for run in runs for check in five]) == 2000
        return perf_counter() - started

    assert min(asyncio.run(seconds()) for _ in range(3)) < 400 / 2000  # the best of three counts
