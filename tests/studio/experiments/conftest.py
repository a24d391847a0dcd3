"""An agent, a dataset and scorers to run experiments with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.agents.register import register_agents
from studio.datasets.models import DatasetVersion
from studio.datasets.save import ItemDraft, add_items, create_dataset
from studio.experiments.launch import Asked, ExperimentPlan, launch_experiment
from studio.experiments.models import Experiment
from studio.scorers.save import save_check


@pytest.fixture
def agent(project: Project, settings: Any) -> Agent:
    """A Python agent that echoes."""
    settings.STUDIO_AGENTS = ["tests.studio.experiments.agents"]
    (found,) = register_agents(project)
    return found


@pytest.fixture
def items(project: Project) -> DatasetVersion:
    """Three items: two that echo well, one that the agent fails on."""
    dataset = create_dataset(project, "Echoes")
    drafts = [ItemDraft(input=text, ground_truth=text) for text in ("one", "two", "fail")]
    return add_items(dataset, drafts, None)


Launch = Callable[..., Experiment]


@pytest.fixture
def launch(project: Project, agent: Agent, items: DatasetVersion) -> Launch:
    """Launch the agent on the items with two checks; keywords change the plan."""

    def launch(**changes: Any) -> Experiment:
        includes = save_check(project, "check-includes", {"expected": "echo"})
        errors = save_check(project, "check-no-tool-errors", {})
        asked = [Asked(includes.current, threshold_min=0.5), Asked(errors.current, is_gate=True)]
        plan: dict[str, Any] = {
            "project": project,
            "agent_version": agent.current,
            "dataset_version": items,
            "asked": asked,
        }
        return launch_experiment(ExperimentPlan(**plan | changes))

    return launch
