"""The demo project: agents, scorers, datasets and an experiment each, run by our own workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.agents.register import register_agents
from studio.datasets.models import DatasetVersion
from studio.datasets.save import ItemDraft, add_items, create_dataset
from studio.experiments.launch import Asked, ExperimentPlan, launch_experiment
from studio.scorers.models import Scorer
from studio.scorers.save import attach_scorer, save_check

DATA = Path(settings.BASE_DIR) / "studio" / "demo_data"
GROUND_TRUTH: dict[str, object] = {"ground_truth": True}
Demand = tuple[str, dict[str, object], str, dict[str, Any]]

WEATHER: list[Demand] = [
    ("check-no-tool-errors", {}, "No tool fails", {"is_gate": True}),
    (
        "check-called-tool",
        {"tool_name": "get_weather"},
        "Looks the weather up",
        {"threshold_min": 0.9},
    ),
    (
        "check-includes",
        {"expected": GROUND_TRUTH},
        "Says the right weather",
        {"threshold_min": 0.8},
    ),
    ("check-max-tool-calls", {"limit": 2}, "At most two calls", {}),
]
ARITHMETIC: list[Demand] = [
    ("check-no-tool-errors", {}, "No tool fails", {"is_gate": True}),
    (
        "check-includes",
        {"expected": GROUND_TRUTH},
        "Reaches the right number",
        {"threshold_min": 0.7},
    ),
    (
        "check-called-tool",
        {"tool_name": "calculate"},
        "Uses the calculator",
        {"threshold_min": 0.9},
    ),
    ("check-matches", {"pattern": r"The answer is -?\d"}, "Ends with an answer", {}),
    ("check-excludes", {"expected": "I cannot"}, "Does not give up", {}),
]


@transaction.atomic
def make_demo(project: Project, author: Any = None) -> None:
    """Fill a project; its experiments are launched here and run by the workers."""
    agents = {agent.slug: agent for agent in register_agents(project)}
    fill(
        project,
        agents["weather"],
        "Weather questions",
        "weather.jsonl",
        WEATHER,
        author,
    )
    fill(
        project,
        agents["arithmetic"],
        "Word problems",
        "arithmetic.jsonl",
        ARITHMETIC,
        author,
    )


def fill(
    project: Project,
    agent: Agent,
    name: str,
    file: str,
    demands: list[Demand],
    author: Any,
) -> None:
    """One agent's dataset, its scorers attached, and its first experiment."""
    asked = [demand(project, agent, each, author) for each in demands]
    version = dataset(project, name, file, author)
    launch_experiment(
        ExperimentPlan(
            project=project,
            agent_version=agent.current,
            dataset_version=version,
            asked=asked,
            name=f"{agent.name}: first run",
            note="Launched with the demo project and run by this studio's own workers.",
            author=author,
        )
    )


def demand(project: Project, agent: Agent, each: Demand, author: Any) -> Asked:
    """A check, attached to the agent with what is demanded of it."""
    kind, arguments, name, limits = each
    scorer: Scorer = save_check(project, kind, arguments, name=name, author=author)
    attach_scorer(agent, scorer, **limits)
    return Asked(scorer.current, **limits)


def dataset(project: Project, name: str, file: str, author: Any) -> DatasetVersion:
    """A dataset of the rows in one of our own files."""
    rows = [orjson.loads(line) for line in (DATA / file).read_bytes().splitlines()]
    drafts = [ItemDraft(**row) for row in rows]
    made = create_dataset(project, name, description="Made with the demo project.", author=author)
    return add_items(made, drafts, author, note="demo rows")
