"""Nothing stays pending for ever: what is overdue is woken, what is over is closed."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from studio.experiments.close import close_if_finished, count_trials
from studio.experiments.models import Experiment, Trial
from studio.experiments.wake import tasks_for, wake_workers
from studio.web.claims import WorkState, due, worn_out

WORKER_LOST = "worker_lost"
LOST_WORDS = "Three workers were lost while they ran this trial; it was not tried again."


def reconcile() -> None:
    """Look after every open experiment; safe to run twice at once."""
    for experiment in Experiment.objects.open().order_by("pk"):
        settle(experiment.pk)
        if due(experiment.trials.all()).exists():
            wake_workers(experiment.pk, tasks_for(experiment.concurrency))


def settle(experiment_id: int) -> bool:
    """End the trials that cannot run any more, and the experiment when none is left."""
    with transaction.atomic():
        experiment = Experiment.objects.open().select_for_update().filter(pk=experiment_id).first()
        if experiment is None:
            return False
        if end_worn_out(experiment) + end_cancelled(experiment):
            count_trials(experiment_id)
    return close_if_finished(experiment_id)


def end_worn_out(experiment: Experiment) -> int:
    """Trials that cost three workers end as an error."""
    return worn_out(Trial.objects.filter(experiment=experiment)).update(
        state=WorkState.ERROR, error_kind=WORKER_LOST, error=LOST_WORDS, owner="",
        lease_until=None, finished_at=Now(),
    )  # fmt: skip


def end_cancelled(experiment: Experiment) -> int:
    """What a cancelled experiment would still run does not run."""
    if experiment.cancel_requested_at is None:
        return 0
    left = due(Trial.objects.filter(experiment=experiment))
    return left.update(state=WorkState.CANCELLED, owner="", lease_until=None, finished_at=Now())
