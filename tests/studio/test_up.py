"""`manage.py up` as a newcomer runs it: real processes, a real port, a folder of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 90  # a bound for a loaded machine, not a budget


@dataclass
class Up:
    """A studio that was started, and the file its words go to."""

    process: subprocess.Popen[bytes]
    port: int
    folder: Path
    words: Path

    def said(self) -> str:
        """All it has said so far."""
        return self.words.read_text()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """The match in what it says, waited for."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end and self.process.poll() is None:
            if found := re.search(pattern, self.said()):
                return found
            time.sleep(0.1)
        raise AssertionError(f"{pattern!r} was never said, but: {self.said()}")

    def children(self) -> dict[str, psutil.Process]:
        """What it has started, by name."""
        found = psutil.Process(self.process.pid).children()
        names = {"granian": "web", "worker": "worker", "beat": "beat"}
        return {
            name: child for child in found for key, name in names.items() if key in child.cmdline()
        }

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def command(port: int, folder: Path) -> list[str]:
    """The command line of a start."""
    options = ["--port", str(port), "--data", str(folder), "--no-browser"]
    return [sys.executable, str(ROOT / "manage.py"), "up", *options]


def surroundings() -> dict[str, str]:
    """The environment without the stores of other tests: embedded mode."""
    return {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def refusal(port: int, folder: Path) -> str:
    """What a start that is refused says."""
    start = subprocess.run(
        command(port, folder), check=False, capture_output=True, text=True, env=surroundings()
    )
    assert start.returncode == 1
    return start.stderr


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One studio for this module, ready."""
    folder, words = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("up") / "words"
    port = free_port()
    with words.open("wb") as out:
        process = subprocess.Popen(
            command(port, folder), stdout=out, stderr=out, env=surroundings()
        )
    started = Up(process, port, folder, words)
    try:
        started.wait_for("Ctrl-C stops it")
        yield started
    finally:
        if process.poll() is None:
            started.stop()


def test_it_prints_a_link_that_signs_the_owner_in_once(up: Up) -> None:
    link = up.wait_for(r"(http://127\.0\.0\.1:\d+/sign-in/\S+)").group(1)
    with urllib.request.urlopen(link) as answer:  # noqa: S310 - our own address
        assert answer.status == 200
        assert "<h1" in answer.read().decode()


def test_it_serves_a_page_with_its_styles(up: Up) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{up.port}/sign-in/") as answer:
        style = re.search(r'href="(/static/[^"]+\.css)"', answer.read().decode())
    assert style
    with urllib.request.urlopen(f"http://127.0.0.1:{up.port}{style.group(1)}") as css:
        assert css.headers["Content-Type"].startswith("text/css")


def test_it_keeps_its_secrets_to_its_owner(up: Up) -> None:
    assert (up.folder / "secret_key").stat().st_mode & 0o077 == 0


def test_it_refuses_a_second_start_on_the_same_folder(up: Up) -> None:
    words = refusal(free_port(), up.folder)
    assert f"{up.folder} is in use by another studio (process {up.process.pid})" in words


def test_it_refuses_a_taken_port(up: Up, tmp_path: Path) -> None:
    assert f"Cannot listen on 127.0.0.1:{up.port}" in refusal(up.port, tmp_path)


def test_it_is_slim_once_it_watches(up: Up) -> None:
    assert psutil.Process(up.process.pid).memory_info().rss < 30 * 2**20


def test_it_restarts_a_killed_worker(up: Up) -> None:
    worker = up.children()["worker"]
    worker.kill()
    up.wait_for(r"worker died \(exit code -9\); starting it again")
    end = time.monotonic() + WAIT_S
    while up.children().get("worker", worker) == worker and time.monotonic() < end:
        time.sleep(0.1)
    assert up.children()["worker"].pid != worker.pid


def test_it_stops_all_its_children_when_asked(up: Up) -> None:
    children = psutil.Process(up.process.pid).children(recursive=True)
    assert {"web", "worker", "beat"} <= set(up.children())
    assert up.stop() == 0
    assert [child for child in children if child.is_running()] == []
