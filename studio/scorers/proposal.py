"""A dataset item proposed from a recorded run, so that it can be run again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import evals_core
from evals_core import messages, tool_calls
from studio.datasets.save import ItemDraft
from studio.scorers.models import Score
from studio.traces.models import Status, Trace


def proposal_of(score: Score) -> ItemDraft:
    """The item that a score's run suggests."""
    return proposal_from(
        score.trace,
        source={"type": "score", "reference": str(score.pk), "scorer": score.scorer.slug},
        source_key=f"score:{score.pk}",
    )


def proposal_from(trace: Trace, *, source: Mapping[str, Any], source_key: str) -> ItemDraft:
    """The item that a run suggests: what it was asked, what it answered, which tools it called."""
    calls = [call for call in tool_calls.read_tool_calls(trace.output) if call.was_made]
    return ItemDraft(
        input=asked_of(trace.input),
        ground_truth=answer_of(trace.output) if succeeded(trace) else evals_core.ABSENT,
        expected_trajectory={"steps": [step_of(call) for call in calls]} if calls else None,
        tool_mocks=[mock_of(call) for call in calls if not tool_calls.is_error(call)],
        request_context=dict(trace.request_context),
        source=dict(source),
        source_key=source_key,
    )


def succeeded(trace: Trace) -> bool:
    """Whether the run ended well, so that its answer may serve as an example."""
    return trace.status != Status.ERROR and trace.output is not None


def asked_of(value: Any) -> Any:
    """Exactly what the target received as user input: a single plain message as its text."""
    listed = value.get("inputMessages") if isinstance(value, Mapping) else None
    if not isinstance(listed, list):
        return value
    if len(listed) == 1 and is_plain(listed[0]):
        return messages.message_text(listed[0])
    return listed


def is_plain(message: Any) -> bool:
    """Whether a message is the user's and holds nothing but text."""
    if not isinstance(message, Mapping) or message.get("role") != "user":
        return False
    parts = messages.parts_of(message)
    return all(isinstance(part, Mapping) and part.get("type") == "text" for part in parts)


def answer_of(output: Any) -> Any:
    """The last words of a conversation, or any other output as it is."""
    is_talk = isinstance(output, list) and all(
        isinstance(each, Mapping) and "role" in each for each in output
    )
    return (messages.get_assistant_message(output) or "") if is_talk else output


def step_of(call: tool_calls.ToolCall) -> dict[str, Any]:
    """A tool call as a step that is expected again."""
    step: dict[str, Any] = {"stepType": "tool_call", "name": call.name}
    if isinstance(call.args, Mapping) and call.args:
        step["toolArgs"] = dict(call.args)
    return step


def mock_of(call: tool_calls.ToolCall) -> dict[str, Any]:
    """A tool call as a mock that answers the same."""
    output = None if call.result is evals_core.ABSENT else call.result
    mock = {"toolName": call.name, "args": {} if call.args is None else call.args, "output": output}
    # Another agent is asked in its own words each time.
    return mock | {"matchArgs": "ignore"} if call.name.startswith("agent-") else mock
