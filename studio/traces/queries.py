"""What the trace pages read: the filtered list, and one trace's spans as a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.traces.models import Source, Span, Status, Trace, TraceQuerySet

MAX_SPANS = 1000
DEEPEST = 12  # how far the page indents
FILTERS = ("q", "status", "agent", "source")


def filtered(project: Project, params: Mapping[str, Any]) -> TraceQuerySet:
    """The project's traces that a query string asks for; unknown values are ignored."""
    rows = Trace.objects.filter(project=project).for_list().defer("error")
    if params.get("status") in Status.values:
        rows = rows.filter(status=params["status"])
    if params.get("source") in Source.values:
        rows = rows.filter(source=params["source"])
    if agent := storable(params.get("agent")):
        rows = rows.filter(agent_version__agent__slug=agent)
    if text := storable(params.get("q")):
        rows = rows.filter(name__icontains=text)
    return rows


def storable(value: object) -> str:
    """A text from a query string that a database can be asked for."""
    return str(value or "").replace("\x00", "").strip()[:200]


@dataclass(frozen=True, slots=True)
class Choices:
    """What the list can be filtered by."""

    agents: list[tuple[str, str]]
    statuses: list[tuple[str, str]]
    sources: list[tuple[str, str]]


def choices(project: Project) -> Choices:
    """The filter's options."""
    agents = Agent.objects.filter(project=project).by_name().values_list("slug", "name")
    return Choices(list(agents), list(Status.choices), list(Source.choices))


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A span, and how deep in the tree it stands."""

    span: Span
    depth: int


def span_tree(spans: Iterable[Span]) -> list[SpanRow]:
    """Spans in the order of a walk through their tree; an unknown or circular parent is a root."""
    rows = sorted(spans, key=lambda span: (span.started_at, span.pk))
    ids = {span.span_id for span in rows}
    children: dict[str, list[Span]] = {}
    for span in rows:
        parent = span.parent_id if span.parent_id in ids else ""
        children.setdefault(parent, []).append(span)
    walked = list(walk(children, ""))
    seen = {row.span.pk for row in walked}
    return walked + [SpanRow(span, 0) for span in rows if span.pk not in seen]


def walk(children: Mapping[str, list[Span]], root: str) -> Iterable[SpanRow]:
    """Depth first, without recursion: a trace may be deeper than the stack."""
    waiting = [(span, 0) for span in reversed(children.get(root, []))]
    while waiting:
        span, depth = waiting.pop()
        yield SpanRow(span, min(depth, DEEPEST))
        below = children.get(span.span_id, []) if span.span_id else []
        waiting += [(child, depth + 1) for child in reversed(below)]


def spans_of(trace: Trace) -> tuple[list[SpanRow], bool]:
    """The trace's first spans as a tree, and whether there are more."""
    found = list(trace.spans.order_by("pk")[: MAX_SPANS + 1])
    return span_tree(found[:MAX_SPANS]), len(found) > MAX_SPANS
