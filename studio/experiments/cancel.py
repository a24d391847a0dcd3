"""Cancelling: one flag that workers read each second, and no trial starts after it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from studio.accounts.audit import record
from studio.experiments.close import close_if_finished, count_trials
from studio.experiments.models import Experiment
from studio.web.claims import WorkState


def cancel_experiment(experiment: Experiment, author: Any = None) -> bool:
    """Stop it; what is scored stays. False when it had ended or was cancelled before."""
    with transaction.atomic():
        open_ones = Experiment.objects.open().filter(pk=experiment.pk, cancel_requested_at=None)
        if not open_ones.update(cancel_requested_at=Now()):
            return False
        waiting = experiment.trials.filter(state=WorkState.PENDING)
        waiting.update(state=WorkState.CANCELLED, finished_at=Now())
        count_trials(experiment.pk)
        record("cancel", actor=author, project=experiment.project, target=experiment)
    close_if_finished(experiment.pk)
    return True
