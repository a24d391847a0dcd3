"""The pages of agents: what they show, who may write, and how they refuse."""

from __future__ import annotations

from django.test import Client

from studio.accounts.models import AuditEntry, Project
from studio.agents.models import Agent, ProviderConnection
from studio.agents.register import register_agents
from studio.agents.versions import save_version
from tests.studio.agents.conftest import KEY

HOME = "/p/demo/agents/"
HOSTILE = "<img src=x onerror=alert(1)>{{ 7|add:7 }}"


def test_an_empty_list_says_what_to_do_next(ada_client: Client) -> None:
    html = ada_client.get(HOME).content.decode()
    assert "No agents yet" in html
    assert "STUDIO_AGENTS" in html


def test_the_list_shows_agents_with_kind_and_version(ada_client: Client, project: Project) -> None:
    register_agents(project)
    html = ada_client.get(HOME).content.decode()
    assert html.index("Arithmetic") < html.index("Weather")
    assert f'href="{HOME}weather/"' in html
    assert "v1" in html


def test_the_list_asks_the_database_the_same_however_many_agents(
    ada_client: Client, project: Project, django_assert_max_num_queries: object
) -> None:
    register_agents(project)
    with django_assert_max_num_queries(5):  # type: ignore[operator]
        ada_client.get(HOME)


def test_the_page_shows_definition_versions_and_the_end_of_the_key(
    ada_client: Client, helper: Agent
) -> None:
    assert helper.version is not None
    save_version(helper, helper.version.spec | {"model": "big"}, label="bigger")
    html = ada_client.get(f"{HOME}helper/").content.decode()
    for text in ("Be kind.", "big", "bigger", "v2", "v1", "…9876", "http://127.0.0.1:9/v1"):
        assert text in html
    assert KEY not in html


def test_strangers_see_nothing_and_unknown_agents_are_404(
    cy_client: Client, ada_client: Client, client: Client, helper: Agent
) -> None:
    assert cy_client.get(f"{HOME}helper/").status_code == 404
    assert ada_client.get(f"{HOME}nobody/").status_code == 404
    assert client.get(HOME).status_code == 302


def test_who_may_only_read_gets_no_form_and_cannot_post(
    bo_client: Client, helper: Agent, connection: ProviderConnection
) -> None:
    html = bo_client.get(f"{HOME}helper/").content.decode()
    assert f"{HOME}helper/edit/" not in html
    for path in ("new/", "helper/edit/", "connections/new/", f"connections/{connection.pk}/"):
        assert bo_client.get(HOME + path).status_code == 403
        assert bo_client.post(HOME + path, {}).status_code == 403
    assert bo_client.post(f"{HOME}connections/{connection.pk}/delete/").status_code == 403


def form(connection: ProviderConnection, **changes: object) -> dict[str, object]:
    """A filled agent form."""
    given = {"name": "Poet", "connection": connection.pk, "model": "tiny", "temperature": "0.2"}
    return given | {"parameters": '{"top_p": 0.9}', "label": "first"} | changes


def test_it_makes_an_agent_by_form(ada_client: Client, connection: ProviderConnection) -> None:
    answer = ada_client.post(f"{HOME}new/", form(connection, instructions="Rhyme.\n"))
    assert answer["Location"] == f"{HOME}poet/"
    agent = Agent.objects.get(slug="poet")
    assert agent.version is not None
    assert agent.version.label == "first"
    assert agent.version.spec["parameters"] == {"top_p": 0.9, "temperature": 0.2}
    assert AuditEntry.objects.filter(action="agent made", object_id=str(agent.pk)).exists()


def test_editing_makes_a_new_version_and_the_form_begins_with_the_old(
    ada_client: Client, helper: Agent, connection: ProviderConnection
) -> None:
    assert "Be kind." in ada_client.get(f"{HOME}helper/edit/").content.decode()
    ada_client.post(f"{HOME}helper/edit/", form(connection, name="Helper", label="second"))
    helper.refresh_from_db()
    assert helper.version is not None
    assert (helper.version.number, helper.version.label) == (2, "second")


def test_a_wrong_form_is_422_and_keeps_what_was_written(
    ada_client: Client, connection: ProviderConnection
) -> None:
    wrong = form(connection, parameters='{"model": "other"}', instructions="Keep me")
    answer = ada_client.post(f"{HOME}new/", wrong)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "model cannot be set here" in html
    assert "Keep me" in html


def test_a_foreign_connection_cannot_be_used(
    ada_client: Client, connection: ProviderConnection, other_project: Project
) -> None:
    foreign = ProviderConnection.objects.create(
        project=other_project, name="Theirs", base_url="https://example.org/v1"
    )
    assert ada_client.post(f"{HOME}new/", form(foreign)).status_code == 422
    assert ada_client.get(f"{HOME}connections/{foreign.pk}/").status_code == 404


def test_without_a_connection_the_form_says_to_make_one(ada_client: Client) -> None:
    html = ada_client.get(f"{HOME}new/").content.decode()
    assert "First a connection" in html


def test_a_python_agent_has_no_form(ada_client: Client, project: Project) -> None:
    register_agents(project)
    assert ada_client.get(f"{HOME}weather/edit/").status_code == 404


def test_connections_show_the_end_of_a_key_and_never_the_key(
    ada_client: Client, connection: ProviderConnection
) -> None:
    for path in ("connections/", f"connections/{connection.pk}/"):
        html = ada_client.get(HOME + path).content.decode()
        assert "9876" in html
        assert KEY not in html


def test_a_private_address_is_refused_in_the_form(ada_client: Client) -> None:
    sent = {"name": "In", "base_url": "http://169.254.169.254/v1", "key": KEY}
    answer = ada_client.post(f"{HOME}connections/new/", sent)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "is a private address" in html
    assert KEY not in html


def test_a_used_connection_stays_and_an_unused_one_is_deleted(
    ada_client: Client, helper: Agent, connection: ProviderConnection
) -> None:
    url = f"{HOME}connections/{connection.pk}/delete/"
    ada_client.post(url)
    assert ProviderConnection.objects.filter(pk=connection.pk).exists()
    helper.delete()
    ada_client.post(url)
    assert not ProviderConnection.objects.filter(pk=connection.pk).exists()


def test_hostile_texts_are_shown_as_texts(
    ada_client: Client, helper: Agent, connection: ProviderConnection
) -> None:
    assert helper.version is not None
    Agent.objects.update(name=HOSTILE, description=HOSTILE)
    ProviderConnection.objects.update(name=HOSTILE)
    hostile = helper.version.spec | {"model": HOSTILE, "instructions": HOSTILE}
    save_version(Agent.objects.get(), hostile, label=HOSTILE)
    edit = f"connections/{connection.pk}/"
    for path in ("", "helper/", "helper/edit/", "connections/", "new/", edit):
        html = ada_client.get(HOME + path).content.decode()
        assert "<img src=x" not in html, path
        assert "onerror" in html, path
        assert ">14" not in html, path


def test_a_form_without_parameters_shows_an_empty_field(ada_client: Client, helper: Agent) -> None:
    html = ada_client.get(f"{HOME}helper/edit/").content.decode()
    assert "null" not in html.split('name="parameters"')[1].split("</textarea>")[0]
