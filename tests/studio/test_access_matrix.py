"""Every address and method for every caller, as the table in `tests/access_matrix.json` has it."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.accounts.models import Member, Project
from studio.accounts.tokens import make_token
from tests.conftest import signed_in
from tests.studio.world import Ids, everything, path_of, routes, undone

MATRIX: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parents[1] / "access_matrix.json").read_text()
)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
RANKS = {"anyone": 0, "signed in": 1, "viewer": 2, "editor": 3, "admin": 4}
CLOSED = {401, 403, 404}


@dataclass(frozen=True)
class Caller:
    """Somebody who calls: how far they may go, and by which key if not in a browser."""

    client: Client
    rank: int
    token: str = ""
    scope: str = ""
    stranger: bool = False


@pytest.fixture
def ids(project: Project, ada: User) -> Ids:
    """One row of everything."""
    return everything(project, ada, "adas")


@pytest.fixture
def callers(project: Project, ada: User, bo: User, cy: User, ids: Ids) -> dict[str, Caller]:
    """Everybody there is."""
    eve = User.objects.create_user("eve")
    Member.objects.create(project=project, user=eve, role="editor")
    ids["token"] = make_token(project, eve, "her own", "read")[0].pk
    keys = {scope: make_token(project, ada, scope, scope)[1] for scope in RANK_OF_SCOPE}
    return {
        "anonymous": Caller(Client(), 0),
        "viewer": Caller(signed_in(bo), 2),
        "editor": Caller(signed_in(eve), 3),
        "admin": Caller(signed_in(ada), 4),
        "stranger": Caller(signed_in(cy), 1, stranger=True),
        **{
            f"{scope} token": Caller(Client(), rank, token=keys[scope], scope=scope)
            for scope, rank in RANK_OF_SCOPE.items()
        },
    }


RANK_OF_SCOPE = {"read": 2, "write": 4, "ingest": 0}


def answer_to(caller: Caller, method: str, path: str) -> Any:
    """What the caller is answered; nothing that the call wrote is kept."""
    headers = {"Authorization": f"Bearer {caller.token}"} if caller.token else None
    cookies = copy(caller.client.cookies)
    sent = {"content_type": "application/json", "data": "{}"} if path.startswith("/api/") else {}
    sent = {} if method == "GET" else sent
    answer = undone(getattr(caller.client, method.lower()), path, headers=headers, **sent)
    caller.client.cookies = cookies
    return answer


def refusal(caller: Caller, needs: str, route: str) -> int | None:
    """The status with which the caller is to be refused; none when they are let in."""
    api, in_project = route.startswith("api/"), "<slug:project>" in route
    if needs == "anyone":
        return None
    if not api and (caller.token or caller.rank == 0):
        return 302
    if caller.rank == 0 and not caller.token:
        return 401
    if caller.stranger and in_project:
        return 404
    if caller.scope == "ingest" and route in {"api/v1/docs/", "api/v1/schema/"}:
        return None
    if not in_project and caller.rank:
        return None
    return 403 if caller.rank < RANKS[needs] else None


def test_the_table_has_every_address_and_no_other() -> None:
    assert sorted(MATRIX) == routes()


def test_anonymous_people_reach_sign_in_and_health_only() -> None:
    opened = {route for route, row in MATRIX.items() if "anyone" in row.values()}
    assert opened == {
        "health/live", "health/ready", "sign-in/", "sign-in/<str:token>/", "sign-out/",
    }  # fmt: skip


@pytest.mark.parametrize(
    "who",
    [
        "anonymous", "viewer", "editor", "admin", "stranger", "read token", "write token",
        "ingest token",
    ],
)  # fmt: skip
def test_everybody_is_let_in_or_refused_as_the_table_says(
    who: str, callers: dict[str, Caller], ids: Ids
) -> None:
    wrong = []
    for route, row in MATRIX.items():
        path = path_of(route, "demo", ids)
        for method, needs in row.items():
            answer = answer_to(callers[who], method, path)
            wanted = refusal(callers[who], needs, route)
            if wanted is None:
                ok = answer.status_code not in CLOSED | {405} and answer.status_code < 500
                ok = ok and "/sign-in/?next" not in answer.headers.get("Location", "")
            else:
                ok = answer.status_code == wanted
                ok = ok and (wanted != 302 or answer["Location"].startswith("/sign-in/?next="))
            if not ok:
                wrong.append(f"{method} {path}: {answer.status_code}, wanted {wanted or 'in'}")
    assert not wrong, "\n".join(wrong)


def test_methods_outside_the_table_are_refused_to_admins_too(
    callers: dict[str, Caller], ids: Ids
) -> None:
    wrong = []
    for route, row in MATRIX.items():
        path = path_of(route, "demo", ids)
        caller = callers["anonymous" if "anyone" in row.values() else "admin"]
        for method in METHODS:
            if method not in row:
                status = answer_to(caller, method, path).status_code
                if status != 405:
                    wrong.append(f"{method} {path}: {status}")
    assert not wrong, "\n".join(wrong)
