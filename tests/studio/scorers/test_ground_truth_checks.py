"""Checks against each item's ground truth, made and changed by form."""

from __future__ import annotations

import pytest
from django.test import Client

from evals_core import checks
from studio.accounts.models import Project
from studio.scorers.build import engine_scorer
from studio.scorers.models import Scorer
from studio.scorers.save import save_check

pytestmark = pytest.mark.django_db
NEW = "/p/demo/scorers/new/"
TOLD = {"ground_truth": True}
MORE = {"argument_reading": "whole", "argument_normalise": "NFC", "argument_ignore_case": "on"}


def expected(scorer: Scorer) -> object:
    """What the scorer's current version expects."""
    scorer.refresh_from_db()
    assert scorer.version is not None
    return scorer.version.spec["arguments"]["expected"]


@pytest.mark.parametrize("kind", ["includes", "excludes", "equals", "similarity"])
def test_a_ticked_box_is_enough(ada_client: Client, kind: str) -> None:
    url = f"{NEW}?kind=check-{kind}"
    response = ada_client.post(url, {"ground_truth_expected": "on", "argument_expected": ""} | MORE)
    assert response.status_code == 302
    scorer = Scorer.objects.get()
    assert expected(scorer) == TOLD
    assert scorer.version is not None
    assert engine_scorer(scorer.version).id == f"check-{kind}:ground_truth"


def test_without_the_box_a_value_is_needed(ada_client: Client) -> None:
    response = ada_client.post(f"{NEW}?kind=check-includes", {"argument_expected": ""} | MORE)
    assert response.status_code == 422
    assert "This field is required" in response.text
    assert not Scorer.objects.exists()


def test_the_box_is_offered_only_where_the_item_can_tell(ada_client: Client) -> None:
    for kind in checks.CATALOGUE.values():
        form = ada_client.get(f"{NEW}?kind={kind.kind}").text
        can_tell = any(argument.from_ground_truth for argument in kind.arguments)
        assert ('name="ground_truth_expected"' in form) == can_tell


def test_the_edit_form_shows_the_box_ticked_and_can_clear_it(
    ada_client: Client, project: Project
) -> None:
    scorer = save_check(project, "check-equals", {"expected": TOLD}, name="Right answer")
    url = f"/p/demo/scorers/{scorer.slug}/edit/"
    form = ada_client.get(url).context["form"]
    assert form["ground_truth_expected"].value() is True
    assert form["argument_expected"].value() is None
    assert ada_client.post(url, {"argument_expected": "42"} | MORE).status_code == 302
    assert expected(scorer) == 42
