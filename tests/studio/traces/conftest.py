"""Traces that the tests of traces share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

import evals_core
from studio.accounts.models import Project
from studio.traces.models import Source, Trace
from studio.traces.record import rows_for_run

Make = Callable[..., Trace]
START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    """A message in the wire shape."""
    content = {"format": 2, "parts": list(parts)}
    return {"id": "m", "role": role, "content": content, "createdAt": "2026-05-04T12:00:00Z"}


def text(said: str) -> dict[str, Any]:
    """A part that is text."""
    return {"type": "text", "text": said}


def tool(name: str, state: str = "result", **fields: Any) -> dict[str, Any]:
    """A part that is a tool call."""
    call = {"toolCallId": f"id-{name}", "toolName": name, "args": {"city": "Oslo"}, "state": state}
    return {"type": "tool-invocation", "toolInvocation": call | fields}


def weather_run(**changes: Any) -> evals_core.Run:
    """A run with reasoning, two tool calls of which one failed, and an answer."""
    given: dict[str, Any] = {
        "input": {
            "inputMessages": [message("user", text("What is the weather in Oslo?"))],
            "rememberedMessages": [message("assistant", text("Hello."))],
            "systemMessages": [{"role": "system", "content": "Be brief."}],
            "taggedSystemMessages": {},
        },
        "output": [
            message(
                "assistant",
                {"type": "reasoning", "reasoning": "I look it up."},
                tool("get_weather", "output-error", errorText="no answer"),
                tool("get_forecast", result={"condition": "snowy"}),
                text("It is snowy in Oslo."),
            )
        ],
    }
    return evals_core.Run(**given | changes)


@pytest.fixture
def make_trace(project: Project) -> Make:
    """Stores a run as a trace."""

    def make(run: evals_core.Run | None = None, **columns: Any) -> Trace:
        given: dict[str, Any] = {
            "trace_id": uuid4().hex, "name": "Weather", "agent_version": None,
            "source": Source.EXPERIMENT, "started_at": START, "duration_ms": 12.5,
        }  # fmt: skip
        owner = columns.pop("project", project)
        trace, spans = rows_for_run(owner, run or weather_run(), **given | columns)
        trace.save()
        for span in spans:
            span.trace_id = trace.pk
            span.save()
        return Trace.objects.get(pk=trace.pk)

    return make
