"""Saving a score's run as a dataset item that can be run again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from evals_core import ABSENT
from studio.datasets.models import DatasetItem
from studio.scorers.proposal import asked_of, proposal_of
from studio.traces.models import Trace
from tests.studio.scorers.conftest import MakeScore, message

pytestmark = pytest.mark.django_db
MakeTrace = Callable[..., Trace]


def test_it_proposes_what_was_asked_answered_and_called(make_score: MakeScore) -> None:
    score = make_score()
    draft = proposal_of(score)
    assert draft.input == "How is Oslo?"
    assert draft.ground_truth == "It is sunny."
    step = {"stepType": "tool_call", "name": "forecast", "toolArgs": {"city": "Oslo"}}
    assert draft.expected_trajectory == {"steps": [step]}
    mock = {"toolName": "forecast", "args": {"city": "Oslo"}, "output": {"sky": "clear"}}
    assert list(draft.tool_mocks) == [mock]
    assert draft.source_key == f"score:{score.pk}"


def test_a_failed_run_is_no_example(make_score: MakeScore, make_trace: MakeTrace) -> None:
    trace = make_trace(status="error", error="The tool is down.")
    assert proposal_of(make_score(None, trace=trace)).ground_truth is ABSENT


def test_several_messages_stay_messages_and_other_input_stays_itself() -> None:
    talk = [message("user", "One"), message("assistant", "Two"), message("user", "Three")]
    assert asked_of({"inputMessages": talk}) == talk
    assert asked_of({"city": "Oslo"}) == {"city": "Oslo"}
    assert asked_of("How?") == "How?"


def form_of(client: Client, url: str) -> dict[str, Any]:
    """The proposed form as a browser would send it."""
    form = client.get(url).context["form"]
    return {name: value for name, value in form.initial.items() if value is not None}


def test_the_page_saves_the_proposal_into_a_new_dataset(
    ada_client: Client, make_score: MakeScore
) -> None:
    score = make_score()
    url = f"/p/demo/scorers/says-sunny/scores/{score.pk}/save/"
    sent = form_of(ada_client, url) | {"new_dataset": "Weather"}
    response = ada_client.post(url, sent)
    assert response.status_code == 302, response.context["form"].errors
    item = DatasetItem.objects.get()
    assert item.input == "How is Oslo?"
    assert item.ground_truth == "It is sunny."
    assert item.source["type"] == "score"
    assert item.dataset.name == "Weather"


def test_saving_it_again_asks_first(ada_client: Client, make_score: MakeScore) -> None:
    score = make_score()
    url = f"/p/demo/scorers/says-sunny/scores/{score.pk}/save/"
    sent = form_of(ada_client, url)
    ada_client.post(url, sent | {"new_dataset": "Weather"})
    assert "Saved from here already" in ada_client.get(url).text
    again = ada_client.post(url, sent | {"dataset": "weather"})
    assert again.status_code == 422
    assert DatasetItem.objects.count() == 1


def test_it_needs_a_dataset(ada_client: Client, make_score: MakeScore) -> None:
    url = f"/p/demo/scorers/says-sunny/scores/{make_score().pk}/save/"
    assert ada_client.post(url, form_of(ada_client, url)).status_code == 422


def test_viewers_may_not_save_and_strangers_find_nothing(
    bo_client: Client, cy_client: Client, make_score: MakeScore
) -> None:
    url = f"/p/demo/scorers/says-sunny/scores/{make_score().pk}/save/"
    assert bo_client.post(url, {"new_dataset": "Mine"}).status_code == 403
    assert cy_client.post(url, {"new_dataset": "Mine"}).status_code == 404
    assert not DatasetItem.objects.exists()
