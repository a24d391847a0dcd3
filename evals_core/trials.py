"""Trials: an item is asked once, and what came of it is scored; each on its own."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Generic, TypeVar

from evals_core.limits import OutOfTime, in_thread, within
from evals_core.run import Item, Run
from evals_core.score import Outcome, Score, ScoreError
from evals_core.scorer import Scorer, Subject, explain, score_run
from evals_core.span_trajectory import extract_trajectory_from_trace
from evals_core.steps import FAILURES, StepContext, StepFunction, call_directly, is_being_stopped
from evals_core.targets import Answer, Target, TargetError, Usage, target_from
from evals_core.trajectory import Trajectory

log = logging.getLogger(__name__)
Job = TypeVar("Job")


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """An item to be asked once, under a key that its result will carry."""

    key: object
    item: Item


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What became of a trial: a run and its scores, or the error of the target."""

    key: object
    run: Run | None
    error: TargetError | None
    scores: tuple[Score, ...]
    started_at: datetime
    duration_ms: float
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    answer: Answer | None = None


Report = Callable[[TrialResult], Awaitable[None] | None]


async def run_trials(
    trials: Iterable[TrialPlan] | AsyncIterator[TrialPlan],
    target: object,
    scorers: Sequence[Scorer],
    *,
    report: Report,
    concurrency: int = 1,
    item_timeout: float | None = None,
    scorer_timeout: float | None = None,
) -> None:
    """Run all trials, at most `concurrency` at a time, and report each as it ends.

    A report that raises is logged and costs nothing else.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, not {concurrency}")
    asked = target_from(target)

    async def work(plan: TrialPlan) -> None:
        result = await run_one(
            plan, asked, scorers, item_timeout=item_timeout, scorer_timeout=scorer_timeout
        )
        await tell(report, result)

    await spread(trials, work, concurrency)


async def spread(
    jobs: Iterable[Job] | AsyncIterator[Job],
    work: Callable[[Job], Awaitable[None]],
    concurrency: int,
) -> None:
    """Work on all jobs, at most so many at a time; jobs are taken only when there is room."""
    waiting = _Turns(jobs)

    async def take() -> None:
        async for job in waiting:
            await work(job)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(take())


class _Turns(Generic[Job]):
    """Jobs one after the other for any number of workers; an async generator allows only one."""

    def __init__(self, jobs: Iterable[Job] | AsyncIterator[Job]) -> None:
        self._jobs = jobs if isinstance(jobs, AsyncIterator) else iter(jobs)
        self._turn = asyncio.Lock()

    def __aiter__(self) -> _Turns[Job]:
        return self

    async def __anext__(self) -> Job:
        if not isinstance(self._jobs, AsyncIterator):
            try:
                return next(self._jobs)
            except StopIteration:
                raise StopAsyncIteration from None
        async with self._turn:
            return await anext(self._jobs)


async def tell(report: Callable[[Any], Awaitable[None] | None], result: object) -> None:
    """Give a result to a callback; its own exception is logged and loses nothing."""
    try:
        waited = report(result)
        if inspect.isawaitable(waited):
            await waited
    except Exception:
        log.exception("a callback failed; the result is kept")


async def run_one(
    plan: TrialPlan,
    target: object,
    scorers: Sequence[Scorer],
    *,
    item_timeout: float | None = None,
    scorer_timeout: float | None = None,
) -> TrialResult:
    """Ask one item and score the answer; a failing target is a result, not an exception."""
    started_at, started = datetime.now(UTC), perf_counter()
    answer = await ask(target_from(target), plan.item, item_timeout)
    if isinstance(answer, TargetError):
        return TrialResult(plan.key, None, answer, (), started_at, _since(started))
    run = as_run(plan.item, answer)
    scores = await score_all(scorers, run, answer.spans, seconds=scorer_timeout)
    return TrialResult(
        plan.key,
        run,
        None,
        scores,
        started_at,
        _since(started),
        answer.usage,
        answer.cost,
        answer,
    )


def _since(started: float) -> float:
    return (perf_counter() - started) * 1000


async def ask(
    target: Target, item: Item, seconds: float | None = None, history: Sequence[Any] = ()
) -> Answer | TargetError:
    """Ask within a time limit; whatever goes wrong becomes the target's error."""
    try:
        return await within(target.ask(item, history), seconds)
    except OutOfTime:
        return TargetError("timeout", f"no answer within {seconds:g} s")
    except asyncio.CancelledError as error:
        if is_being_stopped(error):
            raise
        return TargetError("cancelled", "the target cancelled itself")
    except FAILURES as error:
        log.info("the target failed on item %s", item.id, exc_info=True)
        return TargetError("target_failed", f"{type(error).__name__}: {explain(error)}")


def as_run(item: Item, answer: Answer) -> Run:
    """What the item says and what was answered, as one run."""
    return Run(
        output=answer.output,
        input=answer.input,
        ground_truth=item.ground_truth,
        expected_trajectory=item.expected_trajectory,
        request_context=item.request_context,
        metadata=item.metadata,
        tags=item.tags,
        trace_id=answer.trace_id,
    )


async def score_all(
    scorers: Sequence[Scorer],
    run: Run,
    spans: Sequence[Any] = (),
    *,
    seconds: float | None = None,
) -> tuple[Score, ...]:
    """Score a run with every scorer, each in its own time; what waits, waits together."""
    try:
        trajectory = extract_trajectory_from_trace(spans) if spans else None
    except FAILURES as error:
        return await _score_without_trajectory(scorers, run, error, seconds)
    scores: dict[str, Score] = {}
    waiting: list[Scorer] = []
    for each in scorers:
        if each.is_quick or (seconds is None and each.only_computes):
            scores[each.id] = await score_run(each, run, trajectory=trajectory)
        else:
            waiting.append(each)
    if waiting:
        waits = (score_within(each, run, trajectory, seconds) for each in waiting)
        scores |= {score.scorer_id: score for score in await asyncio.gather(*waits)}
    return tuple(scores[each.id] for each in scorers)


async def _score_without_trajectory(
    scorers: Sequence[Scorer], run: Run, problem: BaseException, seconds: float | None
) -> tuple[Score, ...]:
    """Spans that cannot be read cost only the scorers that wanted their trajectory."""
    error = ScoreError("unreadable_spans", f"the spans cannot be read: {explain(problem)}")
    others = [each for each in scorers if each.subject is not Subject.TRAJECTORY]
    found = {score.scorer_id: score for score in await score_all(others, run, seconds=seconds)}
    return tuple(
        found.get(each.id) or Score(each.id, Outcome.ERROR, error=error) for each in scorers
    )


async def score_within(
    scorer: Scorer, run: Run, trajectory: Trajectory | None, seconds: float | None
) -> Score:
    """Score within a time limit, which holds for functions that block as well."""
    if seconds is None:
        return await score_run(scorer, run, trajectory=trajectory)
    started = perf_counter()
    scoring = score_run(scorer, run, trajectory=trajectory, call=_call_in_thread)
    try:
        return await within(scoring, seconds)
    except OutOfTime:
        error = ScoreError("timeout", f"no score within {seconds:g} s")
        return Score(scorer.id, Outcome.ERROR, error=error, duration_ms=_since(started))


async def _call_in_thread(function: StepFunction, context: StepContext) -> object:
    if inspect.iscoroutinefunction(function):
        return await call_directly(function, context)
    value = await in_thread(function, context)
    return await value if inspect.isawaitable(value) else value
