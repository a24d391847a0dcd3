"""Launching: an experiment and all its pending trials, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from studio.accounts.audit import record
from studio.accounts.models import Project
from studio.agents.models import AgentVersion
from studio.datasets.models import DatasetVersion
from studio.experiments.models import Experiment, ExperimentScorer, Trial
from studio.experiments.wake import tasks_for, wake_workers
from studio.scorers.models import ScorerVersion

MAX_TRIALS = 1_000_000


class NothingToRun(Exception):
    """The plan cannot be launched; the message says why, in words for people."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One scorer version that an experiment asks, and what it demands of it."""

    scorer_version: ScorerVersion
    is_gate: bool = False
    threshold_min: float | None = None
    threshold_max: float | None = None


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """Everything a launch needs to know."""

    project: Project
    agent_version: AgentVersion
    dataset_version: DatasetVersion
    asked: Sequence[Asked]
    trials_per_item: int = 1
    concurrency: int = 10
    item_timeout_s: float = 120
    name: str = ""
    note: str = ""
    author: Any = None
    idempotency_key: str = ""


def launch_experiment(plan: ExperimentPlan) -> Experiment:
    """Record the experiment and its trials, then wake workers; a repeated key launches once.

    Raises `NothingToRun` when there is no item or no scorer, or a scorer is asked twice.
    """
    if found := launched_before(plan):
        return found
    try:
        return write_experiment(plan)
    except IntegrityError:  # the same key came twice at once
        if found := launched_before(plan):
            return found
        raise


def launched_before(plan: ExperimentPlan) -> Experiment | None:
    """The experiment that the plan's key launched already."""
    if not plan.idempotency_key:
        return None
    same = plan.project.experiments.filter(idempotency_key=plan.idempotency_key)
    found: Experiment | None = same.first()
    return found


@transaction.atomic
def write_experiment(plan: ExperimentPlan) -> Experiment:
    """The rows of a new experiment; workers are woken when they are safe."""
    dataset = plan.dataset_version.dataset
    items = list(dataset.items.at(plan.dataset_version.number).values_list("pk", flat=True))
    check(plan, len(items))
    experiment = Experiment.objects.create(
        project=plan.project,
        name=plan.name or f"{plan.agent_version.agent.name} on {dataset.name}"[:160],
        note=plan.note,
        dataset_version=plan.dataset_version,
        agent=plan.agent_version.agent,
        agent_version=plan.agent_version,
        trials_per_item=plan.trials_per_item,
        concurrency=plan.concurrency,
        item_timeout_s=plan.item_timeout_s,
        total=len(items) * plan.trials_per_item,
        idempotency_key=plan.idempotency_key,
        author=plan.author,
    )
    ExperimentScorer.objects.bulk_create(asked_rows(experiment, plan.asked))
    Trial.objects.bulk_create(pending_trials(experiment, items), batch_size=1000)
    record("launch", actor=plan.author, project=plan.project, target=experiment)
    wake = partial(wake_workers, experiment.pk, tasks_for(plan.concurrency))
    transaction.on_commit(wake)
    return experiment


def check(plan: ExperimentPlan, items: int) -> None:
    """Refuse what could only end in nothing."""
    versions = [asked.scorer_version.pk for asked in plan.asked]
    if not items:
        raise NothingToRun("This dataset version has no items: add or import some first.")
    if not versions:
        raise NothingToRun("Choose at least one scorer.")
    if len(set(versions)) < len(versions):
        raise NothingToRun("One scorer is asked twice: leave one of them out.")
    if items * plan.trials_per_item > MAX_TRIALS:
        raise NothingToRun(f"That is more than {MAX_TRIALS:,} trials: use fewer repetitions.")


def asked_rows(experiment: Experiment, asked: Sequence[Asked]) -> list[ExperimentScorer]:
    """The scorers of an experiment, in the order they were chosen."""
    return [
        ExperimentScorer(
            experiment=experiment,
            scorer_version=each.scorer_version,
            position=position,
            is_gate=each.is_gate,
            threshold_min=each.threshold_min,
            threshold_max=each.threshold_max,
        )
        for position, each in enumerate(asked)
    ]


def pending_trials(experiment: Experiment, items: Sequence[int]) -> Iterator[Trial]:
    """Every item as often as it is to be answered: all of them once, then all again."""
    for repetition in range(1, experiment.trials_per_item + 1):
        for item in items:
            yield Trial(experiment=experiment, item_id=item, repetition=repetition)
