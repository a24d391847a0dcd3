"""run_evals and trials: isolation, time limits, targets of every kind, turns, speed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from threading import get_ident
from typing import Any

import pytest

from evals_core import (
    ABSENT,
    Answer,
    DuplicateScorer,
    InvalidData,
    InvalidScorers,
    Item,
    Outcome,
    Run,
    Scorer,
    StepContext,
    Subject,
    TrialPlan,
    TrialResult,
    Turn,
    Verdict,
    checks,
    create_scorer,
    run_evals_sync,
    run_trials,
    target_from,
)
from evals_core.messages import is_agent_input, is_agent_output, message_text
from evals_core.tool_calls import read_tool_calls


def says(text: str) -> Scorer:
    return create_scorer(f"says {text}", generate_score=lambda c: text in said(c.run))


def said(run: Run) -> str:
    assert isinstance(run.output, list)
    return " ".join(map(message_text, run.output))


def ask(target: object, item: Item) -> Answer:
    return asyncio.run(target_from(target).ask(item))


def run_all(plans: Any, target: object, scorers: list[Scorer], **options: Any) -> list[TrialResult]:
    results: list[TrialResult] = []
    asyncio.run(run_trials(plans, target, scorers, report=results.append, **options))
    return results


class Agent:
    """An object with generate, as agent libraries have."""

    async def generate(self, question: str, *, request_context: Any = None) -> Any:
        return {
            "text": f"{question}! {request_context}",
            "tool_calls": [{"name": "search", "arguments": {"q": 1}, "result": "found"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 5},
        }


def test_it_asks_objects_and_keeps_text_calls_and_usage() -> None:
    answer = ask(Agent(), Item("Hello", request_context={"user": "Ada"}))
    assert is_agent_input(answer.input)
    assert is_agent_output(answer.output)
    assert message_text(answer.output[0]) == "Hello! {'user': 'Ada'}"
    assert [call.name for call in read_tool_calls(answer.output)] == ["search"]
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (3, 5)


@dataclass
class Reply:
    text: str


@pytest.mark.parametrize(
    "target",
    [
        lambda _: "yes",
        lambda _: {"text": "yes"},
        lambda _: [{"role": "assistant", "content": "yes"}],
        lambda _: {"messages": [{"role": "assistant", "content": "yes"}]},
        lambda _: Reply("yes"),
    ],
)
def test_it_reads_an_answer_in_every_usual_shape(target: Any) -> None:
    answer = ask(target, Item("Is it?"))
    assert is_agent_output(answer.output)
    assert message_text(answer.output[-1]) == "yes"


@pytest.mark.parametrize("value", [{"n": 1}, 5, None, ["a", 1]])
def test_it_keeps_any_other_value_as_it_is(value: object) -> None:
    answer = ask(lambda _: value, Item({"question": 1}))
    assert (answer.output, answer.input) == (value, {"question": 1})


def test_it_refuses_what_cannot_be_asked() -> None:
    with pytest.raises(TypeError, match="str cannot be asked"):
        target_from("agent")


def test_it_runs_a_plain_function_outside_the_loop() -> None:
    threads: list[int] = []
    ask(lambda _: threads.append(get_ident()), Item("x"))
    assert threads != [get_ident()]


async def stubborn(_: object) -> str:
    try:
        await asyncio.sleep(3)
    except asyncio.CancelledError:
        await asyncio.sleep(3)
    return "late"


@pytest.mark.parametrize("slow", [lambda _: time.sleep(3), lambda _: asyncio.sleep(3), stubborn])
def test_it_ends_waiting_for_every_kind_of_target(slow: Any) -> None:
    """Q37."""

    async def once() -> tuple[list[TrialResult], float]:
        results: list[TrialResult] = []
        started = time.perf_counter()
        plans = [TrialPlan(1, Item("x"))]
        await run_trials(plans, slow, [says("x")], report=results.append, item_timeout=0.1)
        return results, time.perf_counter() - started

    (result,), took = asyncio.run(once())
    assert took < 2
    assert result.error is not None
    assert result.error.kind == "timeout"
    assert (result.run, result.scores) == (None, ())


def test_it_ends_waiting_for_a_scorer_and_keeps_the_others() -> None:
    slow = create_scorer("slow", generate_score=lambda _: time.sleep(3))
    (result,) = run_all(
        [TrialPlan(1, Item("x"))], lambda x: x, [slow, says("x")], scorer_timeout=0.2
    )
    assert [score.outcome for score in result.scores] == [Outcome.ERROR, Outcome.SCORED]
    assert result.scores[0].error is not None
    assert result.scores[0].error.kind == "timeout"


def test_it_takes_trials_only_when_there_is_room() -> None:
    open_at_once: list[int] = []
    taken = reported = 0

    async def plans() -> AsyncIterator[TrialPlan]:
        nonlocal taken
        for key in range(20):
            taken += 1
            open_at_once.append(taken - reported)
            yield TrialPlan(key, Item(str(key)))

    async def report(_: TrialResult) -> None:
        nonlocal reported
        reported += 1

    async def answer(question: str) -> str:
        await asyncio.sleep(0)
        return question

    asyncio.run(run_trials(plans(), answer, [], report=report, concurrency=3))
    assert reported == 20
    assert max(open_at_once) <= 4


@pytest.mark.parametrize("failure", [ValueError("bad"), SystemExit(1), asyncio.CancelledError()])
def test_it_isolates_a_failing_target(failure: BaseException) -> None:
    async def target(question: str) -> str:
        if question == "1":
            raise failure
        return question

    results = run_all([TrialPlan(key, Item(str(key))) for key in range(3)], target, [says("2")])
    assert [result.error is None for result in results] == [True, False, True]
    assert [score.value for score in results[2].scores] == [1.0]


def test_it_isolates_a_scorer_that_cancels_itself() -> None:
    def cancel(_: StepContext) -> object:
        raise asyncio.CancelledError

    result = run_evals_sync(
        [{"input": "a"}], str, scorers=[create_scorer("c", generate_score=cancel), says("a")]
    )
    assert [score.outcome for score in result.items[0].scores] == [Outcome.ERROR, Outcome.SCORED]


def test_it_charges_unreadable_spans_to_trajectory_scorers_only() -> None:
    def answer(_: str) -> dict[str, object]:
        return {"text": "a", "spans": ["nonsense"]}

    steps = create_scorer("steps", subject=Subject.TRAJECTORY, generate_score=lambda _: 1)
    result = run_evals_sync([{"input": "a"}], answer, scorers=[steps, says("a")])
    assert [score.outcome for score in result.items[0].scores] == [Outcome.ERROR, Outcome.SCORED]


def test_it_stops_when_it_is_cancelled() -> None:
    async def stop() -> None:
        plans = [TrialPlan(1, Item("x"))]
        task = asyncio.create_task(
            run_trials(plans, lambda _: asyncio.sleep(5), [], report=print, item_timeout=9)
        )
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stop())


def test_it_asks_every_item_as_often_as_wished() -> None:
    result = run_evals_sync([{"input": "a"}, {"input": "b"}], str, scorers=[says("a")], trials=3)
    assert result.summary.total_items == 6
    assert result.scores["says a"].value == 0.5
    assert [item.trial for item in result.items] == [0, 1, 2, 0, 1, 2]


def test_it_hands_the_conversation_to_later_turns_and_scores_each() -> None:
    asked: list[Any] = []

    def echo(question: Any) -> str:
        asked.append(question)
        return question if isinstance(question, str) else f"turn {len(question)}"

    turns = [
        {"input": "one", "gates": [checks.includes("one")]},
        {"input": "two", "scorers": [(checks.includes("turn 3"), 1)]},
    ]
    result = run_evals_sync([{"turns": turns}], echo, scorers=[checks.includes("turn 3")])
    assert asked[0] == "one"
    assert [message["role"] for message in asked[1]] == ["user", "assistant", "user"]
    assert result.verdict is Verdict.PASSED
    assert [turn.index for turn in result.turns] == [0, 1]
    assert result.items[0].run is not None
    assert result.items[0].run.input == "one"


def test_it_refuses_two_scorers_of_one_id() -> None:
    other = create_scorer("says a", generate_score=lambda _: 1)
    for scorers, gates in (([says("a")] * 2, []), ([says("a")], [other])):
        with pytest.raises(DuplicateScorer, match="says a is given more than once"):
            run_evals_sync([{"input": "a"}], str, scorers=scorers, gates=gates)


def test_it_lets_a_gate_have_a_threshold_as_well() -> None:
    gate = says("a")
    result = run_evals_sync([{"input": "a"}], str, gates=[gate], scorers=[(gate, {"min": 0.5})])
    assert (result.gates[0].passed, result.thresholds[0].passed) == (True, True)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({}, "item 0 has neither"),
        ({"inputs": []}, "inputs must be a list of at least one"),
        ({"turns": [{}]}, "a turn without input"),
        ({"input": "x", "turns": [{"input": "x"}]}, "cannot have input"),
        ("text", "item 0 is not an object"),
    ],
)
def test_it_says_what_is_wrong_with_an_item(item: object, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        run_evals_sync([item], str, scorers=[says("a")])


def test_it_refuses_to_run_without_items_or_scorers() -> None:
    with pytest.raises(InvalidData, match="no items"):
        run_evals_sync([], str, scorers=[says("a")])
    with pytest.raises(InvalidScorers, match="at least one scorer"):
        run_evals_sync([{"input": "a"}], str)
    with pytest.raises(ValueError, match="concurrency must be at least 1"):
        run_evals_sync([{"input": "a"}], str, scorers=[says("a")], concurrency=0)


def test_it_takes_turns_made_in_code() -> None:
    result = run_evals_sync([{"turns": [Turn("a"), Turn("b")]}], str, scorers=[says("a")])
    assert result.summary.total_items == 1


def test_it_lets_what_waits_wait_together() -> None:
    async def wait(_: StepContext) -> int:
        await asyncio.sleep(0.2)
        return 1

    slow = [create_scorer(f"slow {each}", generate_score=wait) for each in range(5)]
    started = time.perf_counter()
    result = run_evals_sync([{"input": "a"}], str, scorers=slow)
    assert all(mean.value == 1 for mean in result.scores.values())
    assert time.perf_counter() - started < 0.8


def test_it_scores_many_items_quickly() -> None:
    async def answer(question: str) -> str:
        return question

    five = [checks.includes(str(each)) for each in range(5)]
    items = [{"input": f"number {each}"} for each in range(1000)]
    started = time.process_time()
    result = run_evals_sync(items, answer, scorers=five, concurrency=10)
    assert result.scores[five[0].id].of == 1000
    assert time.process_time() - started < 1  # own time, because other tests run beside it


def test_it_does_not_invent_what_an_item_does_not_have() -> None:
    probe = create_scorer("probe", generate_score=lambda c: c.run.ground_truth is ABSENT)
    assert run_evals_sync([{"input": "a"}], str, scorers=[probe]).scores["probe"].value == 1
