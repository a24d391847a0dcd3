"""Every answer carries the security headers, whatever it is."""

from __future__ import annotations

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from studio.web.security import POLICY, SecurityHeaders

PATHS = ("/sign-in/", "/nothing-here/", "/p/demo/", "/api/v1/projects/demo/agents/", "/health/live")


def directives(response: HttpResponse) -> dict[str, str]:
    """Read the content security policy of an answer."""
    parts = response.headers["Content-Security-Policy"].split("; ")
    return {name: sources for name, _, sources in (part.partition(" ") for part in parts)}


def answered(**headers: str) -> HttpResponse:
    """Let the middleware handle a view that sets some headers of its own."""

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse("ok", headers=headers)

    return SecurityHeaders(view)(RequestFactory().get("/"))


@pytest.mark.django_db
@pytest.mark.parametrize("path", PATHS)
def test_every_answer_carries_them(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.headers["Content-Security-Policy"] == POLICY
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_fragments_carry_them(client: Client) -> None:
    response = client.get("/p/demo/", headers={"HX-Request": "true"})
    assert response.headers["Content-Security-Policy"] == POLICY


@pytest.mark.django_db
def test_a_wrong_host_is_refused_with_them(client: Client) -> None:
    response = client.get("/sign-in/", headers={"Host": "elsewhere.example"})
    assert response.status_code == 400
    assert response.headers["Content-Security-Policy"] == POLICY


def test_scripts_come_from_here_only_and_nothing_inline() -> None:
    policy = directives(answered())
    assert policy["script-src"] == "'self'"
    assert policy["img-src"] == "'self' data:"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert "unsafe" not in POLICY


def test_what_may_be_kept_says_so_itself() -> None:
    assert answered()["Cache-Control"] == "no-store"
    assert answered(**{"Cache-Control": "max-age=60"})["Cache-Control"] == "max-age=60"
