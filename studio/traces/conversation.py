"""What was said in a run, turn by turn, whatever shape its messages have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
        return turns_of(source, "user")
    if not isinstance(source, Mapping) or not has_messages(source):
        return [Turn("user", messages.get_user_message(source) or dumps(source))]
    beside = {key: source.get(key) for key in ("systemMessages", "taggedSystemMessages")}
    turns = [Turn("system", text) for text in messages.get_system_messages(beside)]
    for key in ("rememberedMessages", "inputMessages", "messages"):
        listed = source.get(key)
        turns += turns_of(listed, "user") if isinstance(listed, list) else []
    return turns


def answered(output: Any) -> list[Turn]:
    """The turns of an output; what is no message is shown as the assistant's words."""
    if output is None:
        return []
    if is_messages(output):
        return turns_of(output, "assistant")
    if isinstance(output, Mapping) and is_messages(output.get("messages")):
        return turns_of(output["messages"], "assistant")
    if isinstance(output, Mapping) and ("role" in output or "content" in output):
        return turns_of([output], "assistant")
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


def turns_of(listed: Iterable[Any], fallback: str) -> list[Turn]:
    """The turns of messages in their order; a message may be several."""
    return [turn for message in listed for turn in message_turns(message, fallback)]


def message_turns(message: Any, fallback: str) -> list[Turn]:
    """One message: what was said after a tool call stands after it, in a turn of its own."""
    if not isinstance(message, Mapping):
        return [Turn(fallback, message if isinstance(message, str) else dumps(message))]
    role = messages.effective_role(message)
    role = role if isinstance(role, str) and role in ROLES else fallback
    reasoning = messages.get_reasoning([{**message, "role": "assistant"}]) or ""
    calls = [shown(call) for call in tool_calls.read_tool_calls([message])]
    segments = in_order(messages.parts_of(message), calls)
    if not segments:
        return [Turn(role, messages.message_text(message), reasoning, tuple(calls))]
    first, *others = [Turn(role, text, "", tuple(made)) for text, made in segments]
    return [replace(first, reasoning=reasoning), *others]


def in_order(parts: Sequence[Any], calls: Sequence[Call]) -> list[tuple[str, list[Call]]]:
    """Texts with the calls made after each; nothing where the parts do not tell their order."""
    if len([part for part in parts if tool_calls.invocation_of(part) is not None]) != len(calls):
        return []
    waiting = list(calls)
    segments: list[tuple[str, list[Call]]] = []
    for part in parts:
        if tool_calls.invocation_of(part) is not None:
            segments = segments or [("", [])]
            segments[-1][1].append(waiting.pop(0))
        elif messages.message_text({"content": [part]}):
            text, made = segments.pop() if segments and not segments[-1][1] else ("", [])
            segments.append((text + messages.message_text({"content": [part]}), made))
    return segments


def shown(call: tool_calls.ToolCall) -> Call:
    """A tool call with the words of its failure."""
    return Call(
        name=call.name or "unnamed tool",
        arguments=call.args,
        result=None if call.result is evals_core.ABSENT else call.result,
        error=call_error(call) or ("The tool failed." if call.is_flagged else ""),
        state=call.state,
    )
