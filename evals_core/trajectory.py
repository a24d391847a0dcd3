"""Trajectories: the tree of steps an agent took, taken from its messages or from its spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evals_core.run import ABSENT
from evals_core.tool_calls import (
    CLEAN_STATES,
    MADE_STATES,
    invocations_by_message,
    is_error,
)

Json = Any
TOOLS: Final = frozenset({"tool_call", "mcp_tool_call", "provider_tool_call"})


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One step: its name and type, and under `data` what its type tells, in the wire spelling."""

    name: str
    step_type: str | None = None
    data: Mapping[str, Json] = field(default_factory=dict)
    duration_ms: float | None = None
    metadata: Mapping[str, Json] | None = None
    children: tuple[TrajectoryStep, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """The step in the wire shape."""
        return _present(
            {
                "name": self.name,
                "durationMs": self.duration_ms,
                "metadata": self.metadata,
                "children": [child.as_json() for child in self.children] or None,
                "stepType": self.step_type,
            }
        ) | dict(self.data)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The steps of a run in order, with the time they took and the output they were taken from."""

    steps: tuple[TrajectoryStep, ...] = ()
    total_duration_ms: float | None = None
    raw_output: Json = ABSENT

    def as_json(self) -> dict[str, Json]:
        """The trajectory in the wire shape, without the raw output."""
        steps = [step.as_json() for step in self.steps]
        return {"steps": steps, **_present({"totalDurationMs": self.total_duration_ms})}


def _present(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}


def _object(value: Json) -> Json:
    """An object as it is, another value wrapped, None for none."""
    return value if value is None or isinstance(value, Mapping) else {"value": value}


def extract_trajectory(output: Json) -> Trajectory:
    """The tool calls of an output's messages as a trajectory."""
    steps = tuple(
        _step_of(invocation)
        for invocations in invocations_by_message(output)
        for invocation in invocations
        if _is_named(invocation) and _state(invocation) in MADE_STATES
    )
    return Trajectory(steps, raw_output=output)


def _state(invocation: Mapping[str, Json]) -> str:
    state = invocation.get("state")
    return state if isinstance(state, str) else ""


def _is_named(invocation: Mapping[str, Json]) -> bool:
    name = invocation.get("toolName")
    return isinstance(name, str) and bool(name)


def _step_of(invocation: Mapping[str, Json]) -> TrajectoryStep:
    result = invocation.get("result") if _state(invocation) in CLEAN_STATES else None
    data = _present({"toolArgs": _object(invocation.get("args")), "toolResult": _object(result)})
    data["success"] = not is_error(invocation)
    return TrajectoryStep(str(invocation["toolName"]), "tool_call", data)
