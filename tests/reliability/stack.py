"""A studio of its own in a temporary folder: database, broker, workers, scheduler; it stops only
what it started."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
MODES = ("embedded", "scale")
CELERY = (sys.executable, "-m", "celery", "-q", "-A", "studio")
WORKER = ("worker", "-P", "threads", "-c", "4", "--without-gossip", "--without-mingle",
          "--without-heartbeat", "-l", "WARNING")  # fmt: skip


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port: int = door.getsockname()[1]
        return port


def under_postgres() -> None:
    """Run this script again inside a throw-away PostgreSQL, unless it is in one already."""
    if "PGHOST" not in os.environ:
        os.execvp("pg_virtualenv", ["pg_virtualenv", "-t", *sys.orig_argv])


class Stack:
    """`with Stack(mode) as stack:` sets the environment for Django here and in all children."""

    def __init__(self, mode: str) -> None:
        """`embedded` (SQLite, our broker) or `scale` (PostgreSQL, Redis)."""
        self.mode, self.children = mode, list[subprocess.Popen[bytes]]()
        self.folder = Path(tempfile.mkdtemp(prefix="evals-studio-"))
        self.redis_port = 0

    def __enter__(self) -> Self:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="studio.settings", STUDIO_DATA=str(self.folder),
            STUDIO_LEASE_S="3", STUDIO_RENEW_S="1", STUDIO_RECONCILE_S="1",
            STUDIO_AGENTS="tests.reliability.agents", LEDGER=str(self.folder / "ledger"),
            PYTHONPATH=str(ROOT), STUDIO_LOG_LEVEL="WARNING",
        )  # fmt: skip
        (self.folder / "ledger").touch()
        if self.mode == "scale":
            self.start_stores()
        return self

    def start_stores(self) -> None:
        """A fresh database in the throw-away PostgreSQL, and a Redis of our own."""
        name = f"studio_{os.getpid()}"
        subprocess.run(["createdb", name], check=True)
        login = f"{os.environ['PGUSER']}:{os.environ['PGPASSWORD']}"
        place = f"{os.environ['PGHOST']}:{os.environ['PGPORT']}"
        self.redis_port = free_port()
        os.environ["DATABASE_URL"] = f"postgresql://{login}@{place}/{name}"
        os.environ["REDIS_URL"] = f"redis://127.0.0.1:{self.redis_port}/0"
        self.start("redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1",
                   "--save", "", "--dir", str(self.folder))  # fmt: skip

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a child in a process group of its own, its words going to the folder's log."""
        with (self.folder / "log").open("ab") as log:
            child = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        self.children.append(child)
        return child

    def worker(self) -> subprocess.Popen[bytes]:
        """A Celery worker, as `up` starts it."""
        return self.start(*CELERY, *WORKER)

    def beat(self) -> subprocess.Popen[bytes]:
        """The scheduler."""
        schedule = str(self.folder / "beat")
        return self.start(*CELERY, "beat", "-s", schedule, "-l", "WARNING")

    def kill(self, child: subprocess.Popen[bytes]) -> None:
        """`kill -9` of the child with everything it started."""
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def ledger(self) -> list[str]:
        """One line per agent call so far."""
        return (self.folder / "ledger").read_text().splitlines()

    def log(self) -> str:
        """What the children said."""
        return (self.folder / "log").read_text()[-4000:]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if kind is not None:
            sys.stderr.write(self.log())
        for child in reversed(self.children):
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(what: object, seconds: float) -> bool:
    """Call `what` until it is true; False when the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def start_django() -> None:
    """Django in this process, on the stack's database, migrated."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def launch(inputs: Sequence[object], checks: Sequence[tuple[str, dict[str, object]]],
           **options: object) -> object:  # fmt: skip
    """A project, a dataset, checks and an experiment by the Echo agent, launched."""
    from studio.accounts.models import Project
    from studio.agents.register import register_agents
    from studio.datasets.save import ItemDraft, add_items, create_dataset
    from studio.experiments.launch import (
        Asked,
        ExperimentPlan,
        launch_experiment,
    )
    from studio.scorers.save import save_check

    project, _ = Project.objects.get_or_create(slug="demo", defaults={"name": "Demo"})
    agent = next(a for a in register_agents(project) if a.name == "Echo")
    dataset = create_dataset(project, f"Set {time.time_ns()}")
    version = add_items(dataset, [ItemDraft(input=each) for each in inputs], None)
    scorers = [save_check(project, kind, arguments) for kind, arguments in checks]
    asked = [Asked(scorer.current) for scorer in scorers]
    plan = ExperimentPlan(project, agent.current, version, asked, **options)  # type: ignore[arg-type]
    return launch_experiment(plan)


CHECKS: list[tuple[str, dict[str, object]]] = [
    ("check-includes", {"expected": "echo"}),
    ("check-max-tool-calls", {"limit": 0}),
    ("check-no-tool-errors", {}),
]
