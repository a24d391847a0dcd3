"""Signing in and out."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from studio.accounts.models import AuditEntry, Project, SignInLink
from studio.accounts.sign_in import make_local_link
from tests.conftest import signed_in

PASSWORD = "correct horse battery"
TOKEN = re.compile(rb'value="[A-Za-z0-9]{64}"|"[A-Za-z0-9]{64}"')


@pytest.fixture
def ann(ada: User) -> User:
    """Ada with a password."""
    ada.set_password(PASSWORD)
    ada.save()
    return ada


def sign_in(client: Client, name: str, password: str, path: str = "/sign-in/", **more: str) -> Any:
    """Send the form."""
    return client.post(path, {"username": name, "password": password, **more})


def inside(client: Client) -> bool:
    """Whether somebody is signed in."""
    return client.get("/password/").status_code == 200


@pytest.mark.django_db
def test_a_link_signs_in_once(client: Client) -> None:
    path = make_local_link()
    assert client.get(path).status_code == 200
    assert not inside(client)
    assert client.post(path)["Location"] == "/"
    assert inside(client)
    again = Client()
    assert again.post(path).status_code == 410
    assert not inside(again)


@pytest.mark.django_db
def test_a_link_ends_after_its_hour(client: Client) -> None:
    path = make_local_link()
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.post(path).status_code == 410
    assert not inside(client)


@pytest.mark.django_db
def test_a_link_is_kept_as_a_hash() -> None:
    token = make_local_link().split("/")[2]
    assert token not in str(list(SignInLink.objects.values()))


def test_the_right_password_signs_in_with_a_new_session(client: Client, ann: User) -> None:
    client.get("/sign-in/")
    session = client.session
    session["kept"] = "from before"
    session.save()
    client.cookies["sessionid"] = old = session.session_key or ""
    assert sign_in(client, "ada", PASSWORD)["Location"] == "/"
    assert inside(client)
    assert client.cookies["sessionid"].value != old
    assert not Client(cookies={"sessionid": old}).session.get("_auth_user_id")


def test_unknown_and_known_accounts_answer_alike(ann: User) -> None:
    known, unknown = sign_in(Client(), "ada", "wrong"), sign_in(Client(), "nob", "wrong")
    assert known.status_code == unknown.status_code == 200
    assert TOKEN.sub(b"", known.content) == TOKEN.sub(b"", unknown.content.replace(b"nob", b"ada"))


def test_too_many_wrong_passwords_wait(client: Client, ann: User, settings: Any) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = sign_in(client, "ada", "wrong")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert sign_in(client, "ada", PASSWORD).status_code == 429
    assert not inside(client)


@pytest.mark.django_db
def test_unknown_accounts_are_limited_as_well(client: Client, settings: Any) -> None:
    answers = [sign_in(client, "nobody", "wrong") for _ in range(settings.AXES_FAILURE_LIMIT)]
    assert answers[-1].status_code == 429


def test_signing_out_ends_the_session(ada: User) -> None:
    client = signed_in(ada)
    copy = Client()
    copy.cookies["sessionid"] = client.cookies["sessionid"].value
    assert client.post("/sign-out/").status_code == 302
    assert not inside(client)
    assert not inside(copy)


def test_a_new_password_ends_the_other_sessions(ada: User) -> None:
    here, elsewhere = signed_in(ada), signed_in(ada)
    answer = here.post("/password/", {"password1": PASSWORD, "password2": PASSWORD})
    assert answer.status_code == 302
    assert inside(here)
    assert not inside(elsewhere)
    assert AuditEntry.objects.filter(action="set password", actor_name="ada").exists()


def test_a_weak_password_is_refused(ada_client: Client) -> None:
    answer = ada_client.post("/password/", {"password1": "12345", "password2": "12345"})
    assert answer.status_code == 422
    assert b"too short" in answer.content


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https:evil.example", "https://evil.example/", "/\\evil.example",
     "javascript:alert(1)", "\x00//evil.example", "http:///evil.example"],
)  # fmt: skip
@pytest.mark.parametrize("way", ["query", "form"])
def test_next_leads_nowhere_else(client: Client, ann: User, target: str, way: str) -> None:
    if way == "form":
        answer = sign_in(client, "ada", PASSWORD, next=target)
    else:
        client.get("/sign-in/", {"next": target})
        answer = client.post(
            "/sign-in/", {"username": "ada", "password": PASSWORD}, query_params={"next": target}
        )
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_next_leads_to_our_own_pages(client: Client, ann: User) -> None:
    answer = sign_in(client, "ada", PASSWORD, next="/p/demo/traces/")
    assert answer["Location"] == "/p/demo/traces/"


def test_session_cookies_are_out_of_reach_of_scripts(client: Client, ann: User) -> None:
    cookie = sign_in(client, "ada", PASSWORD).cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_somebody_without_a_project_may_make_one(db: None) -> None:
    client = signed_in(User.objects.create_user("dee"))
    assert client.get("/").status_code == 200
    answer = client.post("/projects/new/", {"name": "Mine", "slug": "mine"})
    assert answer["Location"] == "/p/mine/"
    assert Project.objects.get(slug="mine").members.get().role == "admin"
    assert client.get("/")["Location"] == "/p/mine/"
