"""The scorer's page: its scores, filtered, page by page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.scorers.models import Score, Scorer
from tests.studio.scorers.conftest import MakeScore

pytestmark = pytest.mark.django_db
PAGE = "/p/demo/scorers/says-sunny/"
PART = {"HX-Request": "true"}


def shown(client: Client, query: str = "") -> list[int]:
    """The ids of the scores on the page."""
    html = client.get(PAGE + query, headers=PART)
    assert html.status_code == 200
    return [score.pk for score in html.context["page"]]


def test_it_shows_the_newest_score_first(ada_client: Client, make_score: MakeScore) -> None:
    first, second = make_score(0.25), make_score(0.75)
    html = ada_client.get(PAGE).text
    assert html.index(f"scores/{second.pk}/") < html.index(f"scores/{first.pk}/")
    assert "<h1>" in html


def test_it_answers_htmx_with_the_scores_only(ada_client: Client, make_score: MakeScore) -> None:
    make_score()
    html = ada_client.get(PAGE, headers=PART).text
    assert "<h1>" not in html
    assert "<table>" in html


def test_it_filters_by_outcome(ada_client: Client, make_score: MakeScore) -> None:
    make_score(1.0)
    failed = make_score(None)
    absent = make_score(None, outcome="not_scorable")
    assert shown(ada_client, "?outcome=error") == [failed.pk]
    assert shown(ada_client, "?outcome=not_scorable") == [absent.pk]


def test_it_filters_by_value_with_both_borders(ada_client: Client, make_score: MakeScore) -> None:
    scores = [make_score(value) for value in (0.0, 0.2, 0.4, 0.6)]
    make_score(None)
    assert shown(ada_client, "?min=0.2&max=0.4") == [scores[2].pk, scores[1].pk]
    assert shown(ada_client, "?min=0.2&below=0.4") == [scores[1].pk]


def test_it_filters_by_agent_source_version_and_experiment(
    ada_client: Client, make_score: MakeScore, weather: Agent
) -> None:
    mine = make_score(source="live", experiment_id=7)
    make_score(agent=None)
    assert shown(ada_client, "?agent=weather") == [mine.pk]
    assert shown(ada_client, "?source=live") == [mine.pk]
    assert shown(ada_client, "?experiment=7&version=1") == [mine.pk]
    assert shown(ada_client, "?version=2") == []


def test_it_filters_by_time_and_a_last_day_is_whole(
    ada_client: Client, make_score: MakeScore
) -> None:
    old, new = make_score(), make_score()
    week_ago = timezone.now() - timedelta(days=7)
    Score.objects.filter(pk=old.pk).update(created_at=week_ago)
    assert shown(ada_client, f"?since={timezone.now():%Y-%m-%d}") == [new.pk]
    assert shown(ada_client, f"?until={week_ago:%Y-%m-%d}") == [old.pk]


def test_it_says_what_it_cannot_read_in_a_filter_and_shows_the_rest(
    ada_client: Client, make_score: MakeScore
) -> None:
    score = make_score()
    response = ada_client.get(PAGE + "?min=much&since=soon&agent=nobody&version=-1", headers=PART)
    assert "Enter a number" in response.text
    assert "YYYY-MM-DD" in response.text
    assert [each.pk for each in response.context["page"]] == [score.pk]


def test_a_page_continues_where_the_last_one_ended(
    ada_client: Client, make_score: MakeScore
) -> None:
    scores = [make_score().pk for _ in range(5)]
    assert shown(ada_client, "?limit=2") == scores[:2:-1]
    assert shown(ada_client, f"?limit=2&before={scores[3]}") == [scores[2], scores[1]]
    assert shown(ada_client, f"?limit=2&after={scores[1]}") == [scores[3], scores[2]]


def test_links_keep_the_filter(ada_client: Client, make_score: MakeScore) -> None:
    score = make_score(1.0)
    html = ada_client.get(PAGE + "?outcome=scored&agent=&min=0.5").text
    assert f"scores/{score.pk}/?outcome=scored&amp;min=0.5" in html


def test_the_count_of_errors_leads_to_them_within_the_filter(
    ada_client: Client, make_score: MakeScore
) -> None:
    error = make_score(None)
    make_score(None, source="live")
    make_score(1.0)
    page = ada_client.get(PAGE + "?source=experiment", headers=PART)
    assert page.context["errors_url"] in page.text.replace("&amp;", "&")
    assert shown(ada_client, page.context["errors_url"].removeprefix(PAGE)) == [error.pk]


def test_no_scores_offers_an_experiment_and_no_fit_offers_all(
    ada_client: Client, make_score: MakeScore
) -> None:
    assert "No scores yet" in ada_client.get(PAGE).text
    make_score()
    html = ada_client.get(PAGE + "?outcome=error").text
    assert "No score fits" in html
    assert "Clear filters" in html


def test_hostile_texts_are_escaped(ada_client: Client, make_score: MakeScore) -> None:
    evil = "<script>alert(1)</script>{{ 7|add:7 }}"
    score = make_score(reason=evil, reason_preview=evil, label=evil, steps={evil: evil})
    Scorer.objects.update(name=evil, description=evil)
    for url in (PAGE, f"{PAGE}scores/{score.pk}/", "/p/demo/scorers/"):
        html = ada_client.get(url).text
        assert "<script>alert" not in html
        assert "{{ 7|add:7 }}" in html


def test_strangers_find_nothing_and_the_anonymous_sign_in(
    cy_client: Client, client: Client, make_score: MakeScore
) -> None:
    score = make_score()
    for url in ("/p/demo/scorers/", PAGE, f"{PAGE}scores/{score.pk}/"):
        assert cy_client.get(url).status_code == 404
        assert client.get(url).status_code == 302


def test_a_foreign_scorer_is_not_found(
    ada_client: Client, other_project: Project, sunny: Scorer
) -> None:
    Scorer.objects.create(project=other_project, slug="theirs", name="Theirs", kind="check")
    assert ada_client.get("/p/demo/scorers/theirs/").status_code == 404


@pytest.mark.parametrize("url", [PAGE, "/p/demo/scorers/"])
def test_it_asks_as_often_for_many_scores_as_for_few(
    ada_client: Client, make_score: MakeScore, url: str
) -> None:
    counts: list[int] = []
    for _ in range(2):
        for _ in range(10 if not counts else 90):
            make_score()
        ada_client.get(url + "?limit=100")
        with CaptureQueriesContext(
            connection,
        ) as asked:
            ada_client.get(url + "?limit=100")
        counts.append(len(asked))
    assert counts[0] == counts[1]
    assert counts[0] <= 12
