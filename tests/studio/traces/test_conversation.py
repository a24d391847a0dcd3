"""A conversation is read out of any shape of messages."""

from __future__ import annotations

from typing import Any

import pytest

from studio.traces.conversation import conversation
from tests.studio.traces.conftest import message, text, tool, weather_run


def test_it_shows_system_memory_question_and_answer_in_order() -> None:
    run = weather_run()
    turns = conversation(run.input, run.output)
    assert [(turn.role, turn.text) for turn in turns] == [
        ("system", "Be brief."),
        ("assistant", "Hello."),
        ("user", "What is the weather in Oslo?"),
        ("assistant", ""),
        ("assistant", "It is snowy in Oslo."),
    ]
    assert turns[-2].reasoning == "I look it up."


def test_what_is_said_before_and_after_tool_calls_stays_in_order() -> None:
    said = message("assistant", text("One. "), text("Two."), tool("a"), tool("b"), text("Three."))
    turns = conversation(None, [said])
    assert [turn.text for turn in turns] == ["One. Two.", "Three."]
    assert [[call.name for call in turn.tool_calls] for turn in turns] == [["a", "b"], []]


def test_calls_of_the_older_list_are_shown_too() -> None:
    call = tool("old", result=1)["toolInvocation"]
    said = {"role": "assistant", "content": {"content": "Done.", "toolInvocations": [call]}}
    (turn,) = conversation(None, [said])
    assert (turn.text, turn.tool_calls[0].name) == ("Done.", "old")


def test_tool_calls_keep_arguments_results_and_failures() -> None:
    failed, answered = conversation(None, weather_run().output)[0].tool_calls
    assert (failed.name, failed.error, failed.result) == ("get_weather", "no answer", None)
    assert (answered.error, answered.result) == ("", {"condition": "snowy"})
    assert answered.arguments == {"city": "Oslo"}


def test_a_call_without_an_answer_is_no_failure() -> None:
    (call,) = conversation(None, [message("assistant", tool("x", "call"))])[0].tool_calls
    assert (call.state, call.error, call.result) == ("call", "", None)


def test_a_flagged_result_is_a_failure() -> None:
    (call,) = conversation(None, [message("assistant", tool("x", isError=True))])[0].tool_calls
    assert call.error == "The tool failed."


@pytest.mark.parametrize(
    ("asked", "answered", "expected"),
    [
        ("Hi", "Hello", [("user", "Hi"), ("assistant", "Hello")]),
        (None, None, []),
        ({"question": 1}, {"answer": 2},
         [("user", '{"question":1}'), ("assistant", '{"answer":2}')]),
        ([{"role": "user", "content": "Hi"}], {"role": "assistant", "content": "Hello"},
         [("user", "Hi"), ("assistant", "Hello")]),
        ({"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]}, 7,
         [("system", "S"), ("user", "U"), ("assistant", "7")]),
        ({"inputMessages": ["Hi", 3]}, [], [("user", "Hi"), ("user", "3"), ("assistant", "[]")]),
        ([{"role": "<b>", "content": "x"}], None, [("user", "x")]),
        ({"prompt": "P"}, {"text": "T"}, [("user", "P"), ("assistant", "T")]),
        (None, [message("assistant", text("a"), text("b"))], [("assistant", "ab")]),
    ],
)  # fmt: skip
def test_it_reads_every_shape(asked: Any, answered: Any, expected: list[tuple[str, str]]) -> None:
    assert [(turn.role, turn.text) for turn in conversation(asked, answered)] == expected
