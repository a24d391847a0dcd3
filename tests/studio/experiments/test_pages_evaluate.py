"""An agent's Evaluate tab, the project's home and the command palette."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.experiments.models import ExperimentScorer
from studio.scorers.models import Scorer, ScorerAttachment, ScorerVersion
from tests.studio.experiments import made

TAB = "/p/demo/experiments/agents/weather/"


@pytest.fixture
def agent(project: Project) -> Agent:
    return made.make_agent(project).agent


@pytest.fixture
def right(project: Project) -> ScorerVersion:
    return made.make_scorer(project, "Right answer")


def test_the_tab_offers_a_run_to_who_may_launch(
    ada_client: Client, bo_client: Client, agent: Agent
) -> None:
    link = "/p/demo/experiments/new/?agent=weather"
    assert link in ada_client.get(TAB).text
    assert link not in bo_client.get(TAB).text


def test_it_lists_the_agents_own_experiments(
    ada_client: Client, project: Project, agent: Agent, right: ScorerVersion
) -> None:
    made.make_experiment(project, 1, (right,), name="Mine")
    html = ada_client.get(TAB).text
    assert "Mine" in html
    assert "Right answer" in html


def test_datasets_show_the_agents_latest_experiment(
    ada_client: Client, project: Project, agent: Agent
) -> None:
    made.make_experiment(project, 4, name="Latest of them")
    made.make_dataset(project, 2, "Untouched")
    html = ada_client.get(f"{TAB}?section=datasets").text
    assert "Latest of them" in html
    assert "agent=weather&amp;dataset=untouched" in html


def test_scorers_show_their_demands_and_where_they_are_attached(
    ada_client: Client, project: Project, agent: Agent, right: ScorerVersion
) -> None:
    ScorerAttachment.objects.create(agent=agent, scorer=right.scorer, threshold_min=0.8)
    in_code = made.make_scorer(project, "From code")
    attachment = ScorerAttachment.objects.create(
        agent=agent, scorer=in_code.scorer, is_gate=True, source=Scorer.Origin.CODE
    )
    html = ada_client.get(f"{TAB}?section=scorers").text
    assert "at least 0.8" in html
    assert "gate" in html
    assert f"/from-code/detach/{attachment.pk}/" not in html
    assert "/right-answer/detach/" in html


def test_another_scorer_is_attached_from_the_tab(
    ada_client: Client, agent: Agent, right: ScorerVersion
) -> None:
    url = "/p/demo/scorers/right-answer/attach/"
    assert url in ada_client.get(f"{TAB}?section=scorers").text
    back = f"{TAB}?section=scorers"
    answer = ada_client.post(url, {"agent": agent.pk, "is_gate": "on", "next": back})
    assert agent.attachments.get().is_gate
    assert answer.headers["Location"] == back


@pytest.mark.parametrize("place", ["https://evil.example/", "//evil.example", ""])
def test_attaching_leads_to_no_foreign_site(
    ada_client: Client, agent: Agent, right: ScorerVersion, place: str
) -> None:
    url = "/p/demo/scorers/right-answer/attach/"
    answer = ada_client.post(url, {"agent": agent.pk, "next": place})
    assert answer.headers["Location"] == "/p/demo/scorers/right-answer/"


@pytest.mark.parametrize("section", ["experiments", "datasets", "scorers"])
def test_more_rows_need_no_more_queries(
    ada_client: Client, project: Project, agent: Agent, section: str
) -> None:
    counts = []
    for size in (2, 6):
        for number in range(size):
            version = made.make_scorer(project, f"S {size} {number}")
            ScorerAttachment.objects.create(agent=agent, scorer=version.scorer)
            made.make_experiment(project, 1, (version,))
        with CaptureQueriesContext(connection) as queries:
            ada_client.get(f"{TAB}?section={section}")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_strangers_find_no_tab(cy_client: Client, agent: Agent) -> None:
    assert cy_client.get(TAB).status_code == 404


def test_home_tells_a_newcomer_what_to_do(ada_client: Client) -> None:
    html = ada_client.get("/p/demo/").text
    for words in ("Add an agent", "Add a dataset", "Choose scorers", "Run an experiment"):
        assert words in html


def test_home_shows_what_runs_and_what_fails(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    failing = made.make_experiment(project, 1, (right,), name="Gate run")
    ExperimentScorer.objects.update(is_gate=True)
    made.give_score(failing.trials.get(), right, 0.0)
    made.close(failing)
    made.make_experiment(project, 1, name="Still going")
    html = ada_client.get("/p/demo/").text
    assert "Still going" in html
    assert "Gate Right answer" in html


def test_a_later_good_run_takes_a_failing_gate_off_home(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    failing = made.make_experiment(project, 1, (right,))
    again = made.make_experiment(project, 1, (right,))
    again.dataset_version = failing.dataset_version
    again.save()
    ExperimentScorer.objects.update(is_gate=True)
    for experiment, value in ((failing, 0.0), (again, 1.0)):
        made.give_score(experiment.trials.get(), right, value)
        made.close(experiment)
    assert "Gate Right answer" not in ada_client.get("/p/demo/").text


def test_the_palette_finds_names_ids_and_actions(
    ada_client: Client, project: Project, right: ScorerVersion
) -> None:
    experiment = made.make_experiment(project, 1, (right,), name="Weather run")
    trace = made.answer(experiment.trials.get())

    def kinds(text: str) -> set[str]:
        found = ada_client.get("/p/demo/search/", {"q": text}).json()["results"]
        assert all(each["url"].startswith("/p/demo/") for each in found)
        return {each["kind"] for each in found}

    assert kinds("weather") == {"agent", "experiment"}
    assert kinds("cities") == {"dataset"}
    assert kinds("right") == {"scorer"}
    assert kinds(trace.trace_id[:12]) == {"trace"}
    assert kinds("new exp") == {"action"}


def test_the_palette_offers_viewers_no_writing(bo_client: Client) -> None:
    found = bo_client.get("/p/demo/search/", {"q": "new"}).json()["results"]
    assert found == []


def test_the_palette_is_bounded_and_takes_any_text(ada_client: Client, project: Project) -> None:
    for number in range(20):
        made.make_scorer(project, f"Same {number}")
    assert len(ada_client.get("/p/demo/search/", {"q": "same"}).json()["results"]) == 6
    for text in ("\x00", "%", "' OR 1=1", "\U0001f600" * 300):
        assert ada_client.get("/p/demo/search/", {"q": text}).status_code == 200


def test_strangers_search_nothing(cy_client: Client, project: Project) -> None:
    assert cy_client.get("/p/demo/search/?q=a").status_code == 404
