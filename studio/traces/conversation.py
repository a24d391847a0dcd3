"""What was said in a run, turn by turn, whatever shape its messages have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import evals_core
from evals_core import messages, tool_calls
from studio.traces.record import call_error
from studio.web.text import dumps

ROLES = {"system", "user", "assistant", "tool", "developer"}


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as it is shown."""

    name: str
    arguments: Any
    result: Any
    error: str
    state: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as it is shown."""

    role: str
    text: str
    reasoning: str = ""
    tool_calls: tuple[Call, ...] = ()


def conversation(input: Any, output: Any) -> list[Turn]:
    """All turns: system prompts, what was remembered and asked, and the answer."""
    return [*asked(input), *answered(output)]


def asked(source: Any) -> list[Turn]:
    """The turns of an input."""
    if source is None:
        return []
    if isinstance(source, str):
        return [Turn("user", source)]
    if is_messages(source):
        return [turn(each, "user") for each in source]
    if not isinstance(source, Mapping) or not has_messages(source):
        return [Turn("user", messages.get_user_message(source) or dumps(source))]
    beside = {key: source.get(key) for key in ("systemMessages", "taggedSystemMessages")}
    turns = [Turn("system", text) for text in messages.get_system_messages(beside)]
    for key in ("rememberedMessages", "inputMessages", "messages"):
        listed = source.get(key)
        turns += [turn(each, "user") for each in listed] if isinstance(listed, list) else []
    return turns


def answered(output: Any) -> list[Turn]:
    """The turns of an output; what is no message is shown as the assistant's words."""
    if output is None:
        return []
    if is_messages(output):
        return [turn(each, "assistant") for each in output]
    if isinstance(output, Mapping) and is_messages(output.get("messages")):
        return [turn(each, "assistant") for each in output["messages"]]
    if isinstance(output, Mapping) and ("role" in output or "content" in output):
        return [turn(output, "assistant")]
    if isinstance(output, str):
        return [Turn("assistant", output)]
    return [Turn("assistant", messages.get_assistant_message(output) or dumps(output))]


def is_messages(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, Mapping) and "role" in each for each in value)
    )


def has_messages(source: Mapping[str, Any]) -> bool:
    """Whether an input holds lists of messages."""
    keys = ("inputMessages", "messages", "rememberedMessages", "systemMessages")
    return any(isinstance(source.get(key), list) for key in keys)


def turn(message: Any, fallback: str) -> Turn:
    """One message with its text, reasoning and tool calls."""
    if not isinstance(message, Mapping):
        return Turn(fallback, message if isinstance(message, str) else dumps(message))
    role = messages.effective_role(message)
    reasoning = messages.get_reasoning([{**message, "role": "assistant"}])
    return Turn(
        role if isinstance(role, str) and role in ROLES else fallback,
        messages.message_text(message),
        reasoning or "",
        tuple(shown(call) for call in tool_calls.read_tool_calls([message])),
    )


def shown(call: tool_calls.ToolCall) -> Call:
    """A tool call with the words of its failure."""
    return Call(
        name=call.name or "unnamed tool",
        arguments=call.args,
        result=None if call.result is evals_core.ABSENT else call.result,
        error=call_error(call) or ("The tool failed." if call.is_flagged else ""),
        state=call.state,
    )
