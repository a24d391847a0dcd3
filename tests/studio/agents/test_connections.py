"""Keys are stored encrypted, and never follow to another address."""

from __future__ import annotations

import asyncio

import pytest
from pytest_django import Settings

from studio.accounts.models import Project
from studio.agents.call import AgentUnavailable, OpenAIAgent, target_for
from studio.agents.connections import ConnectionDraft, save_connection
from studio.agents.errors import ConnectionRefused
from studio.agents.keys import decrypt, hint_of
from studio.agents.models import Agent, ProviderConnection
from tests.studio.agents.conftest import KEY
from tests.studio.llm.host import running_host, saying

URL = "http://127.0.0.1:9/v1"


def test_the_stored_key_is_not_the_key(connection: ProviderConnection) -> None:
    connection.refresh_from_db()
    stored = bytes(connection.encrypted_key)
    assert KEY.encode() not in stored
    assert decrypt(stored) == KEY
    assert connection.key_hint == "9876"


def test_a_short_key_shows_nothing_of_itself() -> None:
    assert hint_of("short") == ""


def test_a_former_secret_still_opens_it(connection: ProviderConnection, settings: Settings) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-secret"
    assert decrypt(connection.encrypted_key) == KEY


def test_a_lost_secret_asks_for_the_key_again(
    connection: ProviderConnection, settings: Settings
) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-secret", []
    with pytest.raises(AgentUnavailable, match="enter it again"):
        decrypt(connection.encrypted_key)


def test_another_address_without_a_key_removes_the_key(
    project: Project, connection: ProviderConnection, settings: Settings
) -> None:
    settings.STUDIO_OUTBOUND_ALLOW.append("127.0.0.1:10")
    draft = ConnectionDraft("Local", "http://127.0.0.1:10/v1")
    moved = save_connection(project, draft, connection)
    assert (bytes(moved.encrypted_key), moved.key_hint) == (b"", "")


def test_the_same_address_keeps_the_key(project: Project, connection: ProviderConnection) -> None:
    renamed = save_connection(project, ConnectionDraft("Mine", URL + "/"), connection)
    assert decrypt(renamed.encrypted_key) == KEY


def test_agents_of_a_moved_connection_get_a_version_with_the_new_address(
    project: Project, helper: Agent, connection: ProviderConnection, settings: Settings
) -> None:
    old = helper.version
    assert old is not None
    settings.STUDIO_OUTBOUND_ALLOW.append("127.0.0.1:10")
    save_connection(project, ConnectionDraft("Local", "http://127.0.0.1:10/v1"), connection)
    helper.refresh_from_db()
    assert helper.version is not None
    assert helper.version.spec["base_url"] == "http://127.0.0.1:10/v1"
    old.refresh_from_db()
    with pytest.raises(AgentUnavailable, match="the connection is at"):
        target_for(old)


def test_private_addresses_are_refused_with_the_way_to_allow_them(project: Project) -> None:
    with pytest.raises(ConnectionRefused, match=r"STUDIO_OUTBOUND_ALLOW=10\.0\.0\.1:80"):
        save_connection(project, ConnectionDraft("Inside", "http://10.0.0.1/v1"))


def test_two_connections_of_one_name_are_refused(
    project: Project, connection: ProviderConnection
) -> None:
    with pytest.raises(ConnectionRefused, match="named Local already"):
        save_connection(project, ConnectionDraft("Local", URL))


def test_it_asks_the_model_with_instructions_and_key(project: Project, settings: Settings) -> None:
    from studio.agents.make import AgentDraft, create_agent

    with running_host() as host:
        settings.STUDIO_OUTBOUND_ALLOW = [host.target]
        host.answers = [saying("Hello, Ada.")]
        made = save_connection(project, ConnectionDraft("Host", host.base_url, KEY))
        agent = create_agent(project, AgentDraft("Kind", made, "tiny", instructions="Be kind."))
        assert agent.version is not None
        target = target_for(agent.version)
        answer = asyncio.run(target.generate("Hello, I am Ada."))
    assert answer["messages"][0]["content"]["content"] == "Hello, Ada."
    assert answer["usage"] == {"inputTokens": 11, "outputTokens": 7}
    assert [m["role"] for m in host.asked[0]["body"]["messages"]] == ["system", "user"]
    assert host.asked[0]["headers"]["Authorization"] == f"Bearer {KEY}"


def test_the_key_is_in_no_text_of_the_target(helper: Agent) -> None:
    assert helper.version is not None
    target = target_for(helper.version)
    assert isinstance(target, OpenAIAgent)
    assert target.key == KEY
    assert KEY not in repr(target)
    assert KEY not in str(helper.version.spec)
