"""The people of a project and their tokens, on the settings page."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.test import Client

from studio.accounts.models import ApiToken, Project
from studio.accounts.tokens import make_token

ROOT = "/p/demo/settings/"


def test_a_token_is_shown_once(ada_client: Client, project: Project) -> None:
    made = ada_client.post(f"{ROOT}tokens/", {"name": "CI", "scope": "write", "days": "30"})
    found = re.search(r"es_[\w-]{43}", made.content.decode())
    assert found is not None
    assert made["Cache-Control"] == "no-store"
    page = ada_client.get(ROOT).content.decode()
    token = project.tokens.get()
    assert token.prefix in page
    assert found[0] not in page
    assert found[0] not in str(ApiToken.objects.values())
    assert token.expires_at is not None


def test_a_wrong_token_form_is_shown_again(ada_client: Client, project: Project) -> None:
    answer = ada_client.post(f"{ROOT}tokens/", {"name": "", "scope": "all", "days": "0"})
    assert answer.status_code == 422
    assert not project.tokens.exists()


def test_editors_end_their_own_tokens_only(
    bo_client: Client, ada: User, bo: User, project: Project
) -> None:
    project.members.filter(user=bo).update(role="editor")
    hers, his = (make_token(project, user, "t", "read")[0] for user in (ada, bo))
    assert bo_client.post(f"{ROOT}tokens/{hers.pk}/revoke/").status_code == 404
    assert bo_client.post(f"{ROOT}tokens/{his.pk}/revoke/").status_code == 302
    hers.refresh_from_db()
    his.refresh_from_db()
    assert (hers.is_live, his.is_live) == (True, False)


def test_admins_give_and_take_roles(ada_client: Client, cy: User, project: Project) -> None:
    ada_client.post(f"{ROOT}members/", {"username": "cy", "role": "viewer"})
    member = project.members.get(user=cy)
    assert member.role == "viewer"
    ada_client.post(f"{ROOT}members/", {"username": "cy", "role": "editor"})
    assert project.members.get(user=cy).role == "editor"
    ada_client.post(f"{ROOT}members/{member.pk}/remove/")
    assert not project.members.filter(user=cy).exists()


def test_admins_cannot_change_or_remove_themselves(
    ada_client: Client, ada: User, project: Project
) -> None:
    own = project.members.get(user=ada)
    ada_client.post(f"{ROOT}members/", {"username": "ada", "role": "viewer"})
    assert ada_client.post(f"{ROOT}members/{own.pk}/remove/").status_code == 404
    own.refresh_from_db()
    assert own.role == "admin"


def test_nobody_of_that_name_is_said(ada_client: Client) -> None:
    answer = ada_client.post(f"{ROOT}members/", {"username": "nobody", "role": "viewer"})
    assert answer.status_code == 422
    assert b"Nobody has an account of that name." in answer.content
