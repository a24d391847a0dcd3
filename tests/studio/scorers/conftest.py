"""A scorer of Ada's, an agent, and scores to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from studio.accounts.models import Project
from studio.agents.models import Agent, AgentVersion
from studio.scorers.models import Score, Scorer
from studio.scorers.save import save_check
from studio.traces.models import Trace

MakeScore = Callable[..., Score]


@pytest.fixture
def sunny(project: Project) -> Scorer:
    """A check for the word sunny."""
    return save_check(project, "check-includes", {"expected": "sunny"}, name="Says sunny")


@pytest.fixture
def weather(project: Project) -> Agent:
    """An agent that knows the weather."""
    agent = Agent.objects.create(project=project, slug="weather", name="Weather", kind="python")
    version = AgentVersion.objects.create(agent=agent, number=1, hash="a" * 64)
    agent.version = version
    agent.save()
    return agent


def message(role: str, text: str, **invocation: Any) -> dict[str, Any]:
    """A message in the wire shape, with one tool call if given."""
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if invocation:
        parts.insert(0, {"type": "tool-invocation", "toolInvocation": invocation})
    return {"id": uuid4().hex, "role": role, "content": {"format": 2, "parts": parts}}


@pytest.fixture
def make_trace(project: Project, weather: Agent) -> Callable[..., Trace]:
    """Makes traces of the weather agent."""

    def make(asked: str = "How is Oslo?", said: str = "It is sunny.", **more: Any) -> Trace:
        call = {"toolCallId": "1", "toolName": "forecast", "args": {"city": "Oslo"},
                "state": "result", "result": {"sky": "clear"}}  # fmt: skip
        values: dict[str, Any] = {
            "input": {"inputMessages": [message("user", asked)]},
            "output": [message("assistant", said, **call)],
            "input_preview": asked,
            "output_preview": said,
            "status": "ok",
        }
        return Trace.objects.create(
            project=project, trace_id=uuid4().hex, agent_version=weather.version,
            source="experiment", name="Weather", started_at=timezone.now(), **values | more,
        )  # fmt: skip

    return make


@pytest.fixture
def make_score(sunny: Scorer, weather: Agent, make_trace: Callable[..., Trace]) -> MakeScore:
    """Makes scores of the sunny check, each on a trace of its own."""

    def make(value: float | None = 1.0, *, trace: Trace | None = None, **more: Any) -> Score:
        values: dict[str, Any] = {
            "outcome": "scored" if value is not None else "error",
            "agent": weather,
            "source": "experiment",
            "scorer": sunny,
            "scorer_version": sunny.version,
        }
        trace = trace or make_trace()
        return Score.objects.create(
            project_id=trace.project_id, trace=trace, value=value, **values | more
        )

    return make
