"""What a project's home reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from studio.accounts.models import Project
from studio.experiments.models import Experiment, ExperimentScorer
from studio.experiments.queries import with_verdicts
from studio.scorers.models import Scorer

LOOKED_AT = 50  # finished experiments among which the latest of each pair is found


@dataclass(frozen=True, slots=True)
class FailingGate:
    """A gate or threshold that the latest run of an agent on a dataset misses."""

    experiment: Experiment
    kind: str
    tone: str
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class ScorerRow:
    """A scorer with its mean in the latest experiment that asked it."""

    scorer: Scorer
    mean: float | None
    scored: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Step:
    """Something a newcomer does once."""

    title: str
    hint: str
    url_name: str
    done: bool


def latest_verdicts(project: Project) -> list[Experiment]:
    """The latest finished experiment of every agent and dataset, newest first."""
    ended = with_verdicts(project).filter(finished_at__isnull=False)
    ended = ended.exclude(state=Experiment.State.CANCELLED)
    found: dict[tuple[int, int | None], Experiment] = {}
    for each in ended.newest_first()[:LOOKED_AT]:
        version = each.dataset_version
        found.setdefault((each.agent_id, version.dataset_id if version else None), each)
    return list(found.values())


def failing_gates(experiments: Sequence[Experiment]) -> list[FailingGate]:
    """Every gate and threshold that these experiments miss, gates first."""
    return missed(experiments, "gates", "Gate", "bad") + missed(
        experiments, "thresholds", "Threshold", "warn"
    )


def missed(experiments: Sequence[Experiment], key: str, kind: str, tone: str) -> list[FailingGate]:
    """The entries of one kind in the verdicts that do not hold."""
    return [
        FailingGate(each, kind, tone, str(entry.get("name", "")), str(entry.get("words", "")))
        for each in experiments
        for entry in each.verdict_detail.get(key, [])
        if entry.get("passed") is False
    ]


def scorer_rows(project: Project, limit: int) -> list[ScorerRow]:
    """The latest scorers with their latest means, in two queries."""
    asked = ExperimentScorer.objects.filter(
        scorer_version__scorer=OuterRef("pk"), mean__isnull=False
    )
    newest = asked.order_by("-experiment_id").values("pk")[:1]
    scorers = Scorer.objects.filter(project=project, archived_at=None).select_related("version")
    rows = list(scorers.annotate(asked=Subquery(newest)).order_by("-pk")[:limit])
    latest = ExperimentScorer.objects.select_related("experiment", "scorer_version").in_bulk(
        [row.asked for row in rows if row.asked]
    )
    return [scorer_row(row, latest.get(row.asked)) for row in rows]


def scorer_row(scorer: Scorer, latest: ExperimentScorer | None) -> ScorerRow:
    """One scorer with the figures of its latest experiment."""
    if latest is None:
        return ScorerRow(scorer, None, 0, 0, 0, 1)
    version, total = latest.scorer_version, latest.experiment.total
    return ScorerRow(
        scorer, latest.mean, latest.scored, total, version.scale_min, version.scale_max
    )


def steps(project: Project) -> list[Step]:
    """The way from nothing to a first result, and how much of it is done."""
    return [
        Step("Add an agent", "A Python function, or a model behind an OpenAI-compatible address.",
             "agents:list", project.agents.exists()),
        Step("Add a dataset", "Import a CSV or JSON Lines file, or write a few items by hand.",
             "datasets:list", project.datasets.filter(item_count__gt=0).exists()),
        Step("Choose scorers", "Create a check and attach it to the agent.",
             "scorers:list", project.scorers.exists()),
        Step("Run an experiment", "Each item is answered, and every scorer says what it thinks.",
             "experiments:create", project.experiments.exists()),
    ]  # fmt: skip
