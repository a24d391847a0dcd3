"""Scorers, scores and attachments for scripts."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from studio.agents.models import Agent
from studio.scorers.models import Scorer, ScorerAttachment
from tests.studio.scorers.conftest import MakeScore, make_score, make_trace, sunny, weather

__all__ = ["make_score", "make_trace", "sunny", "weather"]  # fixtures of the pages' tests
pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/demo/scorers/"
RAIN = {"kind": "check-includes", "arguments": {"expected": "rain"}}


def post(client: Client, url: str, data: Any) -> Any:
    """Send JSON."""
    return client.post(url, data, content_type="application/json")


def test_a_check_is_made_once_and_read_back(ada_client: Client) -> None:
    made = post(ada_client, URL, RAIN)
    assert made.status_code == 201
    assert post(ada_client, URL, RAIN).json()["slug"] == made.json()["slug"]
    read = ada_client.get(f"{URL}{made.json()['slug']}/").json()
    assert read["version"]["spec"]["arguments"]["expected"] == "rain"
    assert len(ada_client.get(URL).json()["results"]) == 1


def test_another_definition_is_another_version(ada_client: Client, sunny: Scorer) -> None:
    url = f"{URL}{sunny.slug}/versions/"
    made = post(ada_client, url, {"arguments": {"expected": "cloudy"}})
    assert (made.status_code, made.json()["number"]) == (201, 2)
    numbers = [each["number"] for each in ada_client.get(url).json()["results"]]
    assert numbers == [2, 1]


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "check-unknown", "arguments": {}},
        {"kind": "check-matches", "arguments": {"pattern": "(a)\\1"}},
        {"kind": "check-includes", "arguments": []},
        {},
    ],
)
def test_what_is_no_check_is_a_problem_with_words(ada_client: Client, data: Any) -> None:
    answer = post(ada_client, URL, data)
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"
    assert answer.json()["errors"]


def test_scores_are_filtered_and_paged_as_on_the_page(
    ada_client: Client, make_score: MakeScore
) -> None:
    scores = [make_score(value) for value in (0.1, 0.5, 0.9)]
    make_score(None)
    url = f"{URL}says-sunny/scores/"
    page = ada_client.get(f"{url}?min=0.2&limit=1").json()
    assert [each["id"] for each in page["results"]] == [scores[2].pk]
    page = ada_client.get(url + page["next"]).json()
    assert [each["id"] for each in page["results"]] == [scores[1].pk]
    assert ada_client.get(f"{url}?outcome=error").json()["results"][0]["value"] is None
    assert ada_client.get(f"{url}?min=much").status_code == 400


def test_a_score_is_read_whole(ada_client: Client, make_score: MakeScore) -> None:
    score = make_score(1.0, reason="it is", steps={"preprocess": {"found": True}})
    read = ada_client.get(f"{URL}says-sunny/scores/{score.pk}/").json()
    assert read["reason"] == "it is"
    assert read["steps"] == {"preprocess": {"found": True}}
    assert read["output"][0]["role"] == "assistant"
    assert ada_client.get(f"{URL}says-sunny/scores/999/").json()["code"] == "not_found"


def test_a_scorer_is_attached_with_terms_and_detached(
    ada_client: Client, weather: Agent, sunny: Scorer
) -> None:
    url = f"{URL}{sunny.slug}/attachments/"
    made = post(ada_client, url, {"agent": weather.slug, "threshold_min": 0.5})
    assert made.status_code == 201
    assert ada_client.get(url).json()["results"][0]["threshold_min"] == 0.5
    assert post(ada_client, url, {"agent": "nobody"}).status_code == 400
    wrong = {"agent": weather.slug, "threshold_min": 0.9, "threshold_max": 0.1}
    assert post(ada_client, url, wrong).status_code == 400
    assert ada_client.delete(f"{url}{made.json()['id']}/").status_code == 204
    assert not ScorerAttachment.objects.exists()


def test_viewers_only_read_and_strangers_find_nothing(
    bo_client: Client, cy_client: Client, client: Client, sunny: Scorer
) -> None:
    assert bo_client.get(URL).status_code == 200
    assert post(bo_client, URL, RAIN).status_code == 403
    assert post(cy_client, URL, RAIN).status_code == 404
    assert cy_client.get(f"{URL}{sunny.slug}/scores/").status_code == 404
    assert client.get(URL).status_code in (401, 403)
