"""Waking workers: a message says only that there may be work; the database knows what."""

from __future__ import annotations

import logging
from math import ceil

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)
CALLS_PER_TASK = 25


def tasks_for(concurrency: int) -> int:
    """How many tasks share the agent calls that an experiment may have under way."""
    return max(1, ceil(concurrency / CALLS_PER_TASK))


def wake_workers(experiment_id: int, count: int = 1) -> bool:
    """Send `count` wake-ups; False when the broker is down, then the reconciler tries again."""
    try:
        for _ in range(count):
            current_app.send_task(
                "studio.experiments.tasks.work",
                [experiment_id],
                retry=False,
                ignore_result=True,
            )
    except (OperationalError, OSError) as error:
        logger.warning("experiment %s waits: the broker is unreachable (%s)", experiment_id, error)
        return False
    return True
