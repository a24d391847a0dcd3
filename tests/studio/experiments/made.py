"""A finished experiment made of rows, as workers would have left them."""

from __future__ import annotations

from django.utils import timezone

from studio.accounts.models import Project
from studio.agents.models import Agent, AgentVersion
from studio.datasets.models import Dataset, DatasetItem, DatasetVersion
from studio.experiments.close import close_if_finished
from studio.experiments.models import Experiment, ExperimentScorer, Trial
from studio.scorers.models import Score, Scorer, ScorerVersion
from studio.traces.models import Source, Trace
from studio.web.claims import WorkState


def make_agent(project: Project, name: str = "Weather") -> AgentVersion:
    """An agent with one version."""
    slug = name.lower()
    agent = Agent.objects.create(project=project, slug=slug, name=name, kind=Agent.Kind.PYTHON)
    version = AgentVersion.objects.create(agent=agent, number=1, hash="a" * 64, spec={})
    agent.version = version
    agent.save()
    return version


def make_scorer(project: Project, name: str, **version: object) -> ScorerVersion:
    """A scorer with one version."""
    slug = name.lower().replace(" ", "-")
    scorer = Scorer.objects.create(project=project, slug=slug, name=name, kind=Scorer.Kind.CHECK)
    spec = {"kind": "check-includes", "arguments": {"expected": "x"}}
    made = ScorerVersion.objects.create(
        scorer=scorer, number=1, hash="b" * 64, name=name, spec=spec, **version
    )
    scorer.version = made
    scorer.save()
    return made


def make_dataset(project: Project, count: int, name: str = "Cities") -> DatasetVersion:
    """A dataset whose version 1 has `count` items."""
    dataset = Dataset.objects.create(
        project=project, slug=name.lower(), name=name, version_number=1, item_count=count
    )
    now = timezone.now()
    DatasetItem.objects.bulk_create(
        DatasetItem(
            dataset=dataset, item_id=f"item-{n}", version_from=1, position=n, input=f"question {n}",
            input_preview=f"question {n}", ground_truth=f"truth {n}", has_ground_truth=True,
            created_at=now,
        )
        for n in range(count)
    )  # fmt: skip
    DatasetVersion.objects.create(dataset=dataset, number=0)
    return DatasetVersion.objects.create(dataset=dataset, number=1, item_count=count)


def make_experiment(
    project: Project, count: int = 3, scorers: tuple[ScorerVersion, ...] = (), **fields: object
) -> Experiment:
    """An experiment with `count` pending trials, one an item, asking `scorers`."""
    agent = AgentVersion.objects.filter(agent__project=project).first() or make_agent(project)
    dataset = make_dataset(project, count, name=f"Cities{Dataset.objects.count()}")
    experiment = Experiment.objects.create(
        project=project, agent=agent.agent, agent_version=agent, dataset_version=dataset,
        total=count, **{"name": "Weather on Cities", **fields},
    )  # fmt: skip
    ExperimentScorer.objects.bulk_create(
        ExperimentScorer(experiment=experiment, scorer_version=version, position=n)
        for n, version in enumerate(scorers)
    )
    items = dataset.dataset.items.order_by("position")
    Trial.objects.bulk_create(Trial(experiment=experiment, item=item) for item in items)
    return experiment


def answer(trial: Trial, said: str = "an answer", error: str = "") -> Trace:
    """End a trial with a trace, in error when there is one."""
    question = trial.item.input
    trace = Trace.objects.create(
        project=trial.experiment.project, trace_id=f"{trial.pk:032x}", source=Source.EXPERIMENT,
        name="Weather", started_at=timezone.now(), input=question, output=None if error else said,
    )  # fmt: skip
    trial.trace, trial.error, trial.duration_ms = trace, error, 12.5
    trial.error_kind = "TimeoutError" if error else ""
    trial.state = WorkState.ERROR if error else WorkState.DONE
    trial.output_preview, trial.finished_at = "" if error else said, timezone.now()
    trial.save()
    return trace


def give_score(
    trial: Trial, version: ScorerVersion, value: float | None, outcome: str = "scored"
) -> Score:
    """What a scorer said about an answered trial."""
    trace = trial.trace or answer(trial)
    return Score.objects.create(
        project=trial.experiment.project, scorer=version.scorer, scorer_version=version,
        trace=trace, agent=trial.experiment.agent, source=Source.EXPERIMENT, outcome=outcome,
        value=value, reason="because", reason_preview="because", experiment_id=trial.experiment_id,
        trial_id=trial.pk, error_kind="ValueError" if outcome == "error" else "",
    )  # fmt: skip


def close(experiment: Experiment) -> Experiment:
    """Count what the trials and scores say and end the experiment, as a worker does."""
    Experiment.objects.filter(pk=experiment.pk).update(started_at=timezone.now())
    experiment.trials.filter(state=WorkState.PENDING).update(state=WorkState.DONE)
    assert close_if_finished(experiment.pk)
    experiment.refresh_from_db()
    return experiment
