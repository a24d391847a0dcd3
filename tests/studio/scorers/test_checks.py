"""Making and changing checks, on pages and as verbs."""

from __future__ import annotations

import pytest
from django.test import Client

from evals_core import checks
from studio.accounts.models import Project
from studio.scorers.build import engine_scorer
from studio.scorers.models import Scorer
from studio.scorers.save import CheckRefused, save_check, save_version

pytestmark = pytest.mark.django_db
NEW = "/p/demo/scorers/new/"


def current(scorer: Scorer) -> int:
    """The number of the scorer's current version."""
    scorer.refresh_from_db()
    assert scorer.version is not None
    return scorer.version.number


def test_the_same_definition_again_is_the_same_scorer_and_version(project: Project) -> None:
    first = save_check(project, "check-includes", {"expected": "rain"})
    again = save_check(project, "check-includes", {"expected": "rain", "ignore_case": True})
    assert again.pk == first.pk
    assert first.versions.count() == 1
    assert save_check(project, "check-includes", {"expected": "snow"}).pk != first.pk


def test_a_version_is_its_content_and_the_engine_agrees(sunny: Scorer) -> None:
    made = checks.includes("sunny")
    assert sunny.version is not None
    assert sunny.version.hash == made.version
    assert engine_scorer(sunny.version).id == made.id


def test_a_change_is_a_new_version_and_a_change_back_the_old_one(sunny: Scorer) -> None:
    save_version(sunny, {"expected": "cloudy"})
    assert current(sunny) == 2
    save_version(sunny, {"expected": "sunny"})
    assert current(sunny) == 1
    assert sunny.versions.count() == 2


def test_two_scorers_of_one_name_get_addresses_of_their_own(project: Project) -> None:
    slugs = {save_check(project, "check-includes", {"expected": w}, name="New").slug for w in "ab"}
    assert slugs == {"new-2", "new-3"}


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("check-nothing", {}),
        ("check-includes", {}),
        ("check-includes", {"expected": 1}),
        ("check-matches", {"pattern": r"(a+)\1"}),
        ("check-max-tool-calls", {"limit": "many"}),
    ],
)
def test_what_no_check_can_be_is_refused_in_words(
    project: Project, kind: str, arguments: dict[str, object]
) -> None:
    with pytest.raises(CheckRefused, match=r"\w+ \w+"):
        save_check(project, kind, arguments)
    assert not Scorer.objects.exists()


def test_every_kind_of_check_has_a_form(ada_client: Client) -> None:
    chosen = ada_client.get(NEW).text
    for kind in checks.CATALOGUE.values():
        assert f"?kind={kind.kind}" in chosen
        form = ada_client.get(f"{NEW}?kind={kind.kind}").text
        for argument in kind.arguments:
            assert f'name="argument_{argument.name}"' in form


def test_a_form_makes_a_check(ada_client: Client) -> None:
    response = ada_client.post(
        f"{NEW}?kind=check-tool-order",
        {"name": "Order", "argument_tool_names": "search\n answer \n", "argument_reading": "whole"},
    )
    scorer = Scorer.objects.get()
    assert response.headers["Location"] == f"/p/demo/scorers/{scorer.slug}/"
    assert scorer.version is not None
    assert scorer.version.spec["arguments"]["tool_names"] == ["search", "answer"]


def test_a_json_argument_is_a_value_and_a_plain_one_text(ada_client: Client) -> None:
    for written, value in (("yes", "yes"), ('{"a": 1}', {"a": 1}), ('"7"', "7"), ("7", 7)):
        more = {"argument_reading": "whole", "argument_normalise": "NFC"}
        url = f"{NEW}?kind=check-equals"
        assert ada_client.post(url, {"argument_expected": written, **more}).status_code == 302
        version = Scorer.objects.latest("pk").version
        assert version is not None
        assert version.spec["arguments"]["expected"] == value


def test_a_pattern_that_is_not_linear_is_refused_beside_its_field(ada_client: Client) -> None:
    more = {"argument_reading": "whole", "argument_normalise": "NFC"}
    response = ada_client.post(f"{NEW}?kind=check-matches", {"argument_pattern": r"(?=a)b", **more})
    assert response.status_code == 422
    assert "cannot be used" in response.text
    assert not Scorer.objects.exists()


def test_the_edit_form_shows_what_is_and_saves_a_version(ada_client: Client, sunny: Scorer) -> None:
    url = f"/p/demo/scorers/{sunny.slug}/edit/"
    assert "sunny</textarea>" in ada_client.get(url).text
    data = {"name": "Says rain", "argument_expected": "rain", "argument_normalise": "NFC",
            "argument_reading": "whole"}  # fmt: skip
    assert ada_client.post(url, data).status_code == 302
    assert current(sunny) == 2
    assert sunny.name == "Says rain"
    assert sunny.version is not None
    assert sunny.version.spec["arguments"]["ignore_case"] is False


def test_viewers_may_not_write_and_strangers_find_nothing(
    bo_client: Client, cy_client: Client, sunny: Scorer
) -> None:
    for url in (f"{NEW}?kind=check-includes", f"/p/demo/scorers/{sunny.slug}/edit/"):
        data = {"argument_expected": "rain"}
        assert bo_client.post(url, data).status_code == 403
        assert cy_client.post(url, data).status_code == 404
    assert Scorer.objects.count() == 1
    assert current(sunny) == 1
