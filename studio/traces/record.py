"""A run as the rows of a trace: unsaved, so that many are written at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import evals_core
from evals_core import messages, tool_calls
from studio.accounts.models import Project
from studio.agents.models import AgentVersion
from studio.traces.models import PREVIEW_LENGTH, Span, Status, Trace
from studio.traces.storable import Keeper
from studio.web.text import clean, preview

RUN_KEY = "studio.run"  # what a run says beside its messages, kept among a trace's metadata
ROOT = "0000000000000001"
LONGEST_ERROR = 20_000
MAX_COUNT = 2**63 - 1
MAX_COST = Decimal(10**8)


def rows_for_run(
    project: Project,
    run: evals_core.Run,
    *,
    trace_id: str,
    name: str,
    agent_version: AgentVersion | None,
    source: str,
    started_at: datetime,
    duration_ms: float | None,
    error: str = "",
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    cost: float | Decimal | None = None,
) -> tuple[Trace, list[Span]]:
    """The trace of a run and its spans: the agent, and each of its tool calls."""
    keeper = Keeper()
    trace = Trace(
        project=project,
        trace_id=trace_id,
        name=clean(name)[:200],
        agent_version=agent_version,
        source=source,
        started_at=started_at,
        duration_ms=None if duration_ms is None else max(0.0, duration_ms),
        status=Status.ERROR if error else Status.OK,
        error=clean(error)[:LONGEST_ERROR],
        input=keeper.keep(run.input),
        output=keeper.keep(run.output),
        request_context=keeper.keep(dict(run.request_context)),
        metadata=keeper.keep(dict(run.metadata) | {RUN_KEY: beside(run)}),
        input_tokens=counted(input_tokens),
        output_tokens=counted(output_tokens),
        cost=money(cost),
    )
    trace.input_preview = said(messages.get_user_message(trace.input), trace.input)
    trace.output_preview = said(messages.get_assistant_message(trace.output), trace.output)
    spans = [root_span(trace), *call_spans(trace)]
    trace.sanitized, trace.truncated = keeper.sanitized, keeper.truncated
    return trace, spans


def beside(run: evals_core.Run) -> dict[str, Any]:
    """What was expected of a run and how it is called; what was never given is not there."""
    kept: dict[str, Any] = {"id": run.run_id, "tags": list(run.tags)}
    if run.ground_truth is not evals_core.ABSENT:
        kept["ground_truth"] = run.ground_truth
    if run.expected_trajectory is not evals_core.ABSENT:
        kept["expected_trajectory"] = run.expected_trajectory
    return kept


def root_span(trace: Trace) -> Span:
    """The agent's own span; its input and output are the trace's."""
    return Span(
        trace=trace,
        span_id=ROOT,
        kind="agent_run",
        name=trace.name,
        started_at=trace.started_at,
        duration_ms=trace.duration_ms,
        status=trace.status,
        error=trace.error,
    )


def call_spans(trace: Trace) -> Iterable[Span]:
    """A span for each tool call of the output, in order."""
    for place, call in enumerate(tool_calls.read_tool_calls(trace.output), start=2):
        yield Span(
            trace=trace,
            span_id=f"{place:016x}",
            parent_id=ROOT,
            kind="tool_call",
            name=(call.name or "unnamed tool")[:200],
            started_at=trace.started_at,
            status=call_status(call),
            error=call_error(call)[:LONGEST_ERROR],
            attributes={"tool_call_id": call.id, "state": call.state},
            input=call.args,
            output=None if call.result is evals_core.ABSENT else call.result,
        )


def call_status(call: tool_calls.ToolCall) -> str:
    """How a tool call ended; one that nobody answered has not."""
    if not tool_calls.is_error(call):
        return Status.OK
    return Status.ERROR if call_error(call) or call.is_flagged else Status.UNSET


def call_error(call: tool_calls.ToolCall) -> str:
    """The words of a failed tool call."""
    if call.error_text:
        return call.error_text
    inner = call.result.get("error") if isinstance(call.result, Mapping) else None
    if inner and tool_calls.is_error(call):
        return preview(inner, LONGEST_ERROR)
    return f"The call ended as {call.state}." if call.state in tool_calls.FAILED_STATES else ""


def said(text: str | None, value: object) -> str:
    """What a list shows of an input or output."""
    return "" if value is None else preview(value if text is None else text, PREVIEW_LENGTH)


def counted(value: int | None) -> int | None:
    """A count that the column holds."""
    return value if value is not None and 0 <= value <= MAX_COUNT else None


def money(value: float | Decimal | None) -> Decimal | None:
    """A cost that the column holds."""
    if value is None:
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return round(amount, 8) if amount.is_finite() and abs(amount) < MAX_COST else None
