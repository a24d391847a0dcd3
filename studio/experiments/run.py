"""A worker's shift on one experiment: claim trials, run them on one loop, write what they gave."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from uuid import uuid4

from django.db import close_old_connections, connection

import evals_core
from studio.experiments.alone import run_suspects
from studio.experiments.models import Trial
from studio.experiments.plan import RunPlan, load_plan
from studio.experiments.reconcile import settle
from studio.experiments.record import Finished, write_results
from studio.experiments.take import take_trials, waiting_elsewhere
from studio.experiments.wake import wake_workers
from studio.experiments.watch import Watch
from studio.web import claims

logger = logging.getLogger(__name__)
FLUSH_S = 0.1
MEANS_S = 0.5
SHIFT_S = 5.0
GRACE_S = 5.0  # what runs when a stop or cancel comes may end by itself for so long
PREFETCH = 64
Found = TypeVar("Found")


def work_on(experiment_id: int, *, alone_as: str = "") -> int:
    """Run due trials of one experiment until none is left for this worker; returns how many.

    With `alone_as` (an owner), only trials that lost a lease before, one after the other.
    """
    plan = load_plan(experiment_id)
    if plan is None or claims.STOPPING.is_set():
        return 0
    shift = Shift(plan, alone_as)
    with Watch(plan.experiment_id, shift.owner) as watch:
        done = asyncio.run(shift.work(watch))
    if not alone_as:
        run_suspects(experiment_id)
    settle(experiment_id)
    return done


class Shift:
    """One claim's owner, with the trials it holds and the results it has not written yet."""

    def __init__(self, plan: RunPlan, alone_as: str) -> None:
        """A shift with a name that no other shift has or had."""
        self.plan, self.alone, self.owner = (
            plan,
            bool(alone_as),
            alone_as or uuid4().hex,
        )
        self.share = 1 if self.alone else plan.share
        self.gate = asyncio.Semaphore(self.share)
        self.running: set[asyncio.Task[Finished]] = set()
        self.finished: list[Finished] = []
        self.done, self.recent, self.dry = 0, 0, False
        self.written_at = self.meant_at = self.began = time.monotonic()
        self.database = ThreadPoolExecutor(1, "shift")  # all its queries, on one connection

    async def work(self, watch: Watch) -> int:
        """Claim, run and write until nothing is left, or a stop or cancel comes."""
        try:
            while True:
                await self.claim(watch)
                if not self.running and not self.finished:
                    return self.done
                await self.wait(watch)
                await self.write()
        finally:
            await self.query(claims.give_up, Trial.objects.all(), self.owner)
            await self.query(close_connection)
            self.database.shutdown()

    async def claim(self, watch: Watch) -> None:
        """Take more trials while there are free hands, and not after a stop or cancel."""
        if self.dry or watch.stopping or len(self.running) >= self.share:
            self.dry = self.dry or watch.stopping
            return
        if time.monotonic() - self.began > SHIFT_S and await self.query(self.hand_over):
            self.dry = True
            return
        wanted = 1 if self.alone else self.share + min(PREFETCH, self.recent)
        trials = await self.query(take_trials, self.plan, self.owner, wanted, self.alone)
        self.recent = 0
        self.dry = not trials
        self.running |= {asyncio.create_task(self.run(trial, watch)) for trial in trials}

    def hand_over(self) -> bool:
        """Give the thread to an experiment that waits; this one is woken again behind it."""
        waits = waiting_elsewhere(self.plan.experiment_id)
        if waits:
            wake_workers(self.plan.experiment_id)
        return waits

    async def run(self, trial: Trial, watch: Watch) -> Finished:
        """One trial, unless a stop or cancel comes before its turn."""
        async with self.gate:
            if watch.stopping:
                return Finished(trial, None)
            result = await evals_core.run_one(
                self.plan.plan_of(trial), self.plan.target, self.plan.scorers,
                item_timeout=self.plan.item_timeout_s,
            )  # fmt: skip
            return Finished(trial, None if was_cut_off(result, watch) else result)

    async def wait(self, watch: Watch) -> None:
        """Until a trial ends or it is time to look again."""
        if not self.running:
            return
        ended, self.running = await asyncio.wait(
            self.running, timeout=FLUSH_S, return_when=asyncio.FIRST_COMPLETED
        )
        if watch.stopping and watch.stopped_for() > GRACE_S:
            for task in self.running:
                task.cancel()
        fresh = [task.result() for task in ended if not task.cancelled()]
        self.finished += fresh
        self.recent += len(fresh)

    async def write(self) -> None:
        """Write what has gathered, often enough to be seen live, in few transactions."""
        now = time.monotonic()
        if not self.finished or (self.running and now - self.written_at < FLUSH_S):
            return
        batch, self.finished, self.written_at = self.finished, [], now
        means_are_old = now - self.meant_at > MEANS_S
        self.done += await self.query(write_results, self.plan, self.owner, batch, means_are_old)
        if means_are_old:
            self.meant_at = now
        if connection.vendor == "sqlite":
            await asyncio.sleep(0.005)  # its lock is not fair: let the web process in

    async def query(self, function: Callable[..., Found], *arguments: Any) -> Found:
        """Call a function that reads or writes the database, off the loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.database, fresh_connection, function, arguments)


def was_cut_off(result: evals_core.TrialResult, watch: Watch) -> bool:
    """The call was ended by a stop or cancel, so it is neither an answer nor a failure."""
    return watch.stopping and result.error is not None and result.error.kind == "cancelled"


def fresh_connection(function: Callable[..., Found], arguments: tuple[Any, ...]) -> Found:
    """Call it on a connection that is not dead since the database restarted."""
    close_old_connections()
    return function(*arguments)


def close_connection() -> None:
    """Close the connection of the thread that calls this, so that none leaks."""
    connection.close()
