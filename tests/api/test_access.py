"""Tokens: who may call the API with which."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from studio.accounts.models import ApiToken, Project
from studio.accounts.tokens import make_token

LIST = "/api/v1/projects/demo/datasets/"


def get(token: str, path: str = LIST, **params: str) -> Any:
    """Read with a token."""
    return Client().get(path, params, headers={"Authorization": f"Bearer {token}"})


def post(token: str) -> Any:
    """Make a dataset with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    return Client().post(LIST, {"name": "New"}, content_type="application/json", headers=headers)


@pytest.fixture
def tokens(project: Project, ada: User) -> dict[str, str]:
    """A token of Ada's for each scope."""
    return {
        scope: make_token(project, ada, scope, scope)[1] for scope in ("read", "write", "ingest")
    }


def test_scopes_decide_what_a_token_may(tokens: dict[str, str]) -> None:
    reads = {scope: get(token).status_code for scope, token in tokens.items()}
    writes = {scope: post(token).status_code for scope, token in tokens.items()}
    assert reads == {"read": 200, "write": 200, "ingest": 403}
    assert writes == {"read": 403, "write": 201, "ingest": 403}
    assert post(tokens["read"]).json()["detail"] == "This token may only read."


def test_a_viewers_write_token_does_not_write(project: Project, bo: User) -> None:
    _, text = make_token(project, bo, "t", "write")
    assert get(text).status_code == 200
    assert post(text).status_code == 403


def test_a_token_opens_its_own_project_only(
    tokens: dict[str, str], ada: User, other_project: Project
) -> None:
    other_project.members.create(user=ada, role="admin")
    answer = get(tokens["write"], "/api/v1/projects/other/datasets/")
    unknown = get(tokens["write"], "/api/v1/projects/nowhere/datasets/")
    assert answer.status_code == 404
    assert answer.content == unknown.content
    listed = get(tokens["write"], "/api/v1/projects/").json()["results"]
    assert [row["slug"] for row in listed] == ["demo"]


def test_a_token_is_stored_as_a_hash_and_its_use_is_noted(tokens: dict[str, str]) -> None:
    assert tokens["read"] not in str(list(ApiToken.objects.values()))
    get(tokens["read"])
    assert ApiToken.objects.get(scope="read").last_used_at is not None
    assert ApiToken.objects.get(scope="write").last_used_at is None


def test_a_revoked_token_ends_at_once(tokens: dict[str, str], ada_client: Client) -> None:
    assert get(tokens["read"]).status_code == 200
    row = ApiToken.objects.get(scope="read")
    ada_client.post(f"/p/demo/settings/tokens/{row.pk}/revoke/")
    answer = get(tokens["read"])
    assert answer.status_code == 401
    assert answer.json()["code"] == "authentication_failed"
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("change", ["expired", "person inactive", "member removed"])
def test_a_token_ends_with_what_it_stands_on(
    tokens: dict[str, str], ada: User, change: str
) -> None:
    if change == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif change == "person inactive":
        User.objects.filter(pk=ada.pk).update(is_active=False)
    else:
        ada.memberships.all().delete()
    assert get(tokens["read"]).status_code == (404 if change == "member removed" else 401)


@pytest.mark.parametrize("name", ["token", "access_token", "Authorization", "api_key"])
def test_tokens_in_query_strings_are_not_accepted(tokens: dict[str, str], name: str) -> None:
    assert Client().get(LIST, {name: tokens["write"]}).status_code == 401
    assert Client().get(LIST, {name: f"Bearer {tokens['write']}"}).status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize("sent", ["es_wrong", "", "a b", "\x7f\xff", "e" * 5000])
def test_what_is_no_token_is_refused(sent: str) -> None:
    assert get(sent).status_code == 401


def test_tokens_survive_a_new_secret_key(tokens: dict[str, str], settings: Any) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another"
    assert get(tokens["read"]).status_code == 200


def test_tokens_do_not_open_pages(tokens: dict[str, str]) -> None:
    assert get(tokens["write"], "/p/demo/").status_code == 302


def test_no_other_origin_is_invited(tokens: dict[str, str]) -> None:
    headers = {"Authorization": f"Bearer {tokens['read']}", "Origin": "https://x.example"}
    answer = Client().get(LIST, headers=headers)
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
