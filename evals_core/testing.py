"""Messages, tool invocations and runs for tests: ours and those of people who use the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from evals_core.run import ABSENT, Run

_KEPT = ("toolCallId", "toolName", "args", "result", "state")


def create_tool_invocation(
    tool_name: str,
    *,
    tool_call_id: str | None = None,
    args: object = None,
    result: object = ABSENT,
    state: str = "result",
    error_text: str | None = None,
    is_error: bool | None = None,
) -> dict[str, object]:
    """A tool invocation in the wire shape."""
    given = {
        "toolCallId": tool_call_id or f"call-{tool_name}",
        "toolName": tool_name,
        "args": {} if args is None else args,
        "state": state,
        "result": result,
        "errorText": ABSENT if error_text is None else error_text,
        "isError": ABSENT if is_error is None else is_error,
    }
    return {key: value for key, value in given.items() if value is not ABSENT}


def create_test_message(
    content: str,
    *,
    role: str = "assistant",
    id: str = "test-message",
    tool_invocations: Iterable[Mapping[str, object]] = (),
    parts: Sequence[object] | None = None,
) -> dict[str, object]:
    """A message in the wire shape, its tool invocations in the older list."""
    body: dict[str, object] = {
        "format": 2,
        "parts": [{"type": "text", "text": content}] if parts is None else list(parts),
        "content": content,
    }
    calls = [{key: call[key] for key in _KEPT if key in call} for call in tool_invocations]
    if calls:
        body["toolInvocations"] = calls
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"id": id, "role": role, "content": body, "createdAt": now}


def create_agent_test_run(
    *,
    output: object,
    input_messages: Iterable[object] = (),
    remembered_messages: Iterable[object] = (),
    system_messages: Iterable[object] = (),
    tagged_system_messages: Mapping[str, object] | None = None,
    ground_truth: object = ABSENT,
    request_context: Mapping[str, object] | None = None,
    run_id: str | None = None,
) -> Run:
    """A run of an agent, its input made of the given messages."""
    return Run(
        input={
            "inputMessages": list(input_messages),
            "rememberedMessages": list(remembered_messages),
            "systemMessages": list(system_messages),
            "taggedSystemMessages": dict(tagged_system_messages or {}),
        },
        output=output,
        ground_truth=ground_truth,
        request_context=dict(request_context or {}),
        run_id=run_id or str(uuid4()),
    )


def create_test_run(
    input: str,
    output: str,
    *,
    ground_truth: object = ABSENT,
    request_context: Mapping[str, object] | None = None,
) -> Run:
    """A run of one question and one answer, both plain text."""
    return Run(
        input=[{"role": "user", "content": input}],
        output={"role": "assistant", "text": output},
        ground_truth=ground_truth,
        request_context=dict(request_context or {}),
    )


def make_run(
    text: str | None = None,
    *,
    question: str = "What is the weather in Brooklyn?",
    calls: Iterable[Mapping[str, object]] = (),
    ground_truth: object = ABSENT,
) -> Run:
    """A run in which the assistant made these calls and said this text, or nothing."""
    parts: list[object] = [{"type": "tool-invocation", "toolInvocation": call} for call in calls]
    if text is not None:
        parts.append({"type": "text", "text": text})
    answer = create_test_message(text or "", parts=parts, id="answer")
    asked = create_test_message(question, role="user", id="question")
    return create_agent_test_run(input_messages=[asked], output=[answer], ground_truth=ground_truth)
