"""The Celery application: messages are wake-ups, all state lives in our own tables."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_init

from studio.sqlite_broker import SCHEME, release_claims

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

app = Celery("studio")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    timezone="UTC",
)
app.autodiscover_tasks()


def is_embedded() -> bool:
    """Whether messages travel through our SQLite file."""
    return str(app.conf.broker_url).startswith(f"{SCHEME}:")


@worker_init.connect  # type: ignore[untyped-decorator]
def prepare(**_: object) -> None:
    """Before the embedded worker starts: no remote control, and no claim of its dead ancestor."""
    if is_embedded():
        app.conf.worker_enable_remote_control = False  # the file has no fan-out
        release_claims(str(app.conf.broker_url).split(":///", 1)[1])
