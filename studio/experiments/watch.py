"""A thread beside each shift: it renews the lease and sees a cancel or stop within a second."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from studio.experiments.models import Experiment, Trial
from studio.web import claims

logger = logging.getLogger(__name__)
LOOK_S = 1.0


class Watch:
    """Runs on its own thread and connection, so that a busy loop cannot cost the lease."""

    def __init__(self, experiment_id: int, owner: str) -> None:
        """Watch one owner's work on one experiment."""
        self.experiment_id, self.owner = experiment_id, owner
        self.ended, self.cancelled = threading.Event(), threading.Event()
        self.stopped_at: float | None = None
        self.thread = threading.Thread(target=self.watch, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.ended.set()
        self.thread.join()

    @property
    def stopping(self) -> bool:
        """A cancel or a stop came: nothing new starts."""
        return self.cancelled.is_set() or claims.STOPPING.is_set()

    def stopped_for(self) -> float:
        """Seconds since the shift first saw that it is to stop."""
        if self.stopped_at is None:
            self.stopped_at = time.monotonic()
        return time.monotonic() - self.stopped_at

    def watch(self) -> None:
        """Look each second, renew when it is time, until the shift ends."""
        renewed = time.monotonic()
        while not self.ended.wait(min(LOOK_S, settings.STUDIO_RENEW_S)):
            try:
                close_old_connections()
                if self.is_cancelled():
                    self.cancelled.set()
                if time.monotonic() - renewed >= settings.STUDIO_RENEW_S:
                    claims.renew(Trial.objects.all(), self.owner)
                    renewed = time.monotonic()
            except DatabaseError as error:  # it may be restarting: look again
                logger.warning("the watch could not reach the database: %s", error)
        connection.close()

    def is_cancelled(self) -> bool:
        """Somebody asked to cancel, or the experiment is gone."""
        going_on = Experiment.objects.filter(pk=self.experiment_id, cancel_requested_at=None)
        return not going_on.exists()
