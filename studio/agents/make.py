"""Make and change agents that are asked over an OpenAI-compatible API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from studio.accounts.models import Project
from studio.agents.models import Agent, AgentVersion, ProviderConnection
from studio.agents.register import free_slug
from studio.agents.versions import save_version
from studio.web.text import clean


@dataclass(frozen=True, slots=True)
class AgentDraft:
    """What a form or the API says about an agent behind a URL."""

    name: str
    connection: ProviderConnection
    model: str
    description: str = ""
    instructions: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    label: str = ""

    def spec(self) -> dict[str, Any]:
        """The frozen definition; the key is no part of it."""
        return {
            "base_url": self.connection.base_url,
            "model": self.model,
            "instructions": self.instructions,
            "parameters": self.parameters,
        }


@transaction.atomic
def create_agent(project: Project, draft: AgentDraft, author: User | None = None) -> Agent:
    """A new agent with its first version."""
    agent = Agent.objects.create(
        project=project,
        slug=free_slug(project, draft.name),
        name=clean(draft.name),
        description=clean(draft.description),
        kind=Agent.Kind.OPENAI,
        connection=draft.connection,
    )
    save_version(agent, draft.spec(), author, draft.label)
    return agent


@transaction.atomic
def change_agent(agent: Agent, draft: AgentDraft, author: User | None = None) -> AgentVersion:
    """The version of a changed definition; name and description are no part of one."""
    agent.name, agent.description = clean(draft.name), clean(draft.description)
    agent.connection = draft.connection
    agent.save(update_fields=["name", "description", "connection"])
    return save_version(agent, draft.spec(), author, draft.label)
