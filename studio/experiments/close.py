"""Counting and closing: every figure is derived from rows, and the end happens once."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Avg, Count, Q
from django.db.models.functions import Now

from studio.experiments.models import Experiment, ExperimentScorer, Trial
from studio.experiments.verdict import judge
from studio.scorers.models import Score
from studio.web.claims import WorkState

OPEN = (WorkState.PENDING, WorkState.RUNNING)


def count_trials(experiment_id: int) -> None:
    """Write how many trials ended, and how, from the trials themselves."""
    counts = Trial.objects.filter(experiment_id=experiment_id).aggregate(
        done=Count("pk", filter=Q(state=WorkState.DONE)),
        failed=Count("pk", filter=Q(state=WorkState.ERROR)),
        cancelled=Count("pk", filter=Q(state=WorkState.CANCELLED)),
    )
    Experiment.objects.filter(pk=experiment_id).update(**counts)


def count_scores(experiment_id: int) -> None:
    """Write each scorer's mean and coverage from the scores themselves."""
    scores = Score.objects.standing().filter(experiment_id=experiment_id)
    figures = scores.values("scorer_version").annotate(
        mean=Avg("value"),
        scored=Count("pk", filter=Q(outcome="scored")),
        not_scorable=Count("pk", filter=Q(outcome="not_scorable")),
        errors=Count("pk", filter=Q(outcome="error")),
    )
    asked = ExperimentScorer.objects.filter(experiment_id=experiment_id)
    for row in figures:
        asked.filter(scorer_version=row["scorer_version"]).update(
            mean=row["mean"],
            scored=row["scored"],
            not_scorable=row["not_scorable"],
            errors=row["errors"],
        )


def close_if_finished(experiment_id: int) -> bool:
    """End an experiment that has no open trial: state, means and verdict, exactly once."""
    with transaction.atomic():
        mine = Experiment.objects.open().filter(pk=experiment_id).select_for_update().first()
        if mine is None or mine.trials.filter(state__in=OPEN).exists():
            return False
        count_trials(experiment_id)
        count_scores(experiment_id)
        mine.refresh_from_db()
        verdict, detail = judge(mine)
        mine.state = final_state(mine)
        mine.verdict, mine.verdict_detail = verdict, detail
        mine.finished_at = Now()
        mine.save(update_fields=["state", "verdict", "verdict_detail", "finished_at"])
    return True


def final_state(experiment: Experiment) -> str:
    """Cancelled is not failed, and errors are named."""
    states = Experiment.State
    if experiment.cancelled:
        return states.CANCELLED
    if experiment.total and experiment.failed == experiment.total:
        return states.FAILED
    score_errors = experiment.asked.filter(errors__gt=0).exists()
    return states.COMPLETED_WITH_ERRORS if experiment.failed or score_errors else states.COMPLETED
