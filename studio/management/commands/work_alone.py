"""Run the trials of one experiment that lost a lease before, one after the other."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser
from threading import Thread
from time import sleep
from typing import Any

from django.core.management.base import BaseCommand

from studio.experiments.run import work_on
from studio.web import claims


class Command(BaseCommand):
    """Started by a worker; not meant for people."""

    help = "Run suspect trials of an experiment in a process of their own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which experiment."""
        parser.add_argument("experiment", type=int)
        parser.add_argument("owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work until no suspect is due."""
        signal.signal(signal.SIGTERM, lambda *_: claims.STOPPING.set())
        Thread(target=stop_with_parent, args=(os.getppid(),), daemon=True).start()
        work_on(options["experiment"], alone_as=options["owner"])


def stop_with_parent(parent: int) -> None:
    """Take no more once the worker that started this is gone."""
    while os.getppid() == parent:
        sleep(1)
    claims.STOPPING.set()
