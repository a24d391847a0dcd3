"""The panel of one trial, and saving it as a dataset item."""

from __future__ import annotations

import pytest
from django.test import Client

from studio.accounts.models import Project
from studio.datasets.models import Dataset, DatasetItem
from studio.experiments.models import Experiment, Trial
from studio.scorers.models import ScorerVersion
from tests.studio.experiments import made

BASE = "/p/demo/experiments/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def right(project: Project) -> ScorerVersion:
    return made.make_scorer(project, "Right answer")


@pytest.fixture
def experiment(project: Project, right: ScorerVersion) -> Experiment:
    return made.make_experiment(project, 3, (right,))


def url_of(trial: Trial, rest: str = "") -> str:
    return f"{BASE}{trial.experiment_id}/trials/{trial.pk}/{rest}"


def test_it_shows_question_answer_truth_and_reason(
    bo_client: Client, experiment: Experiment, right: ScorerVersion
) -> None:
    trial = experiment.trials.first()
    assert trial is not None
    made.answer(trial, "it rains")
    score = made.give_score(trial, right, 0.0)
    html = bo_client.get(url_of(trial)).text
    for words in ("question 0", "it rains", "truth 0", "because", f"/scores/{score.pk}/"):
        assert words in html
    assert "Save as dataset item" not in html  # he may only read


def test_htmx_gets_the_panel_only(ada_client: Client, experiment: Experiment) -> None:
    trial = experiment.trials.first()
    assert trial is not None
    part = ada_client.get(url_of(trial), headers=HTMX).text
    assert "<html" not in part
    assert "question 0" in part


def test_a_failed_trial_names_its_error_and_skips_its_scorers(
    ada_client: Client, experiment: Experiment
) -> None:
    trial = experiment.trials.first()
    assert trial is not None
    made.answer(trial, error="took <b>too</b> long")
    html = ada_client.get(url_of(trial)).text
    assert "TimeoutError" in html
    assert "took &lt;b&gt;too&lt;/b&gt; long" in html
    assert "skipped" in html


def test_previous_and_next_follow_the_filtered_table(
    ada_client: Client, experiment: Experiment, right: ScorerVersion
) -> None:
    first, second, third = experiment.trials.order_by("pk")
    for trial, value in ((first, 0.9), (second, 0.1), (third, 0.5)):
        made.give_score(trial, right, value)
    context = ada_client.get(url_of(third)).context
    assert context["previous"] == url_of(second)
    assert context["following"] == url_of(first)
    kept = ada_client.get(url_of(third) + "?outcome=error").context
    assert kept["previous"] is kept["following"] is None


def test_a_trial_of_another_experiment_is_not_found(
    ada_client: Client, project: Project, experiment: Experiment
) -> None:
    other = made.make_experiment(project, 1)
    trial = other.trials.get()
    assert ada_client.get(f"{BASE}{experiment.pk}/trials/{trial.pk}/").status_code == 404


def test_strangers_find_no_trial(cy_client: Client, experiment: Experiment) -> None:
    trial = experiment.trials.first()
    assert trial is not None
    assert cy_client.get(url_of(trial)).status_code == 404
    assert cy_client.post(url_of(trial, "save/")).status_code == 404


def test_a_trial_is_saved_as_an_item_that_can_be_run_again(
    ada_client: Client, experiment: Experiment
) -> None:
    trial = experiment.trials.first()
    assert trial is not None
    made.answer(trial, "it rains")
    page = ada_client.get(url_of(trial, "save/"))
    initial = page.context["form"].initial
    assert (initial["input"], initial["truth"]) == ("question 0", "it rains")
    data = {**initial, "dataset": "", "new_dataset": "Rain"}
    answer = ada_client.post(url_of(trial, "save/"), data)
    item = DatasetItem.objects.get(dataset__name="Rain")
    assert answer.status_code == 302
    assert (item.input, item.ground_truth) == ("question 0", "it rains")
    assert item.source_key == f"trial:{trial.pk}"


def test_saving_the_same_trial_twice_is_pointed_out(
    ada_client: Client, experiment: Experiment
) -> None:
    trial = experiment.trials.first()
    assert trial is not None
    made.answer(trial)
    initial = ada_client.get(url_of(trial, "save/")).context["form"].initial
    ada_client.post(url_of(trial, "save/"), {**initial, "new_dataset": "Rain"})
    dataset = Dataset.objects.get(name="Rain")
    again = ada_client.post(url_of(trial, "save/"), {**initial, "dataset": dataset.slug})
    assert again.status_code == 422
    assert "saved from here already" in again.text
    assert dataset.items.count() == 1


def test_a_viewer_may_not_save_a_trial(bo_client: Client, experiment: Experiment) -> None:
    trial = experiment.trials.first()
    assert trial is not None
    made.answer(trial)
    assert bo_client.post(url_of(trial, "save/"), {}).status_code == 403
    assert not Dataset.objects.filter(name="Rain").exists()
