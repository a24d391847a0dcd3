"""What an agent's Evaluate tab reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery
from django.db.models.query import QuerySet

from studio.agents.models import Agent
from studio.datasets.models import Dataset
from studio.experiments.models import Experiment, ExperimentScorer
from studio.scorers.models import Scorer, ScorerAttachment

MAX_OFFERED = 200


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """A dataset, and the agent's latest experiment on it."""

    dataset: Dataset
    latest: Experiment | None


@dataclass(frozen=True, slots=True)
class AttachedScorer:
    """A scorer attached to an agent, with its mean in the agent's latest experiment."""

    attachment: ScorerAttachment
    mean: float | None
    scored: int | None
    of: int | None
    experiment_id: int | None


def dataset_rows(datasets: Sequence[Dataset], agent: Agent) -> list[DatasetRow]:
    """The datasets with the agent's latest experiment on each, in two queries."""
    mine = Experiment.objects.filter(
        agent=agent, dataset_version__dataset=OuterRef("pk")
    ).newest_first()
    latest = Dataset.objects.filter(pk__in=[each.pk for each in datasets]).values_list(
        "pk", Subquery(mine.values("pk")[:1])
    )
    newest = dict(latest)
    experiments = Experiment.objects.for_list().in_bulk([pk for pk in newest.values() if pk])
    return [DatasetRow(each, experiments.get(newest.get(each.pk) or 0)) for each in datasets]


def attached_scorers(agent: Agent) -> list[AttachedScorer]:
    """The agent's scorers by name, each with its latest mean by this agent."""
    latest = ExperimentScorer.objects.filter(
        experiment__agent=agent, scorer_version__scorer=OuterRef("scorer"), mean__isnull=False
    ).order_by("-experiment_id")
    rows = agent.attachments.select_related("scorer__version").annotate(
        asked=Subquery(latest.values("pk")[:1])
    )
    listed = list(rows.order_by("scorer__name", "pk"))
    asked = ExperimentScorer.objects.select_related("experiment").in_bulk(
        [row.asked for row in listed if row.asked]
    )
    return [attached(row, asked.get(row.asked)) for row in listed]


def attached(row: ScorerAttachment, latest: ExperimentScorer | None) -> AttachedScorer:
    """One attachment with its latest figures."""
    if latest is None:
        return AttachedScorer(row, None, None, None, None)
    total = latest.experiment.total
    return AttachedScorer(row, latest.mean, latest.scored, total, latest.experiment_id)


def other_scorers(agent: Agent) -> QuerySet[Scorer]:
    """Scorers that the agent is not judged by yet."""
    taken = agent.attachments.values("scorer")
    offered = Scorer.objects.filter(project_id=agent.project_id, archived_at=None)
    return offered.exclude(pk__in=taken).order_by("name")[:MAX_OFFERED]
