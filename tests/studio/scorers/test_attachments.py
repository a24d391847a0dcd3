"""Attaching scorers to agents, with what they demand."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.scorers.models import Scorer, ScorerAttachment
from studio.scorers.save import AttachmentRefused, attach_scorer, detach_scorer, save_check

pytestmark = pytest.mark.django_db
PAGE = "/p/demo/scorers/says-sunny/"


def test_attaching_again_changes_the_terms(weather: Agent, sunny: Scorer) -> None:
    attach_scorer(weather, sunny, is_gate=True)
    attach_scorer(weather, sunny, threshold_min=0.5)
    attachment = ScorerAttachment.objects.get()
    assert (attachment.is_gate, attachment.threshold_min) == (False, 0.5)


def test_a_range_out_of_order_is_refused_by_verb_and_table(weather: Agent, sunny: Scorer) -> None:
    with pytest.raises(AttachmentRefused):
        attach_scorer(weather, sunny, threshold_min=0.9, threshold_max=0.1)
    with pytest.raises(IntegrityError), transaction.atomic():
        ScorerAttachment.objects.create(
            agent=weather, scorer=sunny, threshold_min=0.9, threshold_max=0.1
        )


def test_a_scorer_of_another_project_is_refused(weather: Agent, other_project: Project) -> None:
    foreign = save_check(other_project, "check-used-no-tools", {})
    with pytest.raises(AttachmentRefused):
        attach_scorer(weather, foreign)


def test_what_code_attached_only_code_detaches(weather: Agent, sunny: Scorer) -> None:
    attachment = attach_scorer(weather, sunny, source="code")
    with pytest.raises(AttachmentRefused):
        detach_scorer(attachment)
    assert ScorerAttachment.objects.exists()


@pytest.mark.parametrize(
    ("terms", "value", "passed"),
    [
        ({"is_gate": True}, 1.0, True),
        ({"is_gate": True}, 0.9, False),
        ({"threshold_min": 0.5}, 0.5, True),
        ({"threshold_max": 0.5}, 0.6, False),
        ({"threshold_min": 0.5}, None, None),
        ({}, 0.5, None),
    ],
)
def test_a_value_meets_what_is_demanded(
    terms: dict[str, object], value: float | None, passed: bool | None
) -> None:
    assert ScorerAttachment(**terms).passes(value) is passed


def test_the_page_attaches_lists_and_detaches(
    ada_client: Client, weather: Agent, sunny: Scorer
) -> None:
    sent = {"agent": weather.pk, "is_gate": "on", "threshold_min": "0.5"}
    assert ada_client.post(f"{PAGE}attach/", sent).status_code == 302
    html = ada_client.get(PAGE).text
    assert "at least 0.5" in html
    assert ">gate</span>" in html
    attachment = ScorerAttachment.objects.get()
    assert ada_client.post(f"{PAGE}detach/{attachment.pk}/").status_code == 302
    assert not ScorerAttachment.objects.exists()


def test_a_wrong_range_is_answered_with_the_form(
    ada_client: Client, weather: Agent, sunny: Scorer
) -> None:
    sent = {"agent": weather.pk, "threshold_min": "0.9", "threshold_max": "0.1"}
    response = ada_client.post(f"{PAGE}attach/", sent)
    assert response.status_code == 422
    assert "below the lower threshold" in response.text


def test_a_foreign_agent_cannot_be_chosen(
    ada_client: Client, other_project: Project, sunny: Scorer
) -> None:
    foreign = Agent.objects.create(project=other_project, slug="x", name="X", kind="python")
    assert ada_client.post(f"{PAGE}attach/", {"agent": foreign.pk}).status_code == 422
    assert not ScorerAttachment.objects.exists()


def test_viewers_may_not_attach_and_strangers_find_nothing(
    bo_client: Client, cy_client: Client, weather: Agent, sunny: Scorer
) -> None:
    attachment = attach_scorer(weather, sunny)
    for url in (f"{PAGE}attach/", f"{PAGE}detach/{attachment.pk}/"):
        assert bo_client.post(url, {"agent": weather.pk}).status_code == 403
        assert cy_client.post(url, {"agent": weather.pk}).status_code == 404
    assert ScorerAttachment.objects.count() == 1
