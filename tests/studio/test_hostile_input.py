"""Whatever is sent in an address, a form or a body, the studio does not fail."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.accounts.models import Project
from tests.studio.test_access_matrix import MATRIX
from tests.studio.world import Ids, everything, path_of, undone

QUERIES = (
    "q=%00&name=%00&tag=%00&scorer=%00&agent=%00&state=%00&status=%00&page=%00&next=%00",
    "q=%ED%A0%80&tag=%ED%A0%80&agent=%FF%FE&scorer=%E2%80%A8&version=%00",
    "min=NaN&max=Infinity&before=99999999999999999999&after=-1&version=-1&limit=0",
    "min=1e999&max=-0&before=NaN&after=99999999999999999999&version=99999999999999999999",
    "limit=99999999999999999999&experiment=99999999999999999999&version=1.5&sort=__proto__",
    "since=10000-01-01&until=0000-00-00&from=x&to=9999-12-31T23:59:59.999999999Z&trial=NaN",
)
TEXTS = ("a\x00b", "\ud800", "\u202e\u2028", "x" * 100_000, "", "NaN", "9" * 5000, "-1")
NAMES = (
    "name", "slug", "description", "username", "role", "scope", "days", "input", "ground_truth",
    "q", "tags", "kind", "expected", "version", "model", "base_url", "key", "min", "max", "agent",
    "dataset", "scorer", "note", "trials_per_item", "concurrency", "item_timeout_s",
    "expected_trajectory", "tool_mocks", "metadata", "rows", "text", "data",
)  # fmt: skip


@pytest.fixture
def ids(project: Project, ada: User) -> Ids:
    """One row of everything."""
    return everything(project, ada, "adas")


@pytest.mark.parametrize("query", QUERIES)
def test_no_query_string_makes_a_page_fail(ada_client: Client, ids: Ids, query: str) -> None:
    for route, row in MATRIX.items():
        if "GET" in row:
            path = f"{path_of(route, 'demo', ids)}?{query}"
            answer = ada_client.get(path)
            assert answer.status_code < 500, path
            assert b"\x00" not in answer.content, path


def test_nul_in_an_address_is_not_found(ada_client: Client, ids: Ids) -> None:
    for path in ("scorers/trace/%00/", f"datasets/{ids['dataset']}/items/%00/"):
        assert ada_client.get(f"/p/demo/{path}").status_code == 404
    api = f"/api/v1/projects/demo/datasets/{ids['dataset']}/items/%00/"
    assert ada_client.get(api).status_code == 404


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_form_makes_a_page_fail(ada_client: Client, ids: Ids, text: str) -> None:
    form = dict.fromkeys(NAMES, text.encode("utf-8", "replace").decode())
    for route, row in MATRIX.items():
        if "POST" in row and route.startswith("p/"):
            path = path_of(route, "demo", ids)
            assert undone(ada_client.post, path, form).status_code < 500, path


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("shape", ["text", "list", "object", "number"])
def test_no_body_makes_the_api_fail(ada_client: Client, ids: Ids, text: str, shape: str) -> None:
    shapes: dict[str, Any] = {"text": text, "list": [text], "object": {text: text}, "number": 2**64}
    body = json.dumps(dict.fromkeys((*NAMES, "items", "item_ids", "scorers"), shapes[shape]))
    for route, row in MATRIX.items():
        for method in {"POST", "PUT", "PATCH"} & set(row) if route.startswith("api/") else ():
            path = path_of(route, "demo", ids)
            call = getattr(ada_client, method.lower())
            answer = undone(call, path, body, content_type="application/json")
            assert answer.status_code < 500, f"{method} {path}"


LIST = "/api/v1/projects/demo/datasets/"


@pytest.mark.parametrize("depth", [101, 1_000, 10_000, 100_000])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused_quickly(
    ada_client: Client, depth: int, start: str, end: str
) -> None:
    began = time.monotonic()
    for body in (f'{{"name": {start * depth}1{end * depth}}}', start * depth):
        answer = ada_client.post(LIST, body, content_type="application/json")
        assert answer.status_code == 400
        assert "nested deeper than 100 levels" in answer.json()["detail"]
    assert time.monotonic() - began < 2


def test_an_open_string_of_escapes_is_read_once(ada_client: Client) -> None:
    began = time.monotonic()
    body = '{"name": "' + '\\"' * 500_000
    assert ada_client.post(LIST, body, content_type="application/json").status_code == 400
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("body", ["[]", "1", "null", '"a"', "NaN", '{"a": NaN}', "{", "\xff"])
def test_what_is_not_a_json_object_is_refused(ada_client: Client, body: str) -> None:
    answer = ada_client.post(LIST, body.encode("latin-1"), content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["code"] == "parse_error"
