"""`manage.py up`: the whole studio on this machine, with no servers to install."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from studio import sqlite_broker, supervisor
from studio.accounts.models import Project
from studio.accounts.sign_in import make_local_link
from studio.celery import is_embedded

CELERY = [sys.executable, "-m", "celery", "-q", "-A", "studio"]
WORKER = ["worker", "-P", "threads", "-c", "4", "-l", "INFO"]
WORKER += ["--without-gossip", "--without-mingle", "--without-heartbeat"]


class Command(BaseCommand):
    """Prepare the data folder, then become the supervisor of web, worker and scheduler."""

    requires_system_checks = ("studio",)  # the rest would load every page before the first
    help = "Start the studio: web pages, worker and scheduler, and print a sign-in link."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen, where to keep data, whether to open a browser."""
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--host", default="127.0.0.1", help="default: this machine only")
        parser.add_argument("--data", help="the data folder; default: STUDIO_DATA or var/")
        parser.add_argument("--no-browser", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Everything that needs Django, then the slim loop in this same process."""
        folder = Path(settings.DATA_DIR).resolve()
        lock = hold(folder)
        refuse_taken_port(options["host"], options["port"])
        self.stdout.write(f"Starting Evals Studio on {folder} …")
        prepare()
        plan = supervisor.Plan(
            children=commands(folder, options["host"], options["port"]),
            folder=str(folder),
            host=options["host"],
            port=options["port"],
            link=make_local_link(),
            browser=not options["no_browser"],
        )
        become(plan, lock)


def hold(folder: Path) -> int:
    """The lock on the folder, held until the supervisor ends; refused while another holds it."""
    lock = os.open(folder / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.read(lock, 20).decode() or "unknown"
        raise CommandError(
            f"{folder} is in use by another studio (process {pid}). "
            "Stop that one, or choose another folder with --data."
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    return lock


def refuse_taken_port(host: str, port: int) -> None:
    """Say so now when another program listens there; later only a log would."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host}:{port} ({error.strerror}). Choose another with --port."
            ) from None


def prepare() -> None:
    """The broker's file, the tables, the demo on first start, and whatever agents are new."""
    if is_embedded():
        sqlite_broker.release_claims(str(Path(settings.DATA_DIR).resolve() / "broker.sqlite3"))
    call_command("migrate", verbosity=0, interactive=False)
    if not Project.objects.exists():
        with transaction.atomic():  # a demo made by half would never be finished
            call_command("demo", stdout=StringIO())
    else:
        call_command("register_agents", stdout=StringIO())


def commands(folder: Path, host: str, port: int) -> list[tuple[str, list[str]]]:
    """The children by name."""
    web = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", host]
    web += ["--port", str(port), "--blocking-threads", "4", "--no-ws", "studio.wsgi:application"]
    beat = [*CELERY, "beat", "-s", str(folder / "beat"), "--pidfile", "", "-l", "INFO"]
    return [("web", web), ("worker", [*CELERY, *WORKER]), ("beat", beat)]


def become(plan: supervisor.Plan, lock: int) -> None:
    """Turn this process into the slim loop, which keeps the lock and needs no Django."""
    os.set_inheritable(lock, True)
    os.environ["STUDIO_DATA"] = plan.folder
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    os.chdir(settings.BASE_DIR)
    # -P keeps the package's folder off the path: its celery.py would hide Celery.
    argv = [sys.executable, "-P", "-S", supervisor.__file__, plan.dump()]
    os.execv(sys.executable, argv)  # noqa: S606 - our own loop
