"""The API's own description."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client


def test_the_description_is_valid_without_warnings(tmp_path: Any) -> None:
    path = tmp_path / "api.yaml"
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(path))
    assert path.stat().st_size > 10_000


@pytest.fixture
def described(ada_client: Client) -> dict[str, Any]:
    """The description as it is served."""
    answer = ada_client.get("/api/v1/schema/", {"format": "json"})
    return dict(json.loads(answer.content))


def test_every_call_has_an_id_of_its_own_and_problem_answers(described: dict[str, Any]) -> None:
    calls = [call for row in described["paths"].values() for call in row.values()]
    ids = [call["operationId"] for call in calls]
    assert len(ids) == len(set(ids)) > 20
    for call in calls:
        assert {"400", "401", "403", "404", "429"} <= set(call["responses"])


def test_tokens_are_described(described: dict[str, Any]) -> None:
    schemes = described["components"]["securitySchemes"]
    assert {"type": "http", "scheme": "bearer"} in schemes.values()


def test_the_page_keeps_scripts_to_our_own_files(ada_client: Client) -> None:
    page = ada_client.get("/api/v1/docs/")
    policy = page["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert b"<script>" not in page.content
    script = ada_client.get("/api/v1/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert b"SwaggerUIBundle" in script.content
