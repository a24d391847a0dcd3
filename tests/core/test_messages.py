"""What is read out of messages, in every shape they come in."""

from __future__ import annotations

from typing import Any

import pytest

from evals_core import messages, tool_calls
from evals_core.testing import create_test_message, create_tool_invocation

ODD: list[Any] = [
    None,
    7,
    "text",
    [],
    [None],
    [[]],
    [{"role": "assistant"}],
    [{"role": "assistant", "content": None}],
    [{"role": "assistant", "content": {"parts": [None, 3, {"type": []}, {"type": "text"}]}}],
    [{"role": "assistant", "content": {"parts": {"a": 1}, "toolInvocations": [None, {}]}}],
    [{"role": [], "content": [None, {"type": "text", "text": 3}]}],
    [{"role": "assistant", "parts": [{"type": "tool-x", "state": []}]}],
    [{"role": "assistant", "content": {"toolInvocations": [{"toolName": 3, "toolCallId": []}]}}],
    {"inputMessages": 3, "rememberedMessages": None, "systemMessages": {}},
    {"inputMessages": [None], "rememberedMessages": [3], "systemMessages": [None]}
    | {"taggedSystemMessages": {"a": None, "b": [None]}},
]
READERS = [
    messages.get_user_message,
    messages.get_assistant_message,
    messages.find_assistant_message,
    messages.get_system_messages,
    messages.get_combined_system_prompt,
    messages.get_conversation_history,
    messages.get_reasoning,
    messages.message_text,
    messages.last_text_part,
    messages.extract_input_messages,
    messages.extract_agent_response_messages,
    messages.is_agent_input,
    messages.is_agent_output,
    tool_calls.read_tool_calls,
    tool_calls.extract_tool_calls,
    tool_calls.extract_tool_results,
    tool_calls.merge_tool_invocations,
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_no_shape_of_message_makes_it_raise(reader: Any, value: Any) -> None:
    result = reader(value)
    assert result is None or isinstance(result, (str, bool, list, tuple, dict))


def test_content_within_content_without_end_has_no_text() -> None:
    deep: Any = "end"
    for _ in range(5000):
        deep = {"content": deep}
    assert messages.value_text(deep) is None
    assert isinstance(messages.get_assistant_message(deep), str)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "Hi there", "parts": [{"type": "text", "text": "Hi there"}]}, "Hi there"),
        ({"parts": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]}, "Hello"),
        ({"content": {"content": "kept beside", "parts": [{"type": "step-start"}]}}, "kept beside"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}]}, "a"),
        ({"content": {"parts": []}}, ""),
    ],
)
def test_all_text_parts_are_read_and_win_over_a_copy(message: dict[str, Any], text: str) -> None:
    assert messages.message_text({"role": "assistant", **message}) == text


def test_the_last_part_alone_is_the_recorded_reading() -> None:
    parts = [{"type": "text", "text": "first"}, {"type": "text", "text": "last"}]
    assert messages.last_text_part({"content": {"parts": parts}}) == "last"


def test_calls_of_the_newer_interface_are_read() -> None:
    parts = [
        {"type": "tool-search", "toolCallId": "1", "state": "output-available", "output": {"n": 1}},
        {"type": "tool-send", "toolCallId": "2", "state": "output-error", "errorText": "full"},
        {"type": "dynamic-tool", "toolName": "look", "toolCallId": "3", "state": "input-streaming"},
    ]
    calls = tool_calls.read_tool_calls([{"role": "assistant", "parts": parts}])
    assert [(call.name, call.was_made) for call in calls] == [
        ("search", True),
        ("send", True),
        ("look", False),
    ]
    assert [tool_calls.is_error(call) for call in calls] == [False, True, True]
    assert calls[0].result == {"n": 1}
    assert calls[1].error_text == "full"


@pytest.mark.parametrize(
    ("invocation", "failed"),
    [
        ({"state": "result", "result": {"error": "404"}}, True),
        ({"state": "result", "isError": True, "result": "not found"}, True),
        ({"state": "result", "result": {"error": None, "rows": []}}, False),
        ({"state": "result", "result": {"error": ""}}, False),
        ({"state": "result", "result": {"error": {}}}, True),
        ({"state": "result", "result": "error"}, False),
        ({"state": "output-available"}, False),
        ({"state": "output-available", "errorText": "late"}, True),
        *(
            ({"state": state}, True)
            for state in ("output-error", "error", "output-denied", "call", "partial-call")
        ),
        *(({"state": state}, True) for state in ("input-available", "input-streaming", None)),
    ],
)
def test_one_rule_says_what_a_failed_call_is(invocation: dict[str, Any], failed: bool) -> None:
    assert tool_calls.is_error({"toolName": "t", **invocation}) is failed


def test_the_worse_of_two_states_of_a_call_is_kept() -> None:
    message = {
        "role": "assistant",
        "content": {
            "parts": [
                {
                    "type": "tool-invocation",
                    "toolInvocation": create_tool_invocation("save", tool_call_id="1", result="ok"),
                }
            ],
            "toolInvocations": [
                create_tool_invocation("save", tool_call_id="1", state="output-error")
            ],
        },
    }
    (call,) = tool_calls.read_tool_calls([message])
    assert (call.name, call.state) == ("save", "output-error")
    assert tool_calls.merge_tool_invocations(message)[0]["state"] == "result"


def test_signals_have_the_role_of_their_tag() -> None:
    content = {"metadata": {"signal": {"tagName": "user"}}, "content": "from a signal"}
    given = {"inputMessages": [{"role": "signal", "content": content}]}
    assert messages.get_user_message(given) == "from a signal"


def test_a_test_message_keeps_its_calls_in_the_older_list() -> None:
    call = create_tool_invocation("search", args={"q": 1}, result=[1], error_text="x")
    message: Any = create_test_message("hello", tool_invocations=[call])
    assert message["content"]["parts"] == [{"type": "text", "text": "hello"}]
    assert list(message["content"]["toolInvocations"][0]) == [
        "toolCallId",
        "toolName",
        "args",
        "result",
        "state",
    ]


OPENAI = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "function": {"name": "add", "arguments": '{"a": 1}'}},
            {"id": "2", "function": {"name": "look", "arguments": "{broken"}},
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "3"},
    {"role": "assistant", "content": "3"},
]
ANTHROPIC = [
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "1", "name": "add", "input": {"a": 1}},
            {"type": "tool_use", "id": "2", "name": "look", "input": "{broken"},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "3"}]},
]
MODEL_MESSAGES = [
    {
        "role": "assistant",
        "content": [
            {"type": "tool-call", "toolCallId": "1", "toolName": "add", "input": {"a": 1}},
            {"type": "tool-call", "toolCallId": "2", "toolName": "look", "args": "{broken"},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "1",
                "toolName": "add",
                "output": {"type": "text", "value": "3"},
            },
        ],
    },
]


@pytest.mark.parametrize("output", [OPENAI, ANTHROPIC, MODEL_MESSAGES])
def test_calls_in_the_shapes_of_other_systems_are_read(output: list[Any]) -> None:
    add, look = tool_calls.read_tool_calls(output)
    assert (add.name, add.args, add.state, add.result) == ("add", {"a": 1}, "result", "3")
    assert (look.name, look.args, look.state) == ("look", "{broken", "call")
    assert [tool_calls.is_error(call) for call in (add, look)] == [False, True]
    assert tool_calls.extract_tool_calls(output)["tools"] == ["add", "look"]


def test_an_error_in_a_later_message_is_an_error_of_the_call() -> None:
    result = {"type": "tool_result", "tool_use_id": "1", "content": "gone", "is_error": True}
    output = [ANTHROPIC[0], {"role": "user", "content": [result]}]
    assert tool_calls.is_error(tool_calls.read_tool_calls(output)[0])
