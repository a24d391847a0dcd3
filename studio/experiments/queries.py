"""What the experiment pages read: lists with their means, progress, and what a verdict rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from studio.accounts.models import Project
from studio.experiments.models import Experiment, ExperimentQuerySet, ExperimentScorer

WAITS_AFTER = timedelta(seconds=10)
NEARLY_ONE = 1 - 1e-9  # a mean of many ones may miss 1.0 by rounding


@dataclass(frozen=True, slots=True)
class Mean:
    """One scorer in one experiment: its mean, and how many trials stand behind it."""

    scorer_version: int
    name: str
    slug: str
    number: int
    mean: float | None
    scored: int
    of: int
    not_scorable: int
    errors: int
    is_gate: bool
    minimum: float | None
    maximum: float | None
    low: float
    high: float
    judged: bool | None = None  # what the verdict says, once there is one

    @property
    def coverage(self) -> str:
        """How many of the trials the mean covers."""
        return f"{self.scored} of {self.of}"

    @property
    def unscored(self) -> int:
        """Trials that have ended without a number from this scorer."""
        return max(self.of - self.scored, 0)

    @property
    def with_zeros(self) -> float | None:
        """The mean if every trial without a number had scored 0."""
        if self.mean is None or not self.of:
            return None
        return self.mean * self.scored / self.of

    @property
    def demand(self) -> str:
        """What the experiment asks of the mean, in words."""
        words = ["gate"] if self.is_gate else []
        if self.minimum is not None and self.maximum is not None:
            words.append(f"{self.minimum:g} to {self.maximum:g}")
        elif self.minimum is not None:
            words.append(f"at least {self.minimum:g}")
        elif self.maximum is not None:
            words.append(f"at most {self.maximum:g}")
        return ", ".join(words)

    @property
    def passed(self) -> bool | None:
        """Whether the demand is met: as judged, else by the mean so far; None without one."""
        return passes(self, self.mean) if self.judged is None else self.judged


def passes(asked: Mean, value: float | None) -> bool | None:
    """Whether one value meets what is asked of its scorer."""
    if value is None or not (asked.is_gate or asked.demand):
        return None
    if asked.is_gate and value < NEARLY_ONE:
        return False
    low, high = asked.minimum, asked.maximum
    return (low is None or value >= low) and (high is None or value <= high)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an experiment is, how fast, and how long it may still take."""

    finished: int
    failed: int
    total: int
    rate: float | None  # trials a second
    left_ms: float | None
    waits: bool  # launched, and no worker has taken it
    spent_ms: float | None


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """An experiment as a line of a list."""

    experiment: Experiment
    means: list[Mean]
    progress: Progress


def progress_of(experiment: Experiment, now: datetime | None = None) -> Progress:
    """The progress of one experiment, from its own row."""
    now = now or timezone.now()
    finished = experiment.done + experiment.failed + experiment.cancelled
    start, end = experiment.started_at, experiment.finished_at or now
    spent = (end - start).total_seconds() if start else None
    rate = finished / spent if spent and finished else None
    left = (experiment.total - finished) / rate if rate and experiment.is_open else None
    waiting = experiment.state == Experiment.State.WAITING and experiment.is_open
    return Progress(
        finished=finished,
        failed=experiment.failed,
        total=experiment.total,
        rate=rate,
        left_ms=None if left is None else left * 1000,
        waits=waiting and now - experiment.created_at > WAITS_AFTER,
        spent_ms=None if spent is None else spent * 1000,
    )


def mean_of(asked: ExperimentScorer, experiment: Experiment) -> Mean:
    """One asked scorer with its mean; while the run is open it covers what has ended so far."""
    version = asked.scorer_version
    ended = experiment.done + experiment.failed
    return Mean(
        scorer_version=version.pk,
        name=version.name,
        slug=version.scorer.slug,
        number=version.number,
        mean=asked.mean,
        scored=asked.scored,
        of=ended if experiment.is_open else experiment.total,
        not_scorable=asked.not_scorable,
        errors=asked.errors,
        is_gate=asked.is_gate,
        minimum=asked.threshold_min,
        maximum=asked.threshold_max,
        low=version.scale_min,
        high=version.scale_max,
        judged=judged(experiment, version.pk),
    )


def judged(experiment: Experiment, scorer_version: int) -> bool | None:
    """Whether a scorer's gate and threshold held in the verdict; None before it or without one."""
    kinds = ("gates", "thresholds")
    entries = [each for kind in kinds for each in experiment.verdict_detail.get(kind, [])]
    found = [each["passed"] for each in entries if each.get("scorer_version") == scorer_version]
    return all(found) if found else None


def means_by_experiment(experiments: Iterable[Experiment]) -> dict[int, list[Mean]]:
    """The means of many experiments, in one query."""
    by_pk = {each.pk: each for each in experiments}
    asked = ExperimentScorer.objects.filter(experiment__in=by_pk)
    found: dict[int, list[Mean]] = defaultdict(list)
    rows = asked.select_related("scorer_version__scorer").defer("scorer_version__spec")
    for row in rows.order_by("position", "pk"):
        found[row.experiment_id].append(mean_of(row, by_pk[row.experiment_id]))
    return found


def means_of(experiment: Experiment) -> list[Mean]:
    """The means of one experiment in the order in which its scorers were asked."""
    return means_by_experiment([experiment])[experiment.pk]


def rows_for(experiments: Iterable[Experiment]) -> list[ExperimentRow]:
    """Lines of a list, with one query for all their means."""
    listed = list(experiments)
    means = means_by_experiment(listed)
    now = timezone.now()
    return [ExperimentRow(each, means[each.pk], progress_of(each, now)) for each in listed]


def with_verdicts(project: Project) -> ExperimentQuerySet:
    """A project's experiments for a list, with what their verdicts rest on."""
    rows = Experiment.objects.select_related("agent_version__agent", "dataset_version__dataset")
    return rows.defer("agent_version__spec").filter(project=project)


def listed(project: Project, params: Mapping[str, Any]) -> ExperimentQuerySet:
    """The experiments of a project that the filters of a query string leave."""
    wanted = Q(project=project)
    if text := str(params.get("q") or "").strip():
        wanted &= Q(name__icontains=text) | Q(note__icontains=text)
    for key, column in FILTERS.items():
        if value := str(params.get(key) or "").strip():
            wanted &= Q(**{column: value})
    return with_verdicts(project).filter(wanted)


FILTERS = {
    "state": "state",
    "verdict": "verdict",
    "agent": "agent__slug",
    "dataset": "dataset_version__dataset__slug",
}
