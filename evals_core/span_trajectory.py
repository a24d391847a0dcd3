"""Trajectories taken from the spans of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from evals_core.trajectory import TOOLS, Trajectory, TrajectoryStep

Span = Mapping[str, Any]
RUNS: Final = frozenset({"agent_run", "workflow_run"})

# What each type of step tells of itself, beside what tools and models tell.
TOLD: Final[Mapping[str, tuple[str, ...]]] = {
    "workflow_step": ("status",),
    "workflow_run": ("status",),
    "workflow_conditional": ("conditionCount", "selectedSteps"),
    "workflow_parallel": ("branchCount", "parallelSteps"),
    "workflow_loop": ("loopType", "totalIterations"),
    "workflow_sleep": ("durationMs", "sleepDurationMs", "sleepType"),
    "workflow_wait_event": ("eventName", "eventReceived"),
    "processor_run": ("processorId",),
}
KNOWN: Final = TOOLS | RUNS | TOLD.keys() | {"model_generation"}


class UnknownRoot(ValueError):
    """The trace has no span of the id that is to be the root."""


def extract_trajectory_from_trace(
    spans: Sequence[Span], root_span_id: str | None = None
) -> Trajectory:
    """The trajectory of a trace; of what is below one span where its id is given."""
    tree = _Tree(spans)
    roots = tree.roots
    if root_span_id is not None:
        if root_span_id not in tree.by_id:
            raise UnknownRoot(f"the trace has no span {root_span_id}")
        roots = [tree.by_id[root_span_id]]
    duration = _duration(roots[0]) if len(roots) == 1 else None
    if len(roots) == 1 and roots[0].get("spanType") in RUNS:
        return Trajectory(tree.steps_of(tree.children_of(roots[0])), duration)
    return Trajectory(tree.steps_of(roots), duration)


class _Tree:
    """The spans by parent; one whose parent is missing, or above itself, is a root."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.by_id = {span.get("spanId"): span for span in spans}
        self.children: dict[Any, list[Span]] = {}
        self.roots: list[Span] = []
        for span in sorted(spans, key=_started):
            if self._is_root(span):
                self.roots.append(span)
            else:
                self.children.setdefault(span.get("parentSpanId"), []).append(span)

    def _is_root(self, span: Span) -> bool:
        """Whether nothing is above; in a cycle, its smallest id is taken as the root."""
        seen = {span.get("spanId")}
        parent = self.by_id.get(span.get("parentSpanId"))
        if parent is None:
            return True
        while parent is not None:
            if parent.get("spanId") == span.get("spanId"):
                return span.get("spanId") == min(map(str, seen))
            if parent.get("spanId") in seen:
                return False  # a cycle further up, of which this span is no part
            seen.add(parent.get("spanId"))
            parent = self.by_id.get(parent.get("parentSpanId"))
        return False

    def children_of(self, span: Span) -> list[Span]:
        return self.children.get(span.get("spanId"), [])

    def steps_of(self, spans: Iterable[Span]) -> tuple[TrajectoryStep, ...]:
        """The spans as steps; an unknown type gives way to its children."""
        made: list[TrajectoryStep] = []
        # Deep traces must not exhaust the stack: each entry is (span, where its steps go).
        waiting = [(span, made) for span in reversed(list(spans))]
        finished: list[tuple[Span, list[TrajectoryStep], list[TrajectoryStep], int]] = []
        while waiting:
            span, target = waiting.pop()
            inner = target
            if span.get("spanType") in KNOWN:
                inner = []
                target.append(_step(span, ()))
                finished.append((span, inner, target, len(target) - 1))
            waiting += [(child, inner) for child in reversed(self.children_of(span))]
        for span, inner, target, place in reversed(finished):
            target[place] = _step(span, tuple(inner))
        return tuple(made)


def _started(span: Span) -> str:
    return str(span.get("startedAt") or "")


def _duration(span: Span) -> float | None:
    start, end = _time(span.get("startedAt")), _time(span.get("endedAt"))
    return None if start is None or end is None else (end - start).total_seconds() * 1000


def _time(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def _object(value: Any) -> Any:
    return value if value is None or isinstance(value, Mapping) else {"value": value}


def _step(span: Span, children: tuple[TrajectoryStep, ...]) -> TrajectoryStep:
    data = {name: value for name, value in _data(span).items() if value is not None}
    return TrajectoryStep(
        _name(span),
        span.get("spanType"),
        data,
        _duration(span),
        span.get("metadata"),
        children,
    )


def _name(span: Span) -> str:
    name = str(span.get("name") or "")
    if span.get("spanType") not in TOOLS:
        return name
    given = (span.get("entityId"), span.get("entityName"))
    return next((str(each) for each in given if each is not None), name)


def _data(span: Span) -> dict[str, Any]:
    attributes = span.get("attributes")
    told = attributes if isinstance(attributes, Mapping) else {}
    kind = str(span.get("spanType"))
    data = {name: told.get(name) for name in TOLD.get(kind, ())}
    if kind in TOOLS:
        data |= _tool_data(span, told, kind)
    elif kind == "model_generation":
        data |= _model_data(told)
    elif kind == "agent_run":
        data["agentId"] = span.get("entityId")
    elif kind == "workflow_run":
        data["workflowId"] = span.get("entityId")
    elif kind == "workflow_step":
        data |= {"stepId": span.get("name"), "output": _object(span.get("output"))}
    return data


def _tool_data(span: Span, told: Mapping[str, Any], kind: str) -> dict[str, Any]:
    success = told.get("success") if isinstance(told.get("success"), bool) else None
    data = {
        "toolArgs": _object(span.get("input")),
        "toolResult": _object(span.get("output")),
        "success": False if span.get("error") else success,
    }
    server = told.get("mcpServer")
    if kind == "mcp_tool_call" and isinstance(server, str):
        data["mcpServer"] = server
    return data


def _model_data(told: Mapping[str, Any]) -> dict[str, Any]:
    usage = told.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    texts = {"modelId": told.get("model"), "finishReason": told.get("finishReason")}
    return {name: text for name, text in texts.items() if isinstance(text, str)} | {
        "promptTokens": counts.get("inputTokens"),
        "completionTokens": counts.get("outputTokens"),
    }
