"""Claim, lease and fence: how every kind of background work is taken, kept and finished once.

A claim is a lease with a fence: `owner` names the claim and every write asks for it, so a worker
that lost its lease can no longer write. All times are the database's own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

MAX_LOST_LEASES = 3
STOPPING = threading.Event()  # this process was asked to stop: finish what runs, take no more


class WorkState(models.TextChoices):
    """Where a piece of work stands; the last three are final."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    ERROR = "error"
    CANCELLED = "cancelled"


class Claimable(models.Model):
    """A row that workers take under a lease."""

    state = models.CharField(max_length=10, choices=WorkState.choices, default=WorkState.PENDING)
    attempt = models.PositiveIntegerField(default=0)
    lost_leases = models.PositiveSmallIntegerField(default=0)
    owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


Work = TypeVar("Work", bound=Claimable)
LEASE_OVER = Q(state=WorkState.RUNNING, lease_until__lt=Now())
UNTOUCHED = Q(state=WorkState.PENDING, lost_leases=0)
SUSPECT = LEASE_OVER | Q(state=WorkState.PENDING, lost_leases__gt=0)


def lease() -> timedelta:
    """How long a claim holds without being renewed."""
    return timedelta(seconds=settings.STUDIO_LEASE_S)


def claim(rows: QuerySet[Work], owner: str, limit: int) -> list[Work]:
    """Take up to `limit` rows that never lost a lease; nobody else gets them while it holds."""
    return take(rows.filter(UNTOUCHED), owner, limit, lost=0)


def claim_suspect(rows: QuerySet[Work], owner: str) -> list[Work]:
    """Take one row that lost its lease before: alone, so that it drags no neighbour along."""
    pending = take(rows.filter(state=WorkState.PENDING, lost_leases__gt=0), owner, 1, lost=0)
    fresh = Q(lost_leases__lt=MAX_LOST_LEASES - 1)
    return pending or take(rows.filter(LEASE_OVER & fresh), owner, 1, lost=1)


@transaction.atomic
def take(rows: QuerySet[Work], owner: str, limit: int, *, lost: int) -> list[Work]:
    """Write the claim on what is free; on SQLite the IMMEDIATE transaction is the lock."""
    if limit < 1:
        return []
    free = rows.select_for_update(skip_locked=True, of=("self",)).order_by("pk")[:limit]
    keys = list(free.values_list("pk", flat=True))
    if not keys:
        return []
    model = rows.model
    model._default_manager.filter(pk__in=keys).update(
        state=WorkState.RUNNING,
        owner=owner,
        attempt=F("attempt") + 1,
        lost_leases=F("lost_leases") + lost,
        lease_until=Now() + lease(),
    )
    return list(model._default_manager.filter(pk__in=keys).order_by("pk"))


def renew(rows: QuerySet[Work], owner: str) -> int:
    """Hold all that `owner` still has for another lease; returns how many that is."""
    held = rows.filter(owner=owner, state=WorkState.RUNNING)
    return held.update(lease_until=Now() + lease())


def still_held(rows: QuerySet[Work], owner: str, keys: Iterable[int]) -> set[int]:
    """Of `keys`, those that `owner` may still write, locked until the transaction ends."""
    held = rows.filter(pk__in=list(keys), owner=owner, state=WorkState.RUNNING)
    return set(held.select_for_update(of=("self",)).values_list("pk", flat=True))


def give_up(rows: QuerySet[Work], owner: str) -> int:
    """Put back what `owner` holds, as a worker that stops in good order does."""
    held = rows.filter(owner=owner, state=WorkState.RUNNING)
    return held.update(state=WorkState.PENDING, owner="", lease_until=None)


def expire(rows: QuerySet[Work], owner: str) -> int:
    """End the leases of an owner that is known to be dead, without waiting for their time."""
    held = rows.filter(owner=owner, state=WorkState.RUNNING)
    return held.update(lease_until=Now() - timedelta(seconds=1))


def worn_out(rows: QuerySet[Work]) -> QuerySet[Work]:
    """Rows whose lease is over once too often: they end as `worker_lost`."""
    return rows.filter(LEASE_OVER, lost_leases__gte=MAX_LOST_LEASES - 1)


def due(rows: QuerySet[Work]) -> QuerySet[Work]:
    """Rows that a worker could take now."""
    return rows.filter(UNTOUCHED | SUSPECT)
