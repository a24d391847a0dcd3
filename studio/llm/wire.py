"""Between our messages and those of the chat-completions API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import orjson
from django.utils import timezone

from evals_core import messages

CHAT_ROLES = {"system", "user", "assistant"}


def chat_messages(source: Any, instructions: str = "") -> list[dict[str, str]]:
    """What an agent is asked, in any shape of an input, as the API takes it."""
    said = [("system", instructions)] if instructions else []
    if isinstance(source, Mapping) and isinstance(source.get("inputMessages"), list):
        said += [("system", text) for text in messages.get_system_messages(source)]
        remembered = source.get("rememberedMessages")
        listed = [*(remembered if isinstance(remembered, list) else []), *source["inputMessages"]]
        said += [pair for pair in pairs(listed) if pair[0] != "system"]
    elif isinstance(source, Mapping) and isinstance(source.get("messages"), list):
        said += pairs(source["messages"])
    elif is_message_list(source):
        said += pairs(source)
    else:
        said.append(("user", as_text(source)))
    return [{"role": role, "content": text} for role, text in said]


def is_message_list(source: Any) -> bool:
    """Whether a value is a list of messages with roles."""
    return (
        isinstance(source, list)
        and bool(source)
        and all(isinstance(each, Mapping) and "role" in each for each in source)
    )


def pairs(listed: Sequence[Any]) -> list[tuple[str, str]]:
    """Role and text of each message that has both."""
    found = []
    for message in listed:
        if isinstance(message, str):
            found.append(("user", message))
            continue
        role, text = messages.effective_role(message), messages.message_text(message)
        if role in CHAT_ROLES and text:
            found.append((role, text))
    return found


def as_text(source: Any) -> str:
    """The text that a loosely shaped input asks, else the input as JSON."""
    text = messages.get_user_message(source)
    if text is None:
        text = orjson.dumps(source, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    return text


def assistant_message(parts: list[dict[str, Any]], text: str) -> dict[str, Any]:
    """One answer in the wire shape of a message."""
    return {
        "id": str(uuid4()),
        "role": "assistant",
        "content": {"format": 2, "parts": parts, "content": text},
        "createdAt": timezone.now().isoformat(),
    }


def answer_message(reply: Mapping[str, Any]) -> dict[str, Any]:
    """The API's message as one of ours: reasoning, tool calls that still wait, and text."""
    parts: list[dict[str, Any]] = []
    reasoning = reply.get("reasoning_content") or reply.get("reasoning")
    if isinstance(reasoning, str) and reasoning:
        parts.append({"type": "reasoning", "reasoning": reasoning})
    calls = reply.get("tool_calls")
    parts += [
        {"type": "tool-invocation", "toolInvocation": invocation(call)}
        for call in (calls if isinstance(calls, list) else [])
    ]
    text = reply_text(reply)
    if text or not parts:
        parts.append({"type": "text", "text": text})
    return assistant_message(parts, text)


def reply_text(reply: Mapping[str, Any]) -> str:
    """The text of the API's message; a refusal is what the model said, too."""
    text = messages.message_text(reply)
    refusal = reply.get("refusal")
    return text or (refusal if isinstance(refusal, str) else "")


def invocation(call: Any) -> dict[str, Any]:
    """A tool call that the model asked for and nobody has answered."""
    function = call.get("function") if isinstance(call, Mapping) else None
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments")
    try:
        args = orjson.loads(arguments) if isinstance(arguments, str) else arguments
    except orjson.JSONDecodeError:
        args = arguments
    return {
        "toolCallId": str(call.get("id", "")) if isinstance(call, Mapping) else "",
        "toolName": str(function.get("name", "")),
        "args": args,
        "state": "call",
    }
