"""Scorers: what they are, how they are made, and how one scores a run."""

from __future__ import annotations

import inspect
from asyncio import CancelledError
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import perf_counter
from typing import Any, Literal, TypeAlias

from evals_core.fingerprint import describe, fingerprint
from evals_core.run import Run
from evals_core.score import BadScore, Outcome, Score, ScoreError, read_score
from evals_core.steps import (
    FAILURES,
    AskFailed,
    AskingStep,
    Caller,
    MissingGenerateScore,
    NotScorable,
    PipelineResult,
    Step,
    StepContext,
    StepFunction,
    StepName,
    call_directly,
    is_being_stopped,
    not_scorable,
    run_pipeline,
)
from evals_core.trajectory import Trajectory, extract_trajectory

__all__ = [
    "Direction",
    "NotScorable",
    "Outcome",
    "Score",
    "ScoreError",
    "Scorer",
    "StepContext",
    "Subject",
    "create_scorer",
    "not_scorable",
    "run_pipeline",
    "score_run",
    "scorer",
]

Direction: TypeAlias = Literal["higher", "lower"]
AnyStep: TypeAlias = StepFunction | AskingStep


class Subject(StrEnum):
    """What a scorer reads: the run as it is, or the trajectory taken from it."""

    RUN = "run"
    TRAJECTORY = "trajectory"


@dataclass(frozen=True, slots=True)
class Scorer:
    """Judges a run in steps; every builder method returns a new scorer and leaves this one.

    `spec` is the definition as JSON from which the scorer can be built again; where it is
    empty the steps themselves make the version. `is_quick` says that the steps neither wait
    nor compute long, so that they never need a thread of their own.
    """

    id: str
    kind: str
    name: str
    description: str = ""
    subject: Subject = Subject.RUN
    direction: Direction = "higher"
    scale_min: float = 0.0
    scale_max: float = 1.0
    spec: Mapping[str, object] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    judge: Any = None
    prepare_run: Callable[[Run], Any] | None = None
    is_quick: bool = False

    def preprocess(self, step: AnyStep) -> Scorer:
        """Add a step that takes what matters out of the run."""
        return self._with(StepName.PREPROCESS, step)

    def analyze(self, step: AnyStep) -> Scorer:
        """Add a step that examines what was prepared."""
        return self._with(StepName.ANALYZE, step)

    def generate_score(self, step: AnyStep) -> Scorer:
        """Add the step that says the score."""
        return self._with(StepName.GENERATE_SCORE, step)

    def generate_reason(self, step: AnyStep) -> Scorer:
        """Add a step that says the reason in words."""
        return self._with(StepName.GENERATE_REASON, step)

    def _with(self, name: StepName, step: AnyStep) -> Scorer:
        return replace(self, steps=(*self.steps, (name, step)))

    @property
    def only_computes(self) -> bool:
        """Whether no step asks a model or has to wait."""
        functions = [step for _, step in self.steps]
        return not any(inspect.iscoroutinefunction(each) for each in functions) and not any(
            isinstance(each, AskingStep) for each in functions if not inspect.isfunction(each)
        )

    @property
    def version(self) -> str:
        """A hash of the definition: the same definition has the same version everywhere."""
        return fingerprint(self.definition())

    def definition(self) -> dict[str, object]:
        """Everything that decides what the scorer says, as JSON."""
        steps = describe(self.spec) if self.spec else describe(self.steps)
        return {
            "id": self.id,
            "kind": self.kind,
            "subject": self.subject,
            "direction": self.direction,
            "scale": [float(self.scale_min), float(self.scale_max)],
            "steps": steps,
            "prepare_run": describe(self.prepare_run),
            "judge": describe(self.judge),
        }


def create_scorer(
    id: str,
    *,
    kind: str | None = None,
    name: str | None = None,
    description: str = "",
    subject: Subject = Subject.RUN,
    direction: Direction = "higher",
    scale_min: float = 0.0,
    scale_max: float = 1.0,
    spec: Mapping[str, object] | None = None,
    judge: object = None,
    prepare_run: Callable[[Run], Any] | None = None,
    is_quick: bool = False,
    preprocess: AnyStep | None = None,
    analyze: AnyStep | None = None,
    generate_score: AnyStep | None = None,
    generate_reason: AnyStep | None = None,
) -> Scorer:
    """Make a scorer, of steps given here or added afterwards."""
    given_id: object = id
    if not isinstance(given_id, str) or not given_id.strip():
        raise ValueError("a scorer needs an id")
    given = (preprocess, analyze, generate_score, generate_reason)
    steps = zip(StepName, given, strict=True)
    return Scorer(
        id=id,
        kind=kind or id,
        name=name or id,
        description=description,
        subject=subject,
        direction=direction,
        scale_min=scale_min,
        scale_max=scale_max,
        spec=spec or {},
        steps=tuple((step_name, step) for step_name, step in steps if step is not None),
        judge=judge,
        prepare_run=prepare_run,
        is_quick=is_quick,
    )


def scorer(
    id: str,
    **options: Any,
) -> Callable[[Callable[[Run], Any]], Scorer]:
    """Make a scorer of a function of the run; its docstring becomes the description."""

    def make(function: Callable[[Run], Any]) -> Scorer:
        described = {"description": (function.__doc__ or "").strip()} | options
        return create_scorer(id, **described).generate_score(_OfRun(function))

    return make


@dataclass(frozen=True, slots=True)
class _OfRun:
    """A function of the run as a step."""

    function: Callable[[Run], Any]

    def __call__(self, context: StepContext) -> Any:
        return self.function(context.run)

    def definition(self) -> object:
        """The function's definition."""
        return describe(self.function)


async def score_run(
    scorer: Scorer,
    run: Run,
    *,
    trajectory: Trajectory | None = None,
    call: Caller = call_directly,
) -> Score:
    """Score a run; whatever goes wrong becomes an error of the score, never an exception.

    A scorer of trajectories is given the trajectory, or the one that the messages tell of.
    """
    started = perf_counter()
    try:
        if scorer.subject is Subject.TRAJECTORY and not isinstance(run.output, Trajectory):
            run = replace(run, output=trajectory or extract_trajectory(run.output))
        if scorer.prepare_run is not None:
            prepared = scorer.prepare_run(run)
            run = await prepared if inspect.isawaitable(prepared) else prepared
        done = await run_pipeline(
            scorer.steps,
            run,
            judge=scorer.judge,
            scale=(scorer.scale_min, scorer.scale_max),
            read_score=read_score,
            call=call,
        )
    except (*FAILURES, CancelledError) as error:
        if is_being_stopped(error):
            raise
        kind = "no_score_step" if isinstance(error, MissingGenerateScore) else "scorer_failed"
        return Score(
            scorer.id,
            Outcome.ERROR,
            error=ScoreError(kind, explain(error)),
            duration_ms=_since(started),
        )
    return _as_score(scorer, done, _since(started))


def _since(started: float) -> float:
    return (perf_counter() - started) * 1000


def explain(error: BaseException) -> str:
    """The message of an exception, or its name where it has no message."""
    return str(error) or type(error).__name__


def _as_score(scorer: Scorer, done: PipelineResult, duration_ms: float) -> Score:
    said, outcome = done.said, _outcome(done)
    return Score(
        scorer.id,
        outcome,
        value=said.value if said and outcome is Outcome.SCORED else None,
        reason=_reason(done),
        label=said.label if said else None,
        error=_error(done),
        steps=done.results,
        prompts=done.prompts,
        judge=done.executions,
        duration_ms=duration_ms,
    )


def _outcome(done: PipelineResult) -> Outcome:
    if done.failure is not None:
        return Outcome.ERROR
    return Outcome.SCORED if done.not_scorable is None else Outcome.NOT_SCORABLE


def _reason(done: PipelineResult) -> str | None:
    if done.not_scorable is not None:
        return done.not_scorable.reason
    reason = done.results.get(StepName.GENERATE_REASON.value)
    if reason is None:
        return done.said.reason if done.said else None
    return reason if isinstance(reason, str) else str(reason)


def _error(done: PipelineResult) -> ScoreError | None:
    if done.failure is None:
        return None
    error = done.failure.error
    kind = error.kind if isinstance(error, (BadScore, AskFailed)) else "scorer_failed"
    return ScoreError(kind, explain(error), done.failure.step.value)
