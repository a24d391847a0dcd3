"""Agents and connections over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from studio.accounts.models import Project
from studio.agents.models import Agent, ProviderConnection
from studio.agents.register import register_agents

HOME = "/api/v1/projects/demo/agents/"
KEY = "sk-very-secret-key-9876"
CONNECTION = {"name": "Local", "base_url": "http://127.0.0.1:9/v1", "key": KEY}
AGENT = {"name": "Poet", "connection": "Local", "model": "tiny", "parameters": {"top_p": 1}}


@pytest.fixture(autouse=True)
def _open_a_port(settings: Settings) -> None:
    settings.STUDIO_OUTBOUND_ALLOW = ["127.0.0.1:9"]


def post(client: Client, path: str, body: Any, method: str = "post") -> Any:
    """Send JSON."""
    send = getattr(client, method)
    return send(HOME + path, body, content_type="application/json")


def test_it_lists_agents_by_page(ada_client: Client, project: Project) -> None:
    register_agents(project)
    page = ada_client.get(HOME + "?limit=1").json()
    assert [row["slug"] for row in page["results"]] == ["arithmetic"]
    rest = ada_client.get(HOME + page["next"]).json()
    assert [row["slug"] for row in rest["results"]] == ["weather"]


def test_it_reads_an_agent_with_its_definition(ada_client: Client, project: Project) -> None:
    register_agents(project)
    agent = ada_client.get(HOME + "weather/").json()
    assert agent["kind"] == "python"
    assert agent["version"]["spec"]["entry"] == "studio.demo_agents:Weather"


def test_it_makes_a_connection_an_agent_and_a_version(ada_client: Client) -> None:
    made = post(ada_client, "connections/", CONNECTION)
    assert made.status_code == 201
    assert made.json()["key_hint"] == "9876"
    agent = post(ada_client, "", AGENT).json()
    assert agent["version"]["number"] == 1
    changed = post(ada_client, "poet/versions/", AGENT | {"model": "big", "label": "bigger"})
    assert (changed.json()["number"], changed.json()["label"]) == (2, "bigger")
    same = post(ada_client, "poet/versions/", AGENT)
    assert same.json()["number"] == 1
    versions = ada_client.get(HOME + "poet/versions/").json()["results"]
    assert [row["number"] for row in versions] == [2, 1]


def test_no_answer_holds_a_key(ada_client: Client) -> None:
    made = post(ada_client, "connections/", CONNECTION)
    post(ada_client, "", AGENT)
    answers = [made, *(ada_client.get(HOME + path) for path in ("connections/", "poet/", ""))]
    assert all(KEY.encode() not in answer.content for answer in answers)


def test_moving_a_connection_without_its_key_removes_the_key(
    ada_client: Client, settings: Settings
) -> None:
    settings.STUDIO_OUTBOUND_ALLOW.append("127.0.0.1:10")
    pk = post(ada_client, "connections/", CONNECTION).json()["id"]
    moved = {"name": "Local", "base_url": "http://127.0.0.1:10/v1"}
    assert post(ada_client, f"connections/{pk}/", moved, "put").json()["key_hint"] == ""
    assert bytes(ProviderConnection.objects.get(pk=pk).encrypted_key) == b""


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"connection": "None such"}, "connection"),
        ({"parameters": {"stream": True}}, "parameters"),
        ({"parameters": [1]}, "parameters"),
        ({"model": ""}, "model"),
        ({"name": None}, "name"),
    ],
)
def test_wrong_values_are_named(ada_client: Client, change: dict[str, Any], field: str) -> None:
    post(ada_client, "connections/", CONNECTION)
    answer = post(ada_client, "", AGENT | change)
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"
    assert field in answer.json()["errors"]


def test_private_addresses_are_refused(ada_client: Client) -> None:
    answer = post(ada_client, "connections/", CONNECTION | {"base_url": "http://10.0.0.1/v1"})
    assert answer.status_code == 400
    assert "private address" in answer.json()["errors"]["base_url"][0]


def test_a_python_agent_gets_no_versions_this_way(ada_client: Client, project: Project) -> None:
    register_agents(project)
    post(ada_client, "connections/", CONNECTION)
    assert post(ada_client, "weather/versions/", AGENT).status_code == 404


def test_readers_may_read_and_strangers_find_nothing(
    bo_client: Client, cy_client: Client, client: Client, project: Project
) -> None:
    register_agents(project)
    assert bo_client.get(HOME + "weather/").status_code == 200
    assert post(bo_client, "", AGENT).status_code == 403
    assert cy_client.get(HOME + "weather/").status_code == 404
    assert client.get(HOME).status_code in {401, 403}
    assert not Agent.objects.filter(kind="openai").exists()
