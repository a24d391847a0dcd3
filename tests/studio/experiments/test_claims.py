"""Claims, leases and fences, as design.md promises them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from studio.experiments.models import Trial
from studio.web import claims
from tests.studio.experiments.conftest import Launch

pytestmark = pytest.mark.django_db


def lose_lease(trial: Trial, times: int = 0) -> None:
    """As if the worker that held it had died."""
    past = timezone.now() - timedelta(minutes=1)
    Trial.objects.filter(pk=trial.pk).update(
        state="running", owner="dead", lease_until=past, lost_leases=times
    )


def test_a_claimed_trial_is_nobody_elses(launch: Launch) -> None:
    trials = launch().trials.all()
    mine = claims.claim(trials, "me", 2)
    yours = claims.claim(trials, "you", 5)
    assert [len(mine), len(yours)] == [2, 1]
    assert {t.owner for t in mine} == {"me"}
    assert {t.attempt for t in mine + yours} == {1}
    assert all(t.lease_until and t.lease_until > timezone.now() for t in mine)


def test_a_trial_that_lost_its_lease_is_taken_alone_and_not_by_a_batch(launch: Launch) -> None:
    trials = launch().trials.all()
    for trial in trials:
        lose_lease(trial)
    assert claims.claim(trials, "me", 5) == []
    (alone,) = claims.claim_suspect(trials, "me")
    assert alone.lost_leases == 1


def test_a_suspect_that_was_given_back_is_still_taken_alone(launch: Launch) -> None:
    trials = launch().trials.all()
    first = trials[0]
    lose_lease(first)
    claims.claim_suspect(trials, "me")
    claims.give_up(trials, "me")
    assert first.pk not in {t.pk for t in claims.claim(trials, "you", 5)}
    (alone,) = claims.claim_suspect(trials, "you")
    assert (alone.pk, alone.lost_leases) == (first.pk, 1)


def test_three_lost_leases_are_the_end(launch: Launch) -> None:
    trials = launch().trials.all()
    lose_lease(trials[0], times=2)
    assert claims.claim_suspect(trials, "me") == []
    assert claims.worn_out(trials).count() == 1


def test_the_fence_keeps_a_late_worker_from_writing(launch: Launch) -> None:
    trials = launch().trials.all()
    (mine,) = claims.claim(trials, "me", 1)
    lose_lease(mine)
    claims.claim_suspect(trials, "you")
    with transaction.atomic():
        assert claims.still_held(trials, "me", [mine.pk]) == set()
        assert claims.still_held(trials, "you", [mine.pk]) == {mine.pk}


def test_renewing_holds_only_what_is_still_mine(launch: Launch) -> None:
    trials = launch().trials.all()
    claims.claim(trials, "me", 2)
    assert claims.renew(trials, "me") == 2
    assert claims.renew(trials, "you") == 0


def test_a_trial_exists_once_per_item_and_repetition(launch: Launch) -> None:
    trial = launch().trials.all()[0]
    with pytest.raises(IntegrityError), transaction.atomic():
        Trial.objects.create(experiment=trial.experiment, item=trial.item, repetition=1)
