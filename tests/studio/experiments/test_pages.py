"""The experiment pages: list, launch, one experiment, cancel."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from studio.accounts.models import Project
from studio.experiments.models import Experiment, ExperimentScorer, Trial
from studio.scorers.models import ScorerAttachment, ScorerVersion
from studio.web.claims import WorkState
from tests.studio.experiments import made

BASE = "/p/demo/experiments/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def right(project: Project) -> ScorerVersion:
    return made.make_scorer(project, "Right answer")


@pytest.fixture
def polite(project: Project) -> ScorerVersion:
    return made.make_scorer(project, "Polite")


def launch_data(**changes: object) -> dict[str, object]:
    return {
        "agent": "weather", "dataset": "cities", "version": "", "trials": "2", "concurrency": "4",
        "time_limit": "30", "name": "First", "note": "", "key": "k1", **changes,
    }  # fmt: skip


@pytest.mark.usefixtures("ada")
class TestLaunch:
    @pytest.fixture(autouse=True)
    def ready(self, project: Project, right: ScorerVersion) -> None:
        version = made.make_agent(project)
        made.make_dataset(project, 3)
        ScorerAttachment.objects.create(agent=version.agent, scorer=right.scorer, is_gate=True)

    def test_it_proposes_a_name_and_the_agents_own_scorers(self, ada_client: Client) -> None:
        html = ada_client.get(f"{BASE}new/?agent=weather&dataset=cities").text
        assert 'value="Weather on Cities"' in html
        assert "3 items \u00d7 1 = <strong>3 agent calls</strong>" in " ".join(html.split())
        assert html.count("checked") == 2  # the attached scorer, and that it is a gate

    def test_it_launches_what_the_form_says(self, ada_client: Client, right: ScorerVersion) -> None:
        line = f"scorer-{right.scorer_id}"
        data = launch_data(**{f"{line}-use": "on", f"{line}-minimum": "0.5"})
        answer = ada_client.post(f"{BASE}new/", data)
        experiment = Experiment.objects.get()
        assert answer.headers["Location"] == f"{BASE}{experiment.pk}/"
        assert (experiment.total, experiment.concurrency) == (6, 4)
        asked = experiment.asked.get()
        assert (asked.is_gate, asked.threshold_min, asked.threshold_max) == (False, 0.5, None)

    def test_a_double_click_launches_once(self, ada_client: Client, right: ScorerVersion) -> None:
        data = launch_data(**{f"scorer-{right.scorer_id}-use": "on"})
        first, second = (ada_client.post(f"{BASE}new/", data) for _ in range(2))
        assert first.headers["Location"] == second.headers["Location"]
        assert Experiment.objects.count() == 1

    def test_it_says_what_is_missing(self, ada_client: Client) -> None:
        answer = ada_client.post(f"{BASE}new/", launch_data())
        assert answer.status_code == 422
        assert "Choose at least one scorer." in answer.text
        part = ada_client.get(f"{BASE}new/plan/?agent=weather", headers=HTMX).text
        assert "Choose a dataset, Choose at least one scorer" in part

    def test_it_refuses_a_range_that_is_out_of_order(
        self, ada_client: Client, right: ScorerVersion
    ) -> None:
        line = f"scorer-{right.scorer_id}"
        wrong = {f"{line}-use": "on", f"{line}-minimum": "0.9", f"{line}-maximum": "0.1"}
        answer = ada_client.post(f"{BASE}new/", launch_data(**wrong))
        assert answer.status_code == 422
        assert "The maximum is below the minimum." in answer.text
        assert not Experiment.objects.exists()

    def test_a_viewer_may_not_launch(self, bo_client: Client) -> None:
        assert bo_client.post(f"{BASE}new/", launch_data()).status_code == 403
        assert bo_client.get(f"{BASE}new/").status_code == 403

    def test_a_stranger_finds_nothing(self, cy_client: Client) -> None:
        assert cy_client.post(f"{BASE}new/", launch_data()).status_code == 404


def test_the_list_shows_means_with_their_coverage(
    bo_client: Client, project: Project, right: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 3, (right,))
    first, second, third = experiment.trials.all()
    made.give_score(first, right, 1.0)
    made.give_score(second, right, 0.5)
    made.answer(third, error="no network")
    made.close(experiment)
    html = " ".join(bo_client.get(BASE).text.split())
    assert "<strong>0.75</strong>" in html
    assert "(2 of 3)" in html


def test_the_list_filters_and_says_so_when_nothing_matches(
    ada_client: Client, project: Project
) -> None:
    made.make_experiment(project, 1, name="Morning run")
    assert "Morning run" in ada_client.get(f"{BASE}?q=morning&state=waiting").text
    nothing = ada_client.get(f"{BASE}?verdict=failed", headers=HTMX).text
    assert "Clear filters" in nothing
    assert "<h1" not in nothing


def test_nothing_to_average_is_a_dash(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 1, (right,))
    made.answer(experiment.trials.get(), error="no network")
    made.close(experiment)
    html = ada_client.get(f"{BASE}{experiment.pk}/").text
    assert "\u2013 (0 of 1)" in html
    assert "NaN" not in html
    assert "None" not in html


def test_the_mean_says_what_it_covers_and_what_it_would_be_with_zeros(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 8, (right,))
    trials = list(experiment.trials.all())
    for trial, value in zip(trials, [1, 1, 0, 0, 0, 0], strict=False):
        made.give_score(trial, right, value)
    for trial in trials[6:]:
        made.answer(trial, error="no network")
    made.close(experiment)
    html = " ".join(ada_client.get(f"{BASE}{experiment.pk}/").text.split())
    assert "0.33</span> (6 of 8)" in html
    assert "0.25 with 0 for the rest" in html


def test_an_open_experiment_polls_and_a_finished_one_does_not(
    ada_client: Client, project: Project
) -> None:
    experiment = made.make_experiment(project, 1)
    assert 'hx-trigger="every 1s"' in ada_client.get(f"{BASE}{experiment.pk}/").text
    made.close(experiment)
    assert 'hx-trigger="every 1s"' not in ada_client.get(f"{BASE}{experiment.pk}/").text


def test_the_live_part_is_silent_until_something_changes(
    ada_client: Client, project: Project
) -> None:
    experiment = made.make_experiment(project, 2)
    url = f"{BASE}{experiment.pk}/progress/"
    part = ada_client.get(f"{url}?shown=0", headers=HTMX)
    mark = part.text.split("?seen=")[1].split('"')[0]
    assert ada_client.get(f"{url}?seen={mark}&shown=0", headers=HTMX).status_code == 204
    Experiment.objects.update(done=1, started_at=timezone.now())
    after = ada_client.get(f"{url}?seen={mark}&shown=0", headers=HTMX)
    assert "Show 1 new result" in after.text
    assert "<h1" not in after.text


def test_it_says_when_no_worker_has_come(ada_client: Client, project: Project) -> None:
    experiment = made.make_experiment(project, 1)
    url = f"{BASE}{experiment.pk}/"
    assert "waits for a worker" not in ada_client.get(url).text
    Experiment.objects.update(created_at=timezone.now() - timedelta(seconds=11))
    assert "waits for a worker" in ada_client.get(url).text


def test_failures_come_first(
    ada_client: Client, project: Project, right: ScorerVersion, polite: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 5, (right, polite))
    ExperimentScorer.objects.filter(scorer_version=right).update(is_gate=True)
    good, low, gate, broken, error = experiment.trials.order_by("pk")
    for trial, values in ((good, (1, 1)), (low, (1, 0.2)), (gate, (0, 1))):
        made.give_score(trial, right, values[0])
        made.give_score(trial, polite, values[1])
    made.give_score(broken, right, None, "error")
    made.answer(error, error="no network")
    made.close(experiment)
    html = ada_client.get(f"{BASE}{experiment.pk}/", headers=HTMX).text
    places = [html.index(f"/trials/{each.pk}/") for each in (error, broken, gate, low, good)]
    assert places == sorted(places)


def test_trials_are_filtered_by_outcome_scorer_and_text(
    ada_client: Client, project: Project, right: ScorerVersion, polite: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 3, (right, polite))
    first, second, third = experiment.trials.order_by("pk")
    made.give_score(first, right, None, "error")
    made.give_score(second, polite, None, "not_scorable")
    made.answer(third, error="no network")
    url = f"{BASE}{experiment.pk}/"

    def shown(query: str) -> list[int]:
        html = ada_client.get(url + query, headers=HTMX).text
        return [each.pk for each in (first, second, third) if f"/trials/{each.pk}/" in html]

    assert shown("?outcome=error") == [third.pk]
    assert shown("?outcome=score_error") == [first.pk]
    assert shown("?outcome=score_error&scorer=polite") == []
    assert shown("?outcome=not_scorable&scorer=polite") == [second.pk]
    assert shown("?q=network") == [third.pk]
    assert shown("?outcome=good") == [second.pk]


def test_pages_of_trials_meet_without_gap_or_repeat(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 120, (right,))
    for number, trial in enumerate(experiment.trials.all()):
        made.give_score(trial, right, (number % 7) / 7)
    seen: list[int] = []
    query = ""
    for _ in range(4):
        answer = ada_client.get(f"{BASE}{experiment.pk}/{query}", headers=HTMX)
        page = answer.context["trials"]
        seen += [row.trial.pk for row in page.rows]
        query = page.older
        if not query:
            break
    assert len(seen) == len(set(seen)) == 120
    back = ada_client.get(f"{BASE}{experiment.pk}/{page.newer}", headers=HTMX).context["trials"]
    assert [row.trial.pk for row in back.rows] == seen[50:100]


@pytest.mark.parametrize("address", ["", "progress/"])
def test_ten_and_a_hundred_trials_need_the_same_queries(
    ada_client: Client, project: Project, right: ScorerVersion, address: str
) -> None:
    counts = []
    for size in (10, 100):
        experiment = made.make_experiment(project, size, (right,))
        for trial in experiment.trials.all():
            made.give_score(trial, right, 0.5)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert ada_client.get(f"{BASE}{experiment.pk}/{address}").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_cancelling_drops_what_has_not_begun(ada_client: Client, project: Project) -> None:
    experiment = made.make_experiment(project, 2)
    ada_client.post(f"{BASE}{experiment.pk}/cancel/")
    experiment.refresh_from_db()
    assert experiment.state == Experiment.State.CANCELLED
    assert set(Trial.objects.values_list("state", flat=True)) == {WorkState.CANCELLED}


def test_a_viewer_may_not_cancel_and_sees_no_button(bo_client: Client, project: Project) -> None:
    experiment = made.make_experiment(project, 2)
    assert bo_client.post(f"{BASE}{experiment.pk}/cancel/").status_code == 403
    assert "Cancel this experiment?" not in bo_client.get(f"{BASE}{experiment.pk}/").text


@pytest.mark.parametrize("address", ["", "progress/", "cancel/"])
def test_a_stranger_finds_no_experiment(cy_client: Client, project: Project, address: str) -> None:
    experiment = made.make_experiment(project, 1)
    method = cy_client.post if address == "cancel/" else cy_client.get
    assert method(f"{BASE}{experiment.pk}/{address}").status_code == 404


def test_anothers_experiment_is_not_found_through_ones_own_project(
    cy_client: Client, project: Project
) -> None:
    experiment = made.make_experiment(project, 1)
    assert cy_client.get(f"/p/other/experiments/{experiment.pk}/").status_code == 404
