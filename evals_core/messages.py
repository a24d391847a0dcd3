"""Take text, reasoning and system prompts out of what an agent received and said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from evals_core.text import compact_json

# What arrives is any JSON value; these readers look into it and never raise on its shape.
Json = Any
DEEPEST: Final = 50  # levels of content within content that are looked into


def _get(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, Mapping) else None


def _items(value: Json) -> Sequence[Json]:
    return value if isinstance(value, (list, tuple)) else ()


def _is_text_part(part: Json) -> bool:
    return _get(part, "type") == "text" and isinstance(_get(part, "text"), str)


def is_agent_input(value: Json) -> bool:
    """Whether the value is the input of an agent: three lists of messages and the tagged ones."""
    lists = ("inputMessages", "rememberedMessages", "systemMessages")
    return all(isinstance(_get(value, key), list) for key in lists) and isinstance(
        _get(value, "taggedSystemMessages"), (Mapping, list)
    )


def is_agent_output(value: Json) -> bool:
    """Whether the value is the output of an agent: a list of whole messages."""
    return isinstance(value, list) and all(map(_is_whole_message, value))


def _is_whole_message(message: Json) -> bool:
    return (
        isinstance(message, Mapping)
        and isinstance(message.get("id"), str)
        and isinstance(message.get("role"), str)
        and "content" in message
        and "createdAt" in message
    )


def parts_of(message: Json) -> Sequence[Json]:
    """The parts of a message, wherever its format keeps them."""
    content = _get(message, "content")
    if isinstance(content, (list, tuple)):
        return content
    return _items(_get(content, "parts")) or _items(_get(message, "parts"))


def message_text(message: Json) -> str:
    """All the text of a message in order; its parts win over a copy kept beside them."""
    texts = [part["text"] for part in parts_of(message) if _is_text_part(part)]
    return "".join(texts) if texts else _text_beside_parts(message)


def _text_beside_parts(message: Json) -> str:
    content = _get(message, "content")
    for text in (
        content,
        _get(content, "content"),
        _get(content, "text"),
        _get(message, "text"),
    ):
        if isinstance(text, str) and text:
            return text
    return ""


def last_text_part(message: Json) -> str:
    """The text of a message as Mastra's checks read it: of several text parts only the last."""
    content = _get(message, "content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return _last_text(content) or ""
    for key in ("content", "text"):
        text = _get(content, key)
        if isinstance(text, str) and text:
            return text
    return _last_text(_items(_get(content, "parts"))) or ""


def _last_text(parts: Sequence[Json]) -> str | None:
    found = [part["text"] for part in parts if _is_text_part(part)]
    return found[-1] if found else None


def value_text(value: Json, depth: int = 0) -> str | None:
    """The text that stands in a loosely shaped value, or None."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, list):
        return _last_text(value)
    if not isinstance(value, Mapping) or depth > DEEPEST:
        return None
    text = value_text(value.get("content"), depth + 1)
    if text is not None:
        return text
    for key in ("text", "body"):
        own = value.get(key)
        if isinstance(own, str) and own:
            return own
    return value_text(value.get("parts"), depth + 1)


def effective_role(message: Json) -> Json:
    """The role of a message; a signal has the role that its tag names."""
    role = _get(message, "role")
    if role != "signal":
        return role
    signal = _get(_get(_get(message, "content"), "metadata"), "signal")
    for named in (_get(signal, "tagName"), _get(signal, "type")):
        if named is not None:
            return named
    return _get(message, "type")


def get_user_message(source: Json) -> str | None:
    """The first thing the user said in an input of any shape."""
    if isinstance(source, str):
        return source
    for key in ("inputMessages", "messages"):
        users = (each for each in _items(_get(source, key)) if effective_role(each) == "user")
        text = value_text(next(users, None))
        if text is not None:
            return text
    for key in ("prompt", "text"):
        own = _get(source, key)
        if isinstance(own, str):
            return own
    texts = (value_text(_get(source, key)) for key in ("content", "input", "user"))
    return next((text for text in texts if text is not None), None)


def find_assistant_message(output: Json) -> str | None:
    """The last thing the assistant said, where the output has the shape of a message."""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        said = (
            value_text(each) for each in reversed(output) if effective_role(each) == "assistant"
        )
        return next((text for text in said if text), None)
    role, content = _get(output, "role"), _get(output, "content")
    if role not in (None, "assistant"):
        return None
    for text in (_get(output, "text"), content):
        if isinstance(text, str):
            return text
    if not isinstance(content, (Mapping, list)):
        return None
    return last_text_part(output) or last_text_part({"content": {"content": content}}) or None


def get_assistant_message(output: Json) -> str | None:
    """The answer as text, whatever a target returned; None where there is no output at all."""
    if output is None or isinstance(output, str):
        return output
    if isinstance(output, list) and (not output or any("role" in m for m in _mappings(output))):
        return find_assistant_message(output)
    found = find_assistant_message(output)
    if found is not None:
        return found
    whole = message_text(output)
    return whole or compact_json(output)


def _mappings(values: Iterable[Json]) -> Iterable[Mapping[str, Json]]:
    return (value for value in values if isinstance(value, Mapping))


def get_system_messages(source: Json) -> list[str]:
    """Every system message of an input: plain, among the messages, and tagged."""
    texts = [_system_text(message) for message in _items(_get(source, "systemMessages"))]
    for key in ("inputMessages", "messages"):
        messages = _items(_get(source, key))
        texts += [value_text(each) for each in messages if effective_role(each) == "system"]
    tagged = _get(source, "taggedSystemMessages")
    for messages in tagged.values() if isinstance(tagged, Mapping) else ():
        texts += [value_text(each) for each in _items(messages)]
    return [text for text in texts if text]


def _system_text(message: Json) -> str | None:
    if isinstance(message, str):
        return message
    content = _get(message, "content")
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in _items(content) if _is_text_part(part))


def get_combined_system_prompt(source: Json) -> str:
    """All system messages of an input as one text, a blank line between them."""
    return "\n\n".join(get_system_messages(source))


def get_conversation_history(source: Json, max_messages: int = 10) -> str | None:
    """The newest remembered messages as lines `role: text`, or None where nothing remains."""
    if not is_agent_input(source) or max_messages <= 0:
        return None
    lines = []
    for message in source["rememberedMessages"][-max_messages:]:
        role, text = _get(message, "role"), last_text_part(message).strip()
        if role and text:
            lines.append(f"{role}: {text}")
    return "\n".join(lines) or None


def extract_input_messages(source: Json) -> list[str]:
    """The text of each input message."""
    return [last_text_part(message) for message in _items(_get(source, "inputMessages"))]


def extract_agent_response_messages(output: Json) -> list[str]:
    """The text of each assistant message; a message without text counts as an empty one."""
    said = (message for message in _items(output) if _get(message, "role") == "assistant")
    return [last_text_part(message) for message in said]


def get_reasoning(output: Json) -> str | None:
    """What the first assistant message says about its own thinking, or None."""
    said = (each for each in _items(output) if _get(each, "role") == "assistant")
    message = next(said, None)
    whole = _get(_get(message, "content"), "reasoning")
    if isinstance(whole, str) and whole:
        return whole
    parts = (part for part in parts_of(message) if _get(part, "type") == "reasoning")
    return "\n".join(filter(None, map(_reasoning_text, parts))) or None


def _reasoning_text(part: Json) -> str:
    details = _get(part, "details")
    if isinstance(details, list):
        return "".join(detail["text"] for detail in details if _is_text_part(detail))
    own = _get(part, "reasoning") or _get(part, "text")
    return own if isinstance(own, str) else ""
