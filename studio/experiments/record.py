"""Writing what trials gave: exactly once, and only where the claim still holds."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from django.db import DataError, IntegrityError, transaction

import evals_core
from evals_core.targets import agent_input
from studio.datasets.build import engine_item
from studio.experiments.close import close_if_finished, count_scores, count_trials
from studio.experiments.models import Trial
from studio.experiments.plan import RunPlan
from studio.scorers.models import Score
from studio.scorers.record import score_rows
from studio.traces.models import Source, Span, Trace
from studio.traces.record import rows_for_run
from studio.web.claims import WorkState, still_held
from studio.web.text import clean, preview

logger = logging.getLogger(__name__)
NOT_SAVED = "not_saved"
TRIAL_FIELDS = [
    "state", "owner", "lease_until", "trace", "error_kind", "error", "duration_ms",
    "input_tokens", "output_tokens", "cost", "output_preview", "finished_at",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finished:
    """A claimed trial and what running it gave; None when a stop or cancel came first."""

    trial: Trial
    result: evals_core.TrialResult | None


def write_results(plan: RunPlan, owner: str, batch: Sequence[Finished], with_means: bool) -> int:
    """Traces, scores and trial states in one transaction; returns how many were written.

    `with_means` also brings the live means up to date, which costs as much as the rest.

    When the database refuses the batch, each is tried alone and the refused ones become errors.
    """
    ended = [each for each in batch if each.result is not None]
    try:
        written = write(plan, owner, ended)
    except (DataError, IntegrityError, ValueError, TypeError) as error:
        logger.warning("a batch of experiment %s was refused: %s", plan.experiment_id, error)
        written = sum(write_alone(plan, owner, each) for each in ended)
    if with_means:
        count_scores(plan.experiment_id)
    close_if_finished(plan.experiment_id)
    return written


def write_alone(plan: RunPlan, owner: str, finished: Finished) -> int:
    """One result, or in its place the reason why it could not be saved."""
    try:
        return write(plan, owner, [finished])
    except (DataError, IntegrityError, ValueError, TypeError) as error:
        finished.trial.error_kind, finished.trial.error = (
            NOT_SAVED,
            preview(str(error), 2000),
        )
        return write(plan, owner, [Finished(finished.trial, None)])


@transaction.atomic
def write(plan: RunPlan, owner: str, batch: Sequence[Finished]) -> int:
    """The rows of all trials in `batch` that `owner` still holds."""
    held = still_held(Trial.objects.all(), owner, [each.trial.pk for each in batch])
    mine = [each for each in batch if each.trial.pk in held]
    rows = [rows_of(plan, each) for each in mine]
    Trace.objects.bulk_create([trace for trace, _, _ in rows if trace is not None])
    for trace, spans, scores in ((t, s, c) for t, s, c in rows if t is not None):
        for span in spans:
            span.trace = trace  # again, now that it has a key
        for score in scores:
            score.trace = trace
    Span.objects.bulk_create([span for _, spans, _ in rows for span in spans], batch_size=500)
    Score.objects.bulk_create([score for _, _, scores in rows for score in scores], batch_size=500)
    for each, found in zip(mine, rows, strict=True):
        finish(each, found[0])
    # An upsert of rows that exist: many times faster than bulk_update's nested CASEs.
    Trial.objects.bulk_create(
        [each.trial for each in mine],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=TRIAL_FIELDS,
        batch_size=500,
    )
    count_trials(plan.experiment_id)
    return len(mine)


def rows_of(plan: RunPlan, finished: Finished) -> tuple[Trace | None, list[Span], list[Score]]:
    """The unsaved trace, spans and scores of one result."""
    result, trial = finished.result, finished.trial
    if result is None:
        return None, [], []
    trace, spans = rows_for_run(
        plan.agent.project,
        result.run or unanswered(trial),
        trace_id=uuid4().hex,
        name=plan.agent.name,
        agent_version=plan.agent_version,
        source=Source.EXPERIMENT,
        started_at=result.started_at,
        duration_ms=result.duration_ms,
        error=result.error.message if result.error else "",
        input_tokens=result.usage.input_tokens,
        output_tokens=result.usage.output_tokens,
        cost=result.cost,
    )
    pairs = [(plan.versions[score.scorer_id], score) for score in result.scores]
    scores = score_rows(
        pairs, trace=trace, agent=plan.agent, source=Source.EXPERIMENT,
        experiment_id=plan.experiment_id, trial_id=trial.pk,
    )  # fmt: skip
    return trace, spans, scores


def unanswered(trial: Trial) -> evals_core.Run:
    """The run of an agent that failed: what it was asked, and no answer."""
    item = engine_item(trial.item)
    return evals_core.Run(
        input=agent_input(item.input),
        ground_truth=item.ground_truth,
        expected_trajectory=item.expected_trajectory,
        request_context=item.request_context,
        metadata=item.metadata,
        tags=item.tags,
    )


def finish(finished: Finished, trace: Trace | None) -> None:
    """Set the trial's final columns."""
    trial, result = finished.trial, finished.result
    trial.owner, trial.lease_until, trial.finished_at = "", None, datetime.now(UTC)
    trial.state = WorkState.ERROR if trial.error_kind else WorkState.DONE
    if result is None or trace is None:
        return
    trial.trace = trace
    trial.duration_ms = result.duration_ms
    trial.input_tokens, trial.output_tokens = trace.input_tokens, trace.output_tokens
    trial.cost, trial.output_preview = trace.cost, trace.output_preview
    if result.error is not None:
        trial.state = WorkState.ERROR
        trial.error_kind, trial.error = (
            result.error.kind[:60],
            clean(result.error.message)[:20_000],
        )
