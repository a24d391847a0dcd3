"""Experiments and trials over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from studio.accounts.models import Project
from studio.experiments.models import Experiment
from studio.scorers.models import ScorerAttachment, ScorerVersion
from tests.studio.experiments import made

BASE = "/api/v1/projects/demo/experiments/"


@pytest.fixture
def right(project: Project) -> ScorerVersion:
    return made.make_scorer(project, "Right answer")


@pytest.fixture
def ready(project: Project, right: ScorerVersion) -> dict[str, Any]:
    """What a launch sends."""
    made.make_agent(project)
    made.make_dataset(project, 3)
    return {"agent": "weather", "dataset": "cities", "scorers": [{"scorer": "right-answer"}]}


def post(client: Client, body: object, url: str = BASE, **headers: str) -> Any:
    return client.post(url, body, content_type="application/json", headers=headers)


def test_it_launches_with_thresholds(ada_client: Client, ready: dict[str, Any]) -> None:
    ready["scorers"][0] |= {"gate": True, "min": 0.5}
    answer = post(ada_client, ready | {"trials_per_item": 2, "name": "By script"})
    assert answer.status_code == 201
    body = answer.json()
    assert (body["total"], body["name"], body["state"]) == (6, "By script", "waiting")
    assert body["scorers"][0] | {"gate": True, "min": 0.5, "max": None} == body["scorers"][0]
    assert body["scorers"][0]["mean"] is None
    assert body["verdict"] is None


def test_without_scorers_it_asks_those_of_the_agent(
    ada_client: Client, ready: dict[str, Any], right: ScorerVersion, project: Project
) -> None:
    agent = project.agents.get()
    ScorerAttachment.objects.create(agent=agent, scorer=right.scorer, threshold_max=0.9)
    del ready["scorers"]
    assert post(ada_client, ready).json()["scorers"][0]["max"] == 0.9


def test_a_repeated_key_launches_once(ada_client: Client, ready: dict[str, Any]) -> None:
    first = post(ada_client, ready, **{"Idempotency-Key": "k"})
    second = post(ada_client, ready, **{"Idempotency-Key": "k"})
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert Experiment.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"agent": "nobody"}, "agent"),
        ({"dataset": "none"}, "dataset"),
        ({"dataset_version": 9}, "dataset"),
        ({"scorers": [{"scorer": "unknown"}]}, "scorers"),
        ({"scorers": []}, ""),
        ({"trials_per_item": 0}, "trials_per_item"),
        ({"item_timeout_s": "soon"}, "item_timeout_s"),
        ({"scorers": [{"scorer": "right-answer", "min": 1, "max": 0}]}, "scorers"),
    ],
)
def test_it_says_which_value_is_wrong(
    ada_client: Client, ready: dict[str, Any], change: dict[str, Any], field: str
) -> None:
    answer = post(ada_client, ready | change)
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"
    assert field in answer.json()["errors"]
    assert not Experiment.objects.exists()


def test_it_lists_reads_and_cancels(ada_client: Client, project: Project) -> None:
    experiment = made.make_experiment(project, 2)
    listed = ada_client.get(f"{BASE}?state=waiting").json()["results"]
    assert [each["id"] for each in listed] == [experiment.pk]
    assert ada_client.get(f"{BASE}{experiment.pk}/").json()["dataset"] == "cities0"
    for _ in range(2):  # a second time changes nothing
        body = post(ada_client, {}, f"{BASE}{experiment.pk}/cancel/").json()
        assert (body["state"], body["cancelled"]) == ("cancelled", 2)


def test_trials_come_failures_first_with_a_cell_for_every_scorer(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 3, (right,))
    good, failed, _ = experiment.trials.order_by("pk")
    made.give_score(good, right, 1.0)
    made.answer(failed, error="no network")
    rows = ada_client.get(f"{BASE}{experiment.pk}/trials/").json()["results"]
    assert [row["state"] for row in rows] == ["error", "done", "pending"]
    assert [row["scores"][0]["outcome"] for row in rows] == ["skipped", "scored", "pending"]
    assert rows[0]["scores"][0]["value"] is None


def test_trials_are_paged_by_limit(ada_client: Client, project: Project) -> None:
    experiment = made.make_experiment(project, 5)
    url = f"{BASE}{experiment.pk}/trials/"
    first = ada_client.get(f"{url}?limit=3").json()
    second = ada_client.get(f"{url}{first['next']}").json()
    ids = [row["id"] for page in (first, second) for row in page["results"]]
    assert len(set(ids)) == 5
    assert second["next"] is None


def test_a_trial_has_its_input_answer_and_truth(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 1, (right,))
    trial = experiment.trials.get()
    made.answer(trial, "it rains")
    body = ada_client.get(f"{BASE}{experiment.pk}/trials/{trial.pk}/").json()
    assert (body["input"], body["output"]) == ("question 0", "it rains")
    assert (body["has_ground_truth"], body["ground_truth"]) == (True, "truth 0")


def test_ten_and_a_hundred_trials_need_the_same_queries(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    counts = []
    for size in (10, 100):
        experiment = made.make_experiment(project, size, (right,))
        for trial in experiment.trials.all():
            made.give_score(trial, right, 0.5)
        with CaptureQueriesContext(connection) as queries:
            ada_client.get(f"{BASE}{experiment.pk}/trials/?limit=200")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_viewers_read_and_do_not_write(
    bo_client: Client, project: Project, ready: dict[str, Any]
) -> None:
    assert post(bo_client, ready).status_code == 403
    experiment = made.make_experiment(project, 1)
    assert post(bo_client, {}, f"{BASE}{experiment.pk}/cancel/").status_code == 403
    assert bo_client.get(f"{BASE}{experiment.pk}/").status_code == 200


def test_strangers_find_nothing(cy_client: Client, project: Project) -> None:
    experiment = made.make_experiment(project, 1)
    trial = experiment.trials.get()
    for rest in ("", f"{experiment.pk}/", f"{experiment.pk}/trials/{trial.pk}/"):
        assert cy_client.get(BASE + rest).status_code == 404
    assert post(cy_client, {}, f"{BASE}{experiment.pk}/cancel/").status_code == 404
    mine = f"/api/v1/projects/other/experiments/{experiment.pk}/"
    assert cy_client.get(mine).status_code == 404
