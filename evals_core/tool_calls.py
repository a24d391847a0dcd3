"""Take tool calls out of messages, and tell the ones that failed from the ones that did not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from evals_core.foreign_calls import foreign_invocations, foreign_results
from evals_core.messages import Json, parts_of
from evals_core.run import ABSENT
from evals_core.text import is_truthy

CLEAN_STATES: Final = frozenset({"result", "output-available"})
FAILED_STATES: Final = frozenset({"output-error", "error", "output-denied"})
# States in which the agent has made its call, whatever became of it.
MADE_STATES: Final = CLEAN_STATES | FAILED_STATES | {"call", "input-available"}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool as its message tells it."""

    name: str
    id: str
    args: object = None
    result: object = ABSENT
    state: str = "result"
    error_text: str | None = None
    is_flagged: bool = False  # an error flag stands beside the result
    was_made: bool = True
    message_index: int = 0
    invocation_index: int = 0


class ToolCallInfo(TypedDict):
    """Where in an output a tool call stands."""

    toolName: str
    toolCallId: str
    messageIndex: int
    invocationIndex: int


class ToolCalls(TypedDict):
    """The names of the called tools in order, and where each call stands."""

    tools: list[str]
    toolCallInfos: list[ToolCallInfo]


class ToolResult(TypedDict):
    """What one tool call returned."""

    toolName: str
    toolCallId: str
    args: object
    result: object


def is_error(invocation: ToolCall | Mapping[str, Json]) -> bool:
    """Whether a tool call failed or never finished: the one rule that everything follows."""
    call = invocation if isinstance(invocation, ToolCall) else as_tool_call(invocation)
    return (
        call.state not in CLEAN_STATES
        or call.is_flagged
        or bool(call.error_text)
        or _result_error(call.result)
    )


def is_recorded_error(invocation: Mapping[str, Json]) -> bool:
    """Whether Mastra counts a tool call as failed; it lets pending and unknown states pass."""
    return (
        _state(invocation) in ("call", "output-error")
        or invocation.get("isError") is True
        or _result_error(invocation.get("result"))
    )


def _result_error(result: object) -> bool:
    return isinstance(result, Mapping) and is_truthy(result.get("error"))


def invocation_of(part: Json) -> Mapping[str, Json] | None:
    """The tool invocation that a message part holds, in whichever of its three shapes, or None."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(kind, str):
        return None
    if kind == "tool-invocation":
        inner = part.get("toolInvocation")
        return inner if isinstance(inner, Mapping) else None
    if kind == "dynamic-tool":
        return _from_interface(part, part.get("toolName"))
    if kind.startswith("tool-") and "state" in part and kind not in ("tool-call", "tool-result"):
        return _from_interface(part, kind.removeprefix("tool-"))
    return None


def _from_interface(part: Mapping[str, Json], name: Json) -> Mapping[str, Json]:
    invocation = {
        "toolName": name,
        "args": part.get("input"),
        "state": part.get("state"),
    }
    if "output" in part:
        invocation["result"] = part["output"]
    kept = {key: part[key] for key in ("toolCallId", "errorText", "isError") if key in part}
    return invocation | kept


def merge_tool_invocations(message: Json) -> list[Mapping[str, Json]]:
    """The tool invocations of a message, from its parts and its older list, parts winning."""
    parts = [each for each in map(invocation_of, parts_of(message)) if each is not None]
    legacy = [each for each in _legacy(message) if isinstance(each, Mapping)]
    if not legacy:
        return parts
    known = {_id(part) for part in parts} - {None}
    places = {_id(call): place for place, call in enumerate(legacy) if _id(call) in known}
    merged: list[Mapping[str, Json]] = []
    cursor = 0
    for part in parts:
        place = places.get(_id(part), -1)
        if place >= cursor:
            merged += [call for call in legacy[cursor:place] if _id(call) not in known]
            cursor = place + 1
        merged.append(part)
    return merged + [call for call in legacy[cursor:] if _id(call) not in known]


def _legacy(message: Json) -> list[Json]:
    for holder in (message.get("content"), message) if isinstance(message, Mapping) else ():
        calls = holder.get("toolInvocations") if isinstance(holder, Mapping) else None
        if isinstance(calls, list):
            return calls
    return []


def _id(invocation: Mapping[str, Json]) -> str | None:
    found = invocation.get("toolCallId")
    return found if isinstance(found, str) else None


def _state(invocation: Mapping[str, Json]) -> str:
    found = invocation.get("state")
    return found if isinstance(found, str) else "unknown"


def as_tool_call(invocation: Mapping[str, Json], message: int = 0, place: int = 0) -> ToolCall:
    """An invocation in the wire shape as a value; a missing id is made of its place."""
    name, state = invocation.get("toolName"), _state(invocation)
    error = invocation.get("errorText")
    return ToolCall(
        name=name if isinstance(name, str) else "",
        id=_id(invocation) or f"{message}-{place}",
        args=invocation.get("args"),
        result=invocation.get("result", ABSENT),
        state=state,
        error_text=error if isinstance(error, str) else None,
        is_flagged=invocation.get("isError") is True,
        was_made=state in MADE_STATES,
        message_index=message,
        invocation_index=place,
    )


def read_tool_calls(output: Json) -> tuple[ToolCall, ...]:
    """Every tool call of an output, once each, in the worse of the states it is told in."""
    messages = output if isinstance(output, list) else [output]
    found = invocations_by_message(messages)
    return tuple(
        call
        for index, (message, invocations) in enumerate(zip(messages, found, strict=True))
        for call in _joined_calls(message, invocations, index)
    )


def _joined_calls(
    message: Json, invocations: list[Mapping[str, Json]], index: int
) -> Iterator[ToolCall]:
    copies = _legacy(message) if invocations else []
    by_id = {_id(copy): copy for copy in copies if isinstance(copy, Mapping)}
    for place, invocation in enumerate(invocations):
        call = as_tool_call(invocation, index, place)
        copy = by_id.get(_id(invocation)) if _id(invocation) else None
        if copy is None or copy is invocation:
            yield call
        else:
            yield _worse(call, as_tool_call(copy, index, place))


def _worse(call: ToolCall, copy: ToolCall) -> ToolCall:
    worse, other = (copy, call) if _severity(copy) > _severity(call) else (call, copy)
    return replace(worse, name=worse.name or other.name, was_made=call.was_made or copy.was_made)


def _severity(call: ToolCall) -> int:
    if not is_error(call):
        return 0
    return 1 if call.state not in FAILED_STATES | CLEAN_STATES else 2


def extract_tool_calls(output: Json) -> ToolCalls:
    """The names of all tools called in an output, in order, and where each call stands."""
    infos: list[ToolCallInfo] = []
    for index, place, call in _invocations(output):
        name = call.get("toolName")
        if isinstance(name, str) and name and _state(call) in MADE_STATES:
            infos.append(
                {
                    "toolName": name,
                    "toolCallId": call.get("toolCallId") or f"{index}-{place}",
                    "messageIndex": index,
                    "invocationIndex": place,
                }
            )
    return {"tools": [info["toolName"] for info in infos], "toolCallInfos": infos}


def extract_tool_results(output: Json) -> list[ToolResult]:
    """What the finished tool calls of an output returned."""
    return [
        {
            "toolName": call.get("toolName") or "",
            "toolCallId": call.get("toolCallId") or "",
            "args": call.get("args") or {},
            "result": call["result"],
        }
        for _, _, call in _invocations(output)
        if _state(call) in CLEAN_STATES and "result" in call
    ]


def _invocations(output: Json) -> Iterator[tuple[int, int, Mapping[str, Json]]]:
    for index, found in enumerate(invocations_by_message(output)):
        for place, call in enumerate(found):
            yield index, place, call


def invocations_by_message(output: Json) -> list[list[Mapping[str, Json]]]:
    """The tool invocations of each message of an output, whichever system wrote it."""
    messages = output if isinstance(output, list) else ()
    told = foreign_results(messages)
    return [
        merge_tool_invocations(message) + foreign_invocations(message, told) for message in messages
    ]
