"""The record of who did what."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from studio.accounts.models import AuditEntry, Project
from studio.accounts.sign_in import make_local_link
from tests.studio.world import everything

ROOT = "/p/demo/settings/"
SECRET = "hunter2-hunter2-hunter2"


def entries(**fields: Any) -> list[tuple[str, str, str]]:
    """Who did what with which outcome, oldest first."""
    found = AuditEntry.objects.filter(**fields).order_by("pk")
    return [(entry.actor_name, entry.action, entry.outcome) for entry in found]


def test_sign_ins_are_recorded_with_their_address(client: Client, ada: User) -> None:
    client.post("/sign-in/", {"username": "ada", "password": SECRET})
    client.post(make_local_link())
    assert ("ada", "sign in", "refused") in entries(address="127.0.0.1")
    assert ("owner", "sign in", "done") in entries(address="127.0.0.1")
    assert SECRET not in str(list(AuditEntry.objects.values()))


def test_tokens_and_members_are_recorded(ada_client: Client, bo: User, project: Project) -> None:
    body = ada_client.post(f"{ROOT}tokens/", {"name": "CI", "scope": "read"}).content.decode()
    token = project.tokens.get()
    ada_client.post(f"{ROOT}tokens/{token.pk}/revoke/")
    ada_client.post(f"{ROOT}members/", {"username": "bo", "role": "editor"})
    ada_client.post(f"{ROOT}members/{project.members.get(user=bo).pk}/remove/")
    said = [action for _, action, _ in entries(project_id=project.pk, actor_name="ada")]
    assert said == ["create token", "revoke token", "set role", "remove member"]
    stored = str(list(AuditEntry.objects.values()))
    assert token.prefix in body
    assert token.prefix not in stored
    assert token.hash not in stored


def test_launches_and_cancels_are_recorded(ada_client: Client, ada: User, project: Project) -> None:
    ids = everything(project, ada, "adas")
    answer = ada_client.post(
        "/api/v1/projects/demo/experiments/",
        {"agent": ids["agent"], "dataset": ids["dataset"]},
        content_type="application/json",
    )
    assert answer.status_code in {200, 201, 202}, answer.content
    ada_client.post(f"/p/demo/experiments/{answer.json()['id']}/cancel/")
    made = entries(project_id=project.pk, object_type="Experiment")
    assert made == [("ada", "launch", "done"), ("ada", "cancel", "done")]


def test_a_connections_key_is_not_in_the_record(ada_client: Client, project: Project) -> None:
    ada_client.post(
        "/api/v1/projects/demo/agents/connections/",
        {"name": "Host", "base_url": "https://93.184.215.14/v1", "key": SECRET},
        content_type="application/json",
    )
    assert entries(project_id=project.pk)
    assert SECRET not in str(list(AuditEntry.objects.values()))


def test_the_record_outlives_the_project(ada_client: Client, ada: User, project: Project) -> None:
    ada_client.post(f"{ROOT}tokens/", {"name": "CI", "scope": "read"})
    project.delete()
    ada.delete()
    kept = AuditEntry.objects.get(action="create token")
    assert (kept.actor_name, kept.project_name) == ("ada", "Demo")


def test_admins_read_it_a_page_at_a_time(ada_client: Client, project: Project) -> None:
    ada_client.post(f"{ROOT}tokens/", {"name": "CI", "scope": "read"})
    page = ada_client.get(f"{ROOT}audit/").content.decode()
    assert "create token" in page
    assert ada_client.get(f"{ROOT}audit/?before=1").status_code == 200


def test_the_record_of_another_project_is_not_shown(ada_client: Client, cy_client: Client) -> None:
    cy_client.post("/p/other/settings/tokens/", {"name": "cys token", "scope": "read"})
    assert "create token" not in ada_client.get(f"{ROOT}audit/").content.decode()
