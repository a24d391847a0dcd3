"""The steps of a scorer: preprocess, analyze, generate score, generate reason, in any order."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from evals_core.run import ABSENT, Run

# What a step or a target may raise at the cost of itself only; sys.exit() is one of them.
FAILURES: Final = (Exception, SystemExit)


def is_being_stopped(error: BaseException) -> bool:
    """Whether it was asked from outside to stop; a step may also cancel only itself."""
    task = asyncio.current_task() if isinstance(error, asyncio.CancelledError) else None
    return task is not None and task.cancelling() > 0


class StepName(StrEnum):
    """What a step is for; a scorer may have each of them any number of times."""

    PREPROCESS = "preprocess"
    ANALYZE = "analyze"
    GENERATE_SCORE = "generate_score"
    GENERATE_REASON = "generate_reason"


@dataclass(frozen=True, slots=True)
class NotScorable:
    """What a step returns to say that this run cannot be scored, and why."""

    reason: str | None = None


def not_scorable(reason: str | None = None) -> NotScorable:
    """End the scoring without a score, because there is nothing to judge."""
    return NotScorable(reason)


@dataclass(frozen=True, slots=True)
class Said:
    """A score with its reason and label, where the step gave them together."""

    value: float
    reason: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step is given: the run, what earlier steps returned, and the score once there is one.

    `judge` and `scale` are the scorer's own, for steps that ask a model.
    """

    run: Run
    results: Mapping[str, Any] = field(default_factory=dict)
    score: Any = ABSENT
    judge: object = None
    scale: tuple[float, float] = (0.0, 1.0)

    @property
    def preprocessed(self) -> Any:
        """What the preprocess step returned, or None."""
        return self.results.get(StepName.PREPROCESS)

    @property
    def analyzed(self) -> Any:
        """What the analyze step returned, or None."""
        return self.results.get(StepName.ANALYZE)


@dataclass(frozen=True, slots=True)
class Asked:
    """The result of a step that asked a model, with what was said."""

    result: object
    prompt: str
    executions: tuple[Mapping[str, object], ...] = ()


class AskFailed(Exception):
    """A step that asked a model got nothing usable; carries what was said until then."""

    def __init__(
        self,
        message: str,
        *,
        kind: str = "judge_failed",
        prompt: str = "",
        executions: tuple[Mapping[str, object], ...] = (),
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.prompt = prompt
        self.executions = executions


@runtime_checkable
class AskingStep(Protocol):
    """A step that asks a model instead of computing."""

    async def ask(self, step: StepName, context: StepContext) -> Asked:
        """Ask, and read the answer."""
        ...

    def definition(self) -> Mapping[str, object]:
        """The step as JSON, for the scorer's version."""
        ...


StepFunction: TypeAlias = Callable[[StepContext], Any]
Step: TypeAlias = tuple[StepName, "StepFunction | AskingStep"]
Reader: TypeAlias = Callable[[object], Said | NotScorable]
Caller: TypeAlias = Callable[[StepFunction, StepContext], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class StepFailure:
    """Which step failed, and with what."""

    step: StepName
    error: Exception | SystemExit


@dataclass(slots=True)
class PipelineResult:
    """How far the steps came: every result so far, and why they stopped if they did."""

    run: Run
    results: dict[str, Any] = field(default_factory=dict)
    completed: list[StepName] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)
    executions: dict[str, list[Mapping[str, object]]] = field(default_factory=dict)
    said: Said | None = None  # the score as it was read, where a reader was given
    not_scorable: NotScorable | None = None
    stopped_at: StepName | None = None
    failure: StepFailure | None = None

    @property
    def score(self) -> Any:
        """What generate_score returned, or ABSENT."""
        return self.results.get(StepName.GENERATE_SCORE, ABSENT)


class MissingGenerateScore(Exception):
    """The scorer has no generate_score step, so it can never score."""


async def call_directly(function: StepFunction, context: StepContext) -> object:
    """Call a step function, and wait for it if it must be waited for."""
    value = function(context)
    return await value if inspect.isawaitable(value) else value


async def run_pipeline(
    steps: tuple[Step, ...],
    run: Run,
    *,
    judge: object = None,
    scale: tuple[float, float] = (0.0, 1.0),
    read_score: Reader | None = None,
    call: Caller = call_directly,
) -> PipelineResult:
    """Run the steps in their order; a failing step ends them and is part of the result."""
    if not any(name is StepName.GENERATE_SCORE for name, _ in steps):
        raise MissingGenerateScore("a scorer needs a generate_score step")
    done = PipelineResult(run)
    context = StepContext(run, done.results, judge=judge, scale=scale)
    for name, step in steps:
        try:
            value = await _perform(name, step, context, done, call)
            if read_score is not None and name is StepName.GENERATE_SCORE:
                value = read_score(value)
        except FAILURES as error:
            # A step that fails at a repetition has no result, whatever came of it before.
            done.results.pop(name.value, None)
            done.completed = [each for each in done.completed if each is not name]
            done.failure = StepFailure(name, error)
            return done
        if isinstance(value, NotScorable):
            done.not_scorable, done.stopped_at = value, name
            return done
        if isinstance(value, Said):
            done.said, value = value, value.value
        done.results[name.value] = value
        done.completed.append(name)
        if name is StepName.GENERATE_SCORE:
            context = replace(context, score=value)
    return done


async def _perform(
    name: StepName,
    step: StepFunction | AskingStep,
    context: StepContext,
    done: PipelineResult,
    call: Caller,
) -> object:
    if inspect.isfunction(step) or not isinstance(step, AskingStep):
        if call is not call_directly:
            return await call(step, context)
        value = step(context)
        # Quicker than inspect.isawaitable, for steps that run many thousand times a second.
        return await value if hasattr(value, "__await__") else value
    try:
        asked = await step.ask(name, context)
    except AskFailed as error:
        _note(done, name, error.prompt, error.executions)
        raise
    _note(done, name, asked.prompt, asked.executions)
    return asked.result


def _note(
    done: PipelineResult,
    name: StepName,
    prompt: str,
    executions: tuple[Mapping[str, object], ...],
) -> None:
    if prompt:
        done.prompts[name.value] = prompt
    if executions:
        done.executions.setdefault(name.value, []).extend(executions)
