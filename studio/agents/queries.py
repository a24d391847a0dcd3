"""What the agent pages read."""

from __future__ import annotations

from django.db.models import Count, QuerySet

from studio.accounts.models import Project
from studio.agents.models import Agent, AgentVersion, ProviderConnection


def agents_of(project: Project) -> QuerySet[Agent]:
    """The agents of a list, without the definitions of their versions."""
    rows = Agent.objects.filter(project=project).active().by_name()
    return rows.select_related("version", "connection").defer(
        "version__spec", "connection__encrypted_key"
    )


def agent_rows(project: Project) -> QuerySet[Agent]:
    """Agents with all that their own page shows, but no key."""
    rows = Agent.objects.filter(project=project).select_related("version__author", "connection")
    return rows.defer("connection__encrypted_key")


def versions_of(agent: Agent) -> QuerySet[AgentVersion]:
    """Its versions, the newest first, without their definitions."""
    return agent.versions.select_related("author").defer("spec").order_by("-number")


def connections_of(project: Project) -> QuerySet[ProviderConnection]:
    """The project's connections by name, each with how many agents use it; never the key."""
    rows = ProviderConnection.objects.filter(project=project).defer("encrypted_key")
    return rows.annotate(agents=Count("agent")).order_by("name", "pk")
