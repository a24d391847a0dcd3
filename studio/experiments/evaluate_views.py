"""An agent's Evaluate tab: its experiments, the datasets it can be run on, and its scorers."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from studio.agents.models import Agent
from studio.experiments.evaluate_queries import (
    attached_scorers,
    dataset_rows,
    other_scorers,
)
from studio.experiments.queries import rows_for, with_verdicts
from studio.web.access import may, project_page
from studio.web.http import Request, render_page
from studio.web.paging import page_of

SECTIONS = {"experiments": "Experiments", "datasets": "Datasets", "scorers": "Scorers"}


@project_page
@require_safe
def agent_evaluate(request: Request, slug: str) -> HttpResponse:
    """One section of the tab; Run experiment is always at hand."""
    agents = Agent.objects.select_related("version").defer("version__spec")
    agent = get_object_or_404(agents, project=request.project, slug=slug)
    asked = request.GET.get("section", "")
    section = asked if asked in SECTIONS else "experiments"
    context = frame(request, agent, section) | SECTION_CONTEXT[section](request, agent)
    part = f"experiments/_evaluate_{section}.html"
    return render_page(request, "experiments/evaluate.html", part=part, context=context)


def frame(request: Request, agent: Agent, section: str) -> dict[str, Any]:
    """What every section of the tab needs."""
    project = request.project.slug
    here = reverse("experiments:evaluate", args=[project, agent.slug])
    titles = {key: (title, f"{here}?section={key}") for key, title in SECTIONS.items()}
    return {
        "nav": "agents",
        "agent": agent,
        "section": section,
        "part": f"experiments/_evaluate_{section}.html",
        "address": here,
        "may_write": may(request.member, "editor"),
        "crumbs": [
            {"title": "Agents", "url": reverse("agents:list", args=[project])},
            {"title": agent.name, "url": None},
        ],
        "tabs": [
            {
                "title": "Overview",
                "url": reverse("agents:detail", args=[project, agent.slug]),
            },
            {"title": "Evaluate", "url": here, "active": True},
        ],
        "sections": [
            {"title": title, "url": url, "active": key == section}
            for key, (title, url) in titles.items()
        ],
    }


def experiments_section(request: Request, agent: Agent) -> dict[str, Any]:
    """The agent's experiments, the latest first."""
    page = page_of(request.GET, with_verdicts(request.project).filter(agent=agent))
    return {"page": page, "rows": rows_for(page.rows), "of_one_agent": True}


def datasets_section(request: Request, agent: Agent) -> dict[str, Any]:
    """The project's datasets, each with the agent's latest experiment on it."""
    page = page_of(request.GET, request.project.datasets.all())
    return {"page": page, "datasets": dataset_rows(page.rows, agent)}


def scorers_section(request: Request, agent: Agent) -> dict[str, Any]:
    """The scorers that the agent is judged by, and those that could be attached."""
    return {"attached": attached_scorers(agent), "others": other_scorers(agent)}


SECTION_CONTEXT = {
    "experiments": experiments_section,
    "datasets": datasets_section,
    "scorers": scorers_section,
}
