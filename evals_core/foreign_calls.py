"""Read tool calls that other systems keep in shapes of their own, as invocations in ours.

A call stands in one message and its result in a later one, joined by the call's id:
OpenAI's `tool_calls` and role `tool`, Anthropic's `tool_use` and `tool_result` parts,
and the `tool-call` and `tool-result` parts of model messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evals_core.messages import Json, parts_of
from evals_core.text import parse_json

CALL_TYPES: Final = ("tool-call", "tool_use")
RESULT_TYPES: Final = ("tool-result", "tool_result")


def foreign_results(messages: Sequence[Json]) -> dict[str, dict[str, Json]]:
    """What later messages tell about earlier calls, by the call's id."""
    told: dict[str, dict[str, Json]] = {}
    for message in messages:
        if not isinstance(message, Mapping):
            continue
        if message.get("role") == "tool":
            _tell(told, message.get("tool_call_id"), {"result": message.get("content")})
        for part in parts_of(message):
            if isinstance(part, Mapping) and part.get("type") in RESULT_TYPES:
                _tell(told, part.get("toolCallId", part.get("tool_use_id")), _result_of(part))
    return told


def _tell(told: dict[str, dict[str, Json]], id_: Json, result: dict[str, Json]) -> None:
    if isinstance(id_, str) and id_:
        told[id_] = {"state": "result", **result}


def _result_of(part: Mapping[str, Json]) -> dict[str, Json]:
    output = next((part[key] for key in ("output", "result", "content") if key in part), None)
    is_error = part.get("isError") is True or part.get("is_error") is True
    if isinstance(output, Mapping) and "value" in output and isinstance(output.get("type"), str):
        is_error = is_error or output["type"].startswith("error")
        output = output["value"]
    return {"result": output, "isError": is_error}


def foreign_invocations(message: Json, told: Mapping[str, dict[str, Json]]) -> list[Json]:
    """The calls of one message, each with what later messages tell about it."""
    if not isinstance(message, Mapping):
        return []
    listed = message.get("tool_calls")
    calls = [_from_openai(call) for call in (listed if isinstance(listed, list) else ())]
    calls += [
        _from_part(part)
        for part in parts_of(message)
        if isinstance(part, Mapping) and part.get("type") in CALL_TYPES
    ]
    found: list[Json] = []
    for call in calls:
        id_ = call.get("toolCallId")
        found.append({**call, **(told.get(id_, {}) if isinstance(id_, str) else {})})
    return found


def _from_openai(call: Json) -> dict[str, Json]:
    call = call if isinstance(call, Mapping) else {}
    function = call.get("function")
    named = function if isinstance(function, Mapping) else call
    name, args = named.get("name"), named.get("arguments")
    return {"toolCallId": call.get("id"), "toolName": name, "args": _read(args), "state": "call"}


def _from_part(part: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "toolCallId": part.get("toolCallId", part.get("id")),
        "toolName": part.get("toolName", part.get("name")),
        "args": _read(part.get("input", part.get("args"))),
        "state": "call",
    }


def _read(args: Json) -> Json:
    if not isinstance(args, str):
        return args
    try:
        return parse_json(args)
    except ValueError:  # arguments that are not JSON are kept as they came
        return args
