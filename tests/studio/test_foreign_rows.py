"""What belongs to another project looks like nothing at all, and reading changes nothing."""

from __future__ import annotations

import json
import re
from copy import copy
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from studio.accounts.models import Project
from studio.datasets.models import Dataset
from tests.conftest import signed_in
from tests.studio.test_access_matrix import MATRIX
from tests.studio.world import Ids, everything, kinds_of, path_of, undone

UNKNOWN = {int: 987_654_321, str: "0" * 32}
VOLATILE = re.compile(rb'csrf[^>]*value="[^"]*"|"X-CSRFToken":\s*"[^"]*"', re.IGNORECASE)
OURS = {"auth", "accounts", "agents", "traces", "datasets", "scorers", "experiments"}


@pytest.fixture
def own(project: Project, ada: User) -> Ids:
    """One row of everything in Ada's project."""
    return everything(project, ada, "adas")


@pytest.fixture
def foreign(other_project: Project, cy: User) -> Ids:
    """One row of everything in Cy's project."""
    return everything(other_project, cy, "cys")


def plain(answer: Any) -> tuple[int, str, bytes]:
    """What an answer tells, without what differs between any two requests and its own address."""
    body = VOLATILE.sub(b"", answer.content)
    path = answer.request["PATH_INFO"]
    body = re.sub(re.escape(path.encode()) + rb"?", b"", body)
    return answer.status_code, answer.headers.get("Location", ""), body


def snapshot() -> dict[str, list[Any]]:
    """Every stored row of ours."""
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values())
        for model in apps.get_models()
        if model._meta.app_label in OURS
    }


def sent(method: str, path: str) -> dict[str, Any]:
    """A body for the API where there is one."""
    json_body = path.startswith("/api/") and method != "GET"
    return {"content_type": "application/json", "data": "{}"} if json_body else {}


def answer_to(client: Client, method: str, path: str) -> tuple[int, str, bytes]:
    """What a call is answered; neither its writes nor its cookies are kept."""
    cookies = copy(client.cookies)
    answer = undone(getattr(client, method.lower()), path, **sent(method, path))
    client.cookies = cookies
    return plain(answer)


def test_a_foreign_id_answers_as_an_unknown_id_does(
    ada_client: Client, own: Ids, foreign: Ids
) -> None:
    before, wrong, asked = snapshot(), [], 0
    for route, row in MATRIX.items():
        for kind in kinds_of(route) if "<slug:project>" in route else []:
            theirs = path_of(route, "demo", own | {kind: foreign[kind]})
            unknown = path_of(route, "demo", own | {kind: UNKNOWN[type(own[kind])]})
            if theirs == path_of(route, "demo", own):
                continue  # ids of items repeat between datasets
            for method in row:
                answer = answer_to(ada_client, method, theirs)
                asked += 1
                if answer != answer_to(ada_client, method, unknown):
                    wrong.append(f"{method} {theirs} differs from {unknown}")
                if answer[0] != 404 and kind != "upload":
                    wrong.append(f"{method} {theirs}: {answer[0]}")
    assert asked > 40
    assert not wrong, "\n".join(wrong)
    assert snapshot() == before


def test_a_strangers_project_answers_as_an_unknown_project_does(
    ada_client: Client, own: Ids, foreign: Ids
) -> None:
    for route, row in MATRIX.items():
        if "<slug:project>" in route:
            for method in row:
                call = getattr(ada_client, method.lower())
                theirs, unknown = (path_of(route, slug, foreign) for slug in ("other", "nowhere"))
                answer = plain(call(theirs, **sent(method, theirs)))
                assert answer == plain(call(unknown, **sent(method, unknown))), f"{method} {theirs}"
                assert answer[0] == 404, f"{method} {theirs}"


LAUNCH = "/api/v1/projects/demo/experiments/"


@pytest.mark.parametrize("field", ["agent", "dataset", "scorers"])
def test_a_launch_knows_no_foreign_rows(
    ada_client: Client, own: Ids, foreign: Ids, field: str
) -> None:
    def launch(ids: Ids) -> tuple[int, str]:
        body = {
            "agent": ids["agent"], "dataset": ids["dataset"],
            "scorers": [{"scorer": ids["scorer"]}],
        }  # fmt: skip
        answer = ada_client.post(LAUNCH, json.dumps(body), content_type="application/json")
        return answer.status_code, answer.content.decode()

    kind = field.rstrip("s")
    before = snapshot()
    status, body = launch(own | {kind: foreign[kind]})
    assert status in {400, 404}
    assert launch(own | {kind: "nothing"}) == (status, body.replace(foreign[kind], "nothing"))
    assert snapshot() == before


def test_pages_name_no_foreign_rows(ada_client: Client, own: Ids, foreign: Ids) -> None:
    for route, row in MATRIX.items():
        if "GET" in row and route.startswith("p/"):
            path = path_of(route, "demo", own)
            body = ada_client.get(path).content
            assert b"cys" not in body, path


@pytest.mark.parametrize("name", ["id", "project", "created_at", "author", "is_staff", "owner"])
def test_fields_that_are_not_the_callers_to_set_are_left_alone(
    ada_client: Client, own: Ids, foreign: Ids, other_project: Project, name: str
) -> None:
    body = json.dumps({"name": "Mine", name: other_project.pk})
    url = "/api/v1/projects/demo/datasets/"
    answer = ada_client.post(url, body, content_type="application/json")
    assert answer.status_code == 201
    assert Dataset.objects.filter(name="Mine", project__slug="demo").count() == 1
    assert not Dataset.objects.filter(name="Mine", project=other_project).exists()


def test_changes_without_the_csrf_token_are_refused(ada: User, own: Ids) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in(ada).cookies
    before = snapshot()
    wrong = []
    for route, row in MATRIX.items():
        path = path_of(route, "demo", own)
        for method in set(row) - {"GET"}:
            for kind in ("application/json", "text/plain", "application/x-www-form-urlencoded"):
                call = getattr(client, method.lower())
                answer = call(
                    path, "{}", content_type=kind, headers={"Origin": "https://x.example"}
                )
                if answer.status_code != 403:
                    wrong.append(f"{method} {path} as {kind}: {answer.status_code}")
    assert not wrong, "\n".join(wrong)
    assert snapshot() == before


def test_reading_changes_nothing(ada_client: Client, own: Ids) -> None:
    before = snapshot()
    for route, row in MATRIX.items():
        if "GET" in row:
            path = path_of(route, "demo", own)
            ada_client.get(path)
            ada_client.get(path, headers={"HX-Request": "true"})
            assert snapshot() == before, path
