"""Agents and a connection that the tests of agents share."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from studio.accounts.models import Project
from studio.agents.connections import ConnectionDraft, save_connection
from studio.agents.make import AgentDraft, create_agent
from studio.agents.models import Agent, ProviderConnection

KEY = "sk-very-secret-key-9876"


@pytest.fixture
def connection(project: Project, settings: Settings) -> ProviderConnection:
    """A local model."""
    settings.STUDIO_OUTBOUND_ALLOW = ["127.0.0.1:9"]
    return save_connection(project, ConnectionDraft("Local", "http://127.0.0.1:9/v1", KEY))


@pytest.fixture
def helper(project: Project, connection: ProviderConnection) -> Agent:
    """An agent behind that model."""
    return create_agent(project, AgentDraft("Helper", connection, "tiny", instructions="Be kind."))
