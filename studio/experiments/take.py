"""Taking trials of one experiment: never more workers on it than its concurrency allows."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count
from django.db.models.functions import Now

from studio.experiments.models import Experiment, Trial
from studio.experiments.plan import RunPlan
from studio.web import claims
from studio.web.claims import WorkState


def take_trials(plan: RunPlan, owner: str, wanted: int, alone: bool) -> list[Trial]:
    """Up to `wanted` trials for `owner`, or one suspect; none once it is cancelled."""
    with transaction.atomic():
        locked = Experiment.objects.open().select_for_update().filter(pk=plan.experiment_id)
        experiment = locked.filter(cancel_requested_at=None).first()
        if experiment is None:
            return []
        trials = Trial.objects.filter(experiment_id=plan.experiment_id)
        if alone:
            taken = claims.claim_suspect(trials, owner)
        elif others_at_work(trials, owner) >= plan.tasks:
            taken = []
        else:
            taken = claims.claim(trials, owner, wanted)
        if taken and experiment.state == Experiment.State.WAITING:
            locked.update(state=Experiment.State.RUNNING, started_at=Now())
    items = Trial.objects.select_related("item").in_bulk([trial.pk for trial in taken])
    return [items[trial.pk] for trial in taken]


def others_at_work(trials: object, owner: str) -> int:
    """How many other owners hold trials of the experiment under a live lease."""
    held = trials.filter(state=WorkState.RUNNING, lease_until__gte=Now())  # type: ignore[attr-defined]
    figures: dict[str, int] = held.exclude(owner=owner).aggregate(n=Count("owner", distinct=True))
    return figures["n"]


def waiting_elsewhere(experiment_id: int) -> bool:
    """Another experiment waits for its first worker."""
    waiting = Experiment.objects.open().filter(state=Experiment.State.WAITING)
    return waiting.exclude(pk=experiment_id).exists()
