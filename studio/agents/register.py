"""Make rows of the python agents that the settings name."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from studio.accounts.models import Project
from studio.agents.errors import AgentUnavailable
from studio.agents.found import Found, agents_in
from studio.agents.models import Agent
from studio.agents.versions import save_version

log = logging.getLogger(__name__)
RESERVED = {"new", "connections"}  # words that addresses use beside slugs


def register_agents(project: Project) -> list[Agent]:
    """Every agent of STUDIO_AGENTS, each with the version of its present source."""
    agents = []
    for dotted in settings.STUDIO_AGENTS:
        try:
            agents += [register(project, found) for found in agents_in(dotted.strip())]
        except AgentUnavailable as error:
            log.warning("STUDIO_AGENTS: %s", error)
    return agents


@transaction.atomic
def register(project: Project, found: Found) -> Agent:
    """The row of one python agent, made or brought up to date."""
    known = Agent.objects.filter(project=project, kind=Agent.Kind.PYTHON)
    agent = known.filter(version__spec__entry=found.entry).first()
    if agent is None:
        agent = Agent(project=project, kind=Agent.Kind.PYTHON)
        agent.slug = free_slug(project, found.name)
    agent.name, agent.description = found.name, found.description
    agent.save()
    save_version(agent, found.spec())
    return agent


def free_slug(project: Project, name: str) -> str:
    """A slug for a name that no other agent of the project has."""
    base = slugify(name)[:60] or "agent"
    taken = set(project.agents.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= RESERVED
    if base not in taken:
        return base
    return next(f"{base}-{n}" for n in range(2, len(taken) + 3) if f"{base}-{n}" not in taken)
