"""Distribution and figures: what they count, and what they leave out."""

from __future__ import annotations

import pytest
from django.test import Client

from studio.scorers import queries
from studio.scorers.models import Score, Scorer
from studio.scorers.queries import ScoreFilter, distribution, latest_figures, scorers_of
from studio.scorers.save import save_check, save_version
from tests.studio.scorers.conftest import MakeScore

pytestmark = pytest.mark.django_db


def test_bins_hold_every_value_once_and_borders_belong_to_the_upper_bin(
    make_score: MakeScore, sunny: Scorer
) -> None:
    for value in (0.0, 0.05, 0.149999, 0.15, 0.95, 1.0, 1.5, -2.0):
        make_score(value)
    make_score(None)
    bins = distribution(sunny, ScoreFilter()).bins
    assert len(bins) == queries.BINS
    assert sum(each.count for each in bins) == 8
    assert [each.count for each in bins[:4]] == [2, 1, 1, 1]
    assert bins[-1].count == 3


def test_errors_never_enter_the_mean_and_the_coverage_says_so(
    make_score: MakeScore, sunny: Scorer
) -> None:
    for value in (1.0, 0.5, None):
        make_score(value)
    make_score(None, outcome="not_scorable")
    spread = distribution(sunny, ScoreFilter())
    assert (spread.mean, spread.scored, spread.total) == (0.75, 2, 4)
    assert spread.outcomes == {"scored": 2, "error": 1, "not_scorable": 1}


def test_a_value_range_narrows_the_counts_and_keeps_the_bins(
    make_score: MakeScore, sunny: Scorer
) -> None:
    for value in (0.1, 0.5, 0.9):
        make_score(value)
    spread = distribution(sunny, ScoreFilter(low=0.5, below=0.9))
    assert (spread.mean, spread.total) == (0.5, 1)
    assert sum(each.count for each in spread.bins) == 3


def test_versions_are_not_averaged_together(make_score: MakeScore, sunny: Scorer) -> None:
    make_score(1.0)
    second = save_version(sunny, {"expected": "cloudy"})
    make_score(0.0, scorer_version=second)
    assert distribution(sunny, ScoreFilter()).mean is None
    assert distribution(sunny, ScoreFilter(version=2)).mean == 0.0


def test_it_looks_at_the_newest_only_and_says_that_there_are_more(
    make_score: MakeScore, sunny: Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "COUNTED", 3)
    for _ in range(3):
        make_score()
    assert not distribution(sunny, ScoreFilter()).is_more
    make_score()
    assert distribution(sunny, ScoreFilter()).is_more


def test_every_bar_leads_to_exactly_its_scores(
    ada_client: Client, make_score: MakeScore, sunny: Scorer
) -> None:
    for value in (0.0, 0.05, 0.1, 0.3, 0.95, 1.0, 1.2):
        make_score(value)
    part = {"HX-Request": "true"}
    page = ada_client.get(f"/p/demo/scorers/{sunny.slug}/?source=experiment", headers=part)
    for each in page.context["bins"]:
        shown = ada_client.get(each["href"], headers=part)
        assert len(shown.context["page"]) == each["count"]
        assert [one["active"] for one in shown.context["bins"]].count(True) == 1


def figures_of(scorer: Scorer) -> queries.Figures:
    """The list's figures of one scorer."""
    return latest_figures(list(scorers_of(scorer.project))).get(scorer.pk, queries.Figures())


def test_figures_are_of_the_current_version_with_coverage(
    make_score: MakeScore, sunny: Scorer
) -> None:
    make_score(0.0)
    sunny.version = save_version(sunny, {"expected": "cloudy"})
    newest = [make_score(value, scorer_version=sunny.version) for value in (1.0, 0.5, None)]
    found = figures_of(sunny)
    assert (found.mean, found.scored, found.of, found.errors) == (0.75, 2, 3, 1)
    assert found.last_at == newest[-1].created_at


def test_figures_look_at_the_newest_scores_only(
    make_score: MakeScore, sunny: Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "LATEST", 2)
    for value in (0.0, 1.0, 1.0):
        make_score(value)
    assert (figures_of(sunny).mean, figures_of(sunny).of) == (1.0, 2)


def test_a_corrected_score_stands_no_longer(make_score: MakeScore, sunny: Scorer) -> None:
    score = make_score(0.0)
    Score.objects.filter(pk=score.pk).update(is_current=False)
    make_score(1.0, trace=score.trace, corrects=score)
    assert distribution(sunny, ScoreFilter()).mean == 1.0


def test_the_list_shows_one_row_a_scorer_and_filters(
    ada_client: Client, make_score: MakeScore, sunny: Scorer
) -> None:
    make_score(0.5)
    save_check(sunny.project, "check-used-no-tools", {}, name="Quiet")
    html = ada_client.get("/p/demo/scorers/").text
    assert html.count("Says sunny") == 1
    assert "1 of 1" in html
    assert "no scores" in html
    part = ada_client.get("/p/demo/scorers/?q=quiet", headers={"HX-Request": "true"}).text
    assert "Quiet" in part
    assert "Says sunny" not in part
    assert "No scorer fits" in ada_client.get("/p/demo/scorers/?kind=human").text
