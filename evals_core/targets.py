"""What may be asked: functions and objects with `generate`, as one kind of target."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol, runtime_checkable
from uuid import uuid4

from evals_core.limits import in_thread
from evals_core.run import Item

Json = Any


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost in tokens, as far as the target says."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a target answered, in the shapes that scorers read."""

    output: Json
    input: Json
    text: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    trace_id: str | None = None
    spans: Sequence[Mapping[str, Json]] = ()
    raw: Json = None  # what the target returned, untouched


@dataclass(frozen=True, slots=True)
class TargetError:
    """Why a target gave no answer: a kind for machines, a message for people."""

    kind: str
    message: str


@runtime_checkable
class Target(Protocol):
    """Whatever can be asked about an item."""

    async def ask(self, item: Item, history: Sequence[Json] = ()) -> Answer:
        """Ask about the item, after what was said before; raises where there is no answer."""
        ...


def target_from(target: object) -> Target:
    """Make a target of a function or of an object with `generate`; a target stays as it is."""
    if isinstance(target, Target):
        return target
    generate = getattr(target, "generate", None)
    if callable(generate):
        return CallableTarget(generate)
    if callable(target):
        return CallableTarget(target)
    raise TypeError(
        f"{type(target).__name__} cannot be asked: it is neither callable nor has generate(input)"
    )


@dataclass(frozen=True, slots=True)
class CallableTarget:
    """A function of the input; it may also take `request_context`.

    A plain function runs in a thread of its own, because nothing else could stop waiting for it.
    """

    function: Callable[..., Any]
    takes_context: bool = field(init=False)
    is_async: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "takes_context", _takes(self.function, "request_context"))
        object.__setattr__(self, "is_async", _is_async(self.function))

    async def ask(self, item: Item, history: Sequence[Json] = ()) -> Answer:
        """Call the function with the input, or with the whole conversation so far."""
        asked = [*history, *input_messages(item.input)] if history else item.input
        options = {"request_context": item.request_context} if self.takes_context else {}

        def call() -> Any:
            return self.function(asked, **options)

        returned = call() if self.is_async else await in_thread(call)
        if inspect.isawaitable(returned):
            returned = await returned
        return answer_from(returned, item.input)


def _takes(function: Callable[..., Any], name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(
        each.kind is each.VAR_KEYWORD
        or (each.name == name and each.kind is not each.POSITIONAL_ONLY)
        for each in parameters
    )


def _is_async(function: Callable[..., Any]) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004 - an object may have an async __call__
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def answer_from(returned: Json, asked: Json) -> Answer:
    """Read what a target returned: text, a message list, an object with either, or any JSON."""
    if isinstance(returned, Answer):
        return returned
    fields = returned if isinstance(returned, Mapping) else _fields(returned)
    return Answer(
        output=_output(returned, fields),
        input=agent_input(asked),
        text=_text(returned, fields),
        usage=_usage(fields.get("usage")),
        cost=_number(fields.get("cost")),
        trace_id=_string(fields.get("trace_id", fields.get("traceId"))),
        spans=tuple(fields["spans"]) if isinstance(fields.get("spans"), (list, tuple)) else (),
        raw=returned,
    )


_READ = ("text", "messages", "usage", "cost", "trace_id", "traceId", "spans", "tool_calls")


def _fields(returned: object) -> Mapping[str, Json]:
    if returned is None or isinstance(returned, (str, int, float, list, tuple)):
        return {}
    return {name: getattr(returned, name) for name in _READ if hasattr(returned, name)}


def _output(returned: Json, fields: Mapping[str, Json]) -> Json:
    if is_message_list(fields.get("messages")):
        return as_messages(fields["messages"])
    text, calls = fields.get("text"), fields.get("tool_calls", fields.get("toolCalls"))
    if isinstance(text, str):
        return [assistant_message(text, calls if isinstance(calls, (list, tuple)) else ())]
    if isinstance(returned, str):
        return [assistant_message(returned)]
    return as_messages(returned) if is_message_list(returned) else returned


def _text(returned: Json, fields: Mapping[str, Json]) -> str | None:
    return returned if isinstance(returned, str) else _string(fields.get("text"))


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Json) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number else None


def _usage(usage: Json) -> Usage:
    fields = usage if isinstance(usage, Mapping) else getattr(usage, "__dict__", {})
    return Usage(
        _first(fields, "input_tokens", "inputTokens", "prompt_tokens", "promptTokens"),
        _first(fields, "output_tokens", "outputTokens", "completion_tokens", "completionTokens"),
    )


def _first(fields: Mapping[str, Json], *names: str) -> int | None:
    values = (fields.get(name) for name in names)
    return next((each for each in values if isinstance(each, int)), None)


def is_message_list(value: Json) -> bool:
    """Whether the value is a list of messages and nothing else."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(each, Mapping) and isinstance(each.get("role"), str) for each in value)
    )


def as_messages(messages: Sequence[Mapping[str, Json]]) -> list[Json]:
    """The messages with an id and a time each, everything else as it was."""
    return [{"id": f"m{place}", "createdAt": _now(), **each} for place, each in enumerate(messages)]


def agent_input(asked: Json) -> Json:
    """Text or messages as an agent's input; any other value stays as it is."""
    if not isinstance(asked, str) and not is_message_list(asked):
        return asked
    return {
        "inputMessages": input_messages(asked),
        "rememberedMessages": [],
        "systemMessages": [],
        "taggedSystemMessages": {},
    }


def input_messages(asked: Json) -> list[Json]:
    """What is asked, as messages."""
    if is_message_list(asked):
        return as_messages(asked)
    return [_message("user", asked if isinstance(asked, str) else str(asked), ())]


def assistant_message(text: str, calls: Sequence[Json] = ()) -> dict[str, Json]:
    """An answer as one message: its tool calls, then its text."""
    return _message("assistant", text, calls)


def _message(role: str, text: str, calls: Sequence[Json]) -> dict[str, Json]:
    parts: list[Json] = [_call_part(each, place) for place, each in enumerate(calls)]
    parts.append({"type": "text", "text": text})
    content = {"format": 2, "parts": parts, "content": text}
    return {"id": str(uuid4()), "role": role, "content": content, "createdAt": _now()}


def _call_part(call: Json, place: int) -> Json:
    if not isinstance(call, Mapping) or "toolInvocation" in call:
        return call
    name = call.get("toolName", call.get("tool_name", call.get("name")))
    invocation = {
        "toolCallId": call.get("toolCallId", call.get("id", f"call-{place}")),
        "toolName": name,
        "args": call.get("args", call.get("arguments", {})),
        "state": call.get("state", "result"),
    }
    kept = {key: call[key] for key in ("result", "errorText", "isError") if key in call}
    return {"type": "tool-invocation", "toolInvocation": invocation | kept}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
