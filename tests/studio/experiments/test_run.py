"""From launch to verdict, with the work done by the verb that workers call."""

from __future__ import annotations

import time
from threading import Thread

import pytest
from django.db import IntegrityError, transaction

from studio.accounts.models import AuditEntry, Project
from studio.datasets.save import ItemDraft, add_items, create_dataset
from studio.experiments import launch as launching
from studio.experiments import run
from studio.experiments.cancel import cancel_experiment
from studio.experiments.close import close_if_finished
from studio.experiments.launch import NothingToRun
from studio.experiments.models import Experiment, Trial
from studio.experiments.reconcile import reconcile, settle
from studio.experiments.run import work_on
from studio.scorers.models import Score
from tests.studio.experiments.conftest import Launch

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Wake-ups are counted, not sent: these tests are the worker."""
    woken: list[int] = []

    def wake(experiment_id: int, count: int = 1) -> bool:
        woken.append(experiment_id)
        return True

    monkeypatch.setattr(launching, "wake_workers", wake)
    monkeypatch.setattr("studio.experiments.reconcile.wake_workers", wake)
    return woken


def test_every_trial_is_accounted_for_and_an_error_is_not_a_zero(launch: Launch) -> None:
    experiment = launch(trials_per_item=2)
    assert work_on(experiment.pk) == 6
    experiment.refresh_from_db()
    assert (experiment.done, experiment.failed, experiment.total) == (4, 2, 6)
    assert experiment.state == Experiment.State.COMPLETED_WITH_ERRORS
    broken = experiment.trials.filter(state="error")
    assert {trial.error for trial in broken} == {"RuntimeError: the agent broke"}
    includes = experiment.asked.get(position=0)
    assert (includes.mean, includes.scored) == (1.0, 4)
    assert Score.objects.filter(experiment_id=experiment.pk).count() == 8


def test_a_gate_with_a_missing_score_has_failed(launch: Launch) -> None:
    experiment = launch()
    work_on(experiment.pk)
    experiment.refresh_from_db()
    assert experiment.verdict == "failed"
    (gate,) = experiment.verdict_detail["gates"]
    assert (gate["passed"], gate["scored"], gate["of"]) == (False, 2, 3)


def test_a_failed_trial_keeps_its_trace_with_the_error(launch: Launch) -> None:
    experiment = launch()
    work_on(experiment.pk)
    trace = experiment.trials.get(state="error").trace
    assert trace is not None
    assert trace.status == "error"
    assert "the agent broke" in trace.error


def test_working_twice_changes_nothing(launch: Launch) -> None:
    experiment = launch()
    work_on(experiment.pk)
    before = list(Score.objects.order_by("pk").values_list("pk", "value"))
    assert work_on(experiment.pk) == 0
    assert list(Score.objects.order_by("pk").values_list("pk", "value")) == before


def test_a_repeated_key_launches_once(launch: Launch) -> None:
    first, second = launch(idempotency_key="k"), launch(idempotency_key="k")
    assert first == second
    assert Experiment.objects.count() == 1


def test_nothing_to_run_says_what_is_missing(launch: Launch) -> None:
    with pytest.raises(NothingToRun, match="scorer"):
        launch(asked=[])


def test_cancel_keeps_what_is_scored_and_starts_no_more(launch: Launch) -> None:
    experiment = launch()
    assert cancel_experiment(experiment) is True
    assert cancel_experiment(experiment) is False
    assert work_on(experiment.pk) == 0
    experiment.refresh_from_db()
    assert (experiment.state, experiment.cancelled) == (Experiment.State.CANCELLED, 3)
    assert experiment.verdict == ""
    assert AuditEntry.objects.filter(action="cancel").count() == 1


def test_a_cancel_cuts_off_what_runs_and_that_is_no_failure(
    launch: Launch, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GRACE_S", 0.1)
    slow = add_items(create_dataset(project, "Slow"), [ItemDraft("slow"), ItemDraft("one")], None)
    experiment = launch(dataset_version=slow)
    worker = Thread(target=work_on, args=(experiment.pk,))
    began = time.monotonic()
    worker.start()
    while not Trial.objects.filter(experiment=experiment, state="done").exists():
        assert time.monotonic() - began < 20
        time.sleep(0.05)
    cancel_experiment(experiment)
    worker.join(20)
    experiment.refresh_from_db()
    assert experiment.state == Experiment.State.CANCELLED
    assert (experiment.done, experiment.failed, experiment.cancelled) == (1, 0, 1)


def test_the_end_happens_once(launch: Launch) -> None:
    experiment = launch()
    work_on(experiment.pk)
    ended = Experiment.objects.get(pk=experiment.pk).finished_at
    assert close_if_finished(experiment.pk) is False
    assert Experiment.objects.get(pk=experiment.pk).finished_at == ended


def test_the_reconciler_wakes_what_waits_and_ends_what_is_worn_out(
    launch: Launch, no_broker: list[int]
) -> None:
    experiment = launch()
    no_broker.clear()
    reconcile()
    assert no_broker == [experiment.pk]
    from tests.studio.experiments.test_claims import lose_lease

    for trial in experiment.trials.all():
        lose_lease(trial, times=2)
    assert settle(experiment.pk) is True
    kinds = set(Trial.objects.values_list("error_kind", flat=True))
    assert kinds == {"worker_lost"}


def test_counts_that_do_not_fit_are_refused_by_the_database(launch: Launch) -> None:
    experiment = launch()
    with pytest.raises(IntegrityError), transaction.atomic():
        Experiment.objects.filter(pk=experiment.pk).update(done=99)
