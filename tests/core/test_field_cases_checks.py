"""Situations from the field, F01 to F18: checks, messages and run utilities."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_core import checks, messages
from evals_core.run import Run
from evals_core.scorer import Score, Scorer, score_run
from evals_core.testing import create_tool_invocation, make_run
from evals_core.tool_calls import extract_tool_results


def scored(check: Scorer, output: Any) -> Score:
    """The score of a check on a run, or on an output of any shape."""
    run = output if isinstance(output, Run) else Run(output=output)
    return asyncio.run(score_run(check, run))


def value(check: Scorer, output: Any) -> float | None:
    """The value of a check on a run, or on an output of any shape."""
    return scored(check, output).value


def test_f01_a_thrown_tool_call_fails_the_error_check() -> None:
    save = create_tool_invocation("save", tool_call_id="1", result="ok")
    send = create_tool_invocation(
        "send", tool_call_id="2", state="output-error", error_text="mailbox full"
    )
    parts = [{"type": "tool-invocation", "toolInvocation": call} for call in (save, send)]
    output = [{"role": "assistant", "content": {"parts": parts, "toolInvocations": [save]}}]
    errors = scored(checks.no_tool_errors(), output)
    assert errors.value == 0
    assert 'send ("mailbox full")' in str(errors.reason)
    assert value(checks.called_tool("send"), output) == 1
    assert value(checks.max_tool_calls(1), output) == 0


@pytest.mark.parametrize(
    ("told", "clean"),
    [
        ({"result": {"error": "404"}}, 0),
        ({"is_error": True, "result": "not found"}, 0),
        ({"result": {"error": None, "rows": []}}, 1),
    ],
)
def test_f02_a_result_may_carry_an_error_flag(told: dict[str, Any], clean: int) -> None:
    run = make_run(calls=[create_tool_invocation("search", **told)])
    assert value(checks.no_tool_errors(), run) == clean


def test_f03_equal_calls_count_each() -> None:
    calls = [
        create_tool_invocation("search", tool_call_id=id_, args={"q": "a"}) for id_ in ("1", "2")
    ]
    run = make_run(calls=calls)
    assert value(checks.called_tool("search", times=2), run) == 1
    assert value(checks.tool_order(["search", "search"]), run) == 1
    assert value(checks.tool_order(["search", "search"]), make_run(calls=calls[:1])) == 0
    assert value(checks.max_tool_calls(1), run) == 0


def test_f04_expecting_no_call_is_an_expectation() -> None:
    refund = make_run(calls=[create_tool_invocation("refund")])
    assert value(checks.tool_order([]), make_run("nothing to do")) == 1
    assert value(checks.used_no_tools(), make_run("nothing to do")) == 1
    assert value(checks.used_no_tools(), refund) == 0


def test_f05_two_instances_of_one_check_are_two_checks() -> None:
    rome, tiber = checks.includes("Rome"), checks.includes("Tiber")
    run = make_run("Rome has a river")
    assert rome.id != tiber.id
    assert rome.description != tiber.description
    assert rome.kind == tiber.kind == "check-includes"
    assert {each.id: value(each, run) for each in (rome, tiber)} == {rome.id: 1, tiber.id: 0}


def test_f06_a_match_needs_no_group_and_exact_means_all_of_it() -> None:
    assert value(checks.matches(r"\d+"), "The answer is 42") == 1
    assert value(checks.matches("YES|NO", exact=True), "YES please") == 0


def test_f07_one_check_object_serves_many_items() -> None:
    check = checks.matches(r"/\d/g")
    outputs = ["1", "2", "3", "4"] * 20
    assert [value(check, output) for output in outputs] == [1] * 80
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda output: value(check, output), outputs)) == [1] * 80


def test_f08_a_pattern_cannot_run_for_ever() -> None:
    check = checks.matches(r"(a+)+$")
    started = perf_counter()
    assert [value(check, "a" * 40 + "!") for _ in range(50)] == [0] * 50
    assert perf_counter() - started < 1


@pytest.mark.parametrize(
    ("output", "equal"),
    [
        (None, 0),
        (7, 0),
        ("plain text", 0),
        ('{"amount": 100}', 1),
        ({"amount": 100.0}, 1),
        ({"amount": True}, 0),
        ([{"role": "assistant", "content": '{"amount":1e2}'}], 1),
    ],
)
def test_f09_kinds_that_differ_are_not_equal(output: Any, equal: int) -> None:
    assert value(checks.equals({"amount": 100}), output) == equal


def test_f09_key_order_never_matters() -> None:
    assert value(checks.equals({"a": 1, "b": {"c": 2, "d": 3}}), '{"b":{"d":3,"c":2},"a":1}') == 1


def test_f10_text_that_looks_the_same_is_the_same() -> None:
    cafe = checks.includes("café")
    assert value(cafe, "Un cafe\u0301 noir") == 1
    assert value(cafe, "UN CAFÉ NOIR") == 1
    assert value(checks.includes("5 km"), "5\u00a0km") == 0
    assert value(checks.includes("5 km", normalise="NFKC"), "5\u00a0km") == 1
    assert value(checks.matches("café"), "Un cafe\u0301 noir") == 1


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("一個句子", "一個句子。", 6 / 7),
        ("是", "是", 1),
        ("是", "否", 0),
        ("", "", 1),
        ("", "a", 0),
    ],
)
def test_f11_short_texts_have_a_likeness(one: str, other: str, likeness: float) -> None:
    assert value(checks.similarity(one), other) == pytest.approx(likeness, abs=1e-9)


LOOP = asyncio.Runner()  # kept, because to make one takes longer than to score
STATES = ("result", "call", "output-error", "partial-call", "input-available", "odd")
CALLS = st.builds(create_tool_invocation, st.sampled_from("abc"), state=st.sampled_from(STATES))
TEXTS = st.lists(st.sampled_from(["sunny", "Rain", "", "x", "é"]), max_size=4).map(" ".join)
RUNS = st.one_of(
    st.just(Run(output=[])),
    st.builds(make_run, st.none() | TEXTS, calls=st.lists(CALLS, max_size=4)),
)


def all_scored(run: Run, *made: Scorer) -> list[Score]:
    """The scores of several checks on one run."""

    async def score_all() -> list[Score]:
        return [await score_run(check, run) for check in made]

    return LOOP.run(score_all())


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    run=RUNS, word=st.sampled_from(["sunny", "rain", "", "É", "s"]), tool=st.sampled_from("abcd")
)
def test_f12_each_check_and_its_opposite_are_complements(run: Run, word: str, tool: str) -> None:
    text = all_scored(run, checks.includes(word), checks.excludes(word))
    calls = all_scored(run, checks.called_tool(tool), checks.did_not_call(tool))
    none, at_most_none = all_scored(run, checks.used_no_tools(), checks.max_tool_calls(0))
    assert [score.value for score in text] in ([1, 0], [0, 1])
    assert [score.value for score in calls] in ([1, 0], [0, 1])
    assert none.value == at_most_none.value
    assert "text that includes" in str(text[0].reason)
    assert "text without" in str(text[1].reason)
    assert "not" not in str(calls[0].reason)
    assert "not to be called" in str(calls[1].reason)


@pytest.mark.parametrize(
    ("text", "strict", "within"),
    [
        ('{"score": NaN}', 0, 0),
        ("Infinity", 0, 0),
        ('{"a": 1, "a": 2}', 1, 1),
        ('{"a": 1,}', 0, 0),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', 0, 1),
        ('The answer is {"a": [1]} I think', 0, 1),
        ("[" * 50_000, 0, 0),
        ("", 0, 0),
    ],
)
def test_f13_json_is_strict(text: str, strict: int, within: int) -> None:
    assert value(checks.valid_json(), text) == strict
    assert value(checks.valid_json(contains=True), text) == within


def test_f13_a_repeated_key_is_noted() -> None:
    score = scored(checks.valid_json(), '{"a": 1, "a": 2}')
    assert score.reason == (
        "expected text that is valid JSON, found an object (repeated key a, the last one counts)"
    )


CALL_ONLY = make_run(calls=[create_tool_invocation("search", result=[])])
EMPTY_TEXT = make_run("")


@pytest.mark.parametrize("run", [Run(output=[]), CALL_ONLY, EMPTY_TEXT])
def test_f14_no_assistant_text_is_a_real_outcome(run: Run) -> None:
    for check in (checks.includes("x"), checks.equals("x"), checks.matches("x")):
        score = scored(check, run)
        assert score.value == 0
        assert "no assistant text" in str(score.reason)
    for check in (checks.excludes("x"), checks.equals("")):
        score = scored(check, run)
        assert score.value == 1
        assert "no assistant text" in str(score.reason)
    assert "no assistant text" in str(scored(checks.similarity("x"), run).reason)


def test_f14_the_calls_count_without_any_text() -> None:
    no_tools = [value(checks.used_no_tools(), r) for r in (Run(output=[]), CALL_ONLY, EMPTY_TEXT)]
    assert no_tools == [1, 0, 1]
    assert value(checks.called_tool("search"), CALL_ONLY) == 1


def test_f15_tool_results_kept_in_parts_are_found() -> None:
    call = create_tool_invocation("calendar", result={"free": ["10:00"]})
    (found,) = extract_tool_results(make_run("You are free at 10.", calls=[call]).output)
    assert found["result"] == {"free": ["10:00"]}


def test_f16_text_that_is_there_twice_is_read_once() -> None:
    twice = {"role": "assistant", "content": "Hi there"}
    twice["parts"] = [{"type": "text", "text": "Hi there"}]  # type: ignore[assignment]
    split = {"role": "assistant", "parts": [{"type": "text", "text": t} for t in ("Hel", "lo")]}
    assert value(checks.equals("Hi there"), [twice]) == 1
    assert value(checks.equals("Hello"), [split]) == 1


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        ({"text": "t"}, "t"),
        ({"content": "c"}, "c"),
        ({"content": {"parts": [{"type": "text", "text": "p"}]}}, "p"),
        ({"total": 3}, '{"total":3}'),
        (None, None),
    ],
)
def test_f17_output_of_any_shape_is_read(output: Any, text: str | None) -> None:
    assert messages.get_assistant_message(output) == text
    assert value(checks.equals(text or ""), output) == 1


def test_f18_every_system_message_is_kept_in_order() -> None:
    asked = {
        "systemMessages": ["You are a clerk."],
        "inputMessages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
        ],
        "rememberedMessages": [],
        "taggedSystemMessages": {"memory": ["User likes tea."]},
    }
    expected = ["You are a clerk.", "Be brief.", "User likes tea."]
    assert messages.get_system_messages(asked) == expected
    assert messages.get_combined_system_prompt(asked) == "\n\n".join(expected)
