"""A version is content: the same definition is the same version."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest
from django.db import IntegrityError
from pytest_django import Settings

from studio.accounts.models import Project
from studio.agents import found
from studio.agents.call import AgentUnavailable, target_for
from studio.agents.models import Agent, AgentVersion
from studio.agents.register import free_slug, register_agents
from studio.agents.versions import content_hash, save_version

MODULE = '''
"""Somebody's agents."""
from studio.agents.found import agent

@agent("Echo", "Says it again.")
def echo(input):
    return input

async def not_an_agent(input):
    return input

class Bot:
    """Answers politely."""
    async def generate(self, input):
        return "Yes."

polite_bot = Bot()
'''


@pytest.fixture
def module(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of agents that the settings name."""
    path = tmp_path / "my_agents_for_tests.py"
    path.write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("my_agents_for_tests", None)
    found.source_hash.cache_clear()
    settings.STUDIO_AGENTS = ["my_agents_for_tests"]
    return path


def current(agent: Agent) -> AgentVersion:
    """The version that an agent has now."""
    assert agent.version is not None
    return agent.version


def test_it_registers_the_demo_agents(project: Project) -> None:
    agents = register_agents(project)
    assert [agent.slug for agent in agents] == ["weather", "arithmetic"]
    assert current(agents[0]).spec["entry"] == "studio.demo_agents:Weather"


def test_registering_again_changes_nothing(project: Project) -> None:
    first = [agent.version_id for agent in register_agents(project)]
    assert [agent.version_id for agent in register_agents(project)] == first
    assert AgentVersion.objects.count() == 2


def test_it_finds_marked_functions_and_objects_with_generate(
    project: Project, module: Path
) -> None:
    agents = register_agents(project)
    assert [(a.name, a.description) for a in agents] == [
        ("Echo", "Says it again."),
        ("Bot", "Answers politely."),
    ]


def test_changed_source_is_a_new_version_and_the_old_one_is_not_asked(
    project: Project, module: Path
) -> None:
    (old, _) = [current(agent) for agent in register_agents(project)]
    assert target_for(old)("hello") == "hello"
    module.write_text(MODULE + "\n# changed\n")
    found.source_hash.cache_clear()
    (new, _) = [current(agent) for agent in register_agents(project)]
    assert (old.number, new.number) == (1, 2)
    with pytest.raises(AgentUnavailable, match="source of this agent has changed"):
        target_for(old)


def test_a_module_that_fails_is_told_and_the_others_are_registered(
    project: Project, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.STUDIO_AGENTS = ["no.such.module", "studio.demo_agents"]
    with caplog.at_level(logging.WARNING):
        assert len(register_agents(project)) == 2
    assert "no.such.module could not be loaded" in caplog.text


def test_an_agent_that_is_gone_says_so(project: Project) -> None:
    (agent, *_) = register_agents(project)
    spec = current(agent).spec | {"entry": "studio.demo_agents:Nobody"}
    with pytest.raises(AgentUnavailable, match="no longer offers an agent named Nobody"):
        target_for(save_version(agent, spec))


def test_the_same_definition_is_the_same_version_whatever_its_order(helper: Agent) -> None:
    first = helper.version
    assert first is not None
    again = dict(reversed(first.spec.items()))
    assert save_version(helper, again).pk == first.pk
    assert content_hash(again) == first.hash


def test_going_back_makes_the_old_version_current_again(helper: Agent) -> None:
    first = helper.version
    assert first is not None
    second = save_version(helper, first.spec | {"model": "big"}, label="bigger")
    assert (second.number, str(second)) == (2, "bigger")
    save_version(helper, first.spec)
    helper.refresh_from_db()
    assert helper.version_id == first.pk


def test_the_database_refuses_the_same_content_twice(helper: Agent) -> None:
    version = helper.version
    assert version is not None
    with pytest.raises(IntegrityError):
        AgentVersion.objects.create(agent=helper, number=9, hash=version.hash, spec={})


def test_slugs_keep_clear_of_each_other_and_of_addresses(project: Project, helper: Agent) -> None:
    assert free_slug(project, "Helper") == "helper-2"
    assert free_slug(project, "New") == "new-2"
    assert free_slug(project, "日本") == "agent"
