"""Leave out of a run what a scorer should not see, as its `prepare_run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evals_core.messages import parts_of
from evals_core.run import ABSENT, Run

Json = Any


def filter_run(
    *,
    part_types: Sequence[str] | None = None,
    tool_names: Sequence[str] | None = None,
    max_remembered_messages: int = 0,
    max_output_messages: int = 0,
    drop_request_context: bool = False,
    drop_expected_trajectory: bool = False,
    drop_ground_truth: bool = False,
) -> Callable[[Run], Run]:
    """Keep only messages with these parts or tools, and of them the newest; 0 keeps all.

    Types and names match by their beginning. Messages are kept or left out whole. An empty
    list of part types matches nothing, so that every message made of parts is left out.
    """

    def newest(messages: Json, limit: int) -> list[Json]:
        kept = [each for each in messages if _is_kept(each, part_types, tool_names)]
        return kept[-limit:] if limit > 0 else kept

    def prepare(run: Run) -> Run:
        given, output = run.input, run.output
        if isinstance(given, Mapping) and isinstance(given.get("rememberedMessages"), list):
            remembered = newest(given["rememberedMessages"], max_remembered_messages)
            given = {**given, "rememberedMessages": remembered}
        if isinstance(output, list):
            output = newest(output, max_output_messages)
        return replace(
            run,
            input=given,
            output=output,
            ground_truth=ABSENT if drop_ground_truth else run.ground_truth,
            request_context={} if drop_request_context else run.request_context,
            expected_trajectory=ABSENT if drop_expected_trajectory else run.expected_trajectory,
        )

    return prepare


def _is_kept(
    message: Json, part_types: Sequence[str] | None, tool_names: Sequence[str] | None
) -> bool:
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(content, Mapping) or not isinstance(content.get("parts"), list):
        return True
    parts = [part for part in parts_of(message) if isinstance(part, Mapping)]
    calls = [part for part in parts if part.get("type") == "tool-invocation"]
    if calls and tool_names is not None and not _any_begins(map(_tool_name, calls), tool_names):
        return False
    if part_types is None:
        return True
    return _any_begins((part.get("type") for part in parts), part_types)


def _tool_name(part: Mapping[str, Json]) -> Json:
    invocation = part.get("toolInvocation")
    return invocation.get("toolName") if isinstance(invocation, Mapping) else None


def _any_begins(texts: Any, beginnings: Sequence[str]) -> bool:
    wanted = tuple(beginnings)
    return any(isinstance(text, str) and text.startswith(wanted) for text in texts)
