"""What a worker needs to know of an experiment, loaded once a shift."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import evals_core
from studio.agents.call import AgentUnavailable, target_for
from studio.agents.models import Agent, AgentVersion
from studio.datasets.build import engine_item
from studio.experiments.models import Experiment, Trial
from studio.experiments.wake import tasks_for
from studio.scorers.build import engine_scorer
from studio.scorers.models import ScorerVersion


@dataclass(frozen=True, slots=True)
class RunPlan:
    """An experiment as the engine runs it."""

    experiment_id: int
    project_id: int
    agent: Agent
    agent_version: AgentVersion
    target: evals_core.Target
    scorers: Sequence[evals_core.Scorer]
    versions: dict[str, ScorerVersion]  # by the engine scorer's id
    item_timeout_s: float
    tasks: int
    share: int  # agent calls that one shift may have under way

    def plan_of(self, trial: Trial) -> evals_core.TrialPlan:
        """The trial as the engine takes it."""
        return evals_core.TrialPlan(key=trial.pk, item=engine_item(trial.item))


def load_plan(experiment_id: int) -> RunPlan | None:
    """The plan of an open experiment; None when it ended or does not exist."""
    rows = Experiment.objects.open().select_related("agent", "agent_version__agent__connection")
    experiment = rows.filter(pk=experiment_id).first()
    if experiment is None:
        return None
    asked = experiment.asked.select_related("scorer_version__scorer").order_by("position")
    versions = [each.scorer_version for each in asked]
    scorers = [engine_scorer(version) for version in versions]
    tasks = tasks_for(experiment.concurrency)
    return RunPlan(
        experiment_id=experiment.pk,
        project_id=experiment.project_id,
        agent=experiment.agent,
        agent_version=experiment.agent_version,
        target=target_or_failure(experiment.agent_version),
        scorers=scorers,
        versions={scorer.id: version for scorer, version in zip(scorers, versions, strict=True)},
        item_timeout_s=experiment.item_timeout_s,
        tasks=tasks,
        share=max(1, experiment.concurrency // tasks),
    )


def target_or_failure(version: AgentVersion) -> evals_core.Target:
    """The agent's target; where there is none, one that fails each trial with the reason."""
    try:
        return evals_core.target_from(target_for(version))
    except AgentUnavailable as error:
        return evals_core.target_from(always_failing(error))


def always_failing(error: Exception) -> Callable[[object], Awaitable[object]]:
    """A callable that raises `error`."""

    async def fail(_input: object) -> object:
        raise error

    return fail
