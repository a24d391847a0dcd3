"""Keeps the studio's processes running; a slim loop that loads neither Django nor Celery."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

LOOK_S = 0.2
DEATHS, WITHIN_S = 5, 60.0
STOP_S = 12.0
LAST_WORDS = 15
FIRST_ALONE_S = 8.0


@dataclass
class Child:
    """One process: what starts it, where its words go, and how often it has died lately."""

    name: str
    argv: list[str]
    log: str
    process: subprocess.Popen[bytes] | None = None
    deaths: deque[float] = field(default_factory=deque)
    start_at: float = 0.0

    def start(self) -> None:
        """Start it, its words going to the end of its log."""
        with Path(self.log).open("ab") as log:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def note_death(self, now: float) -> float:
        """Remember a death; the pause before the next start, growing with each recent death."""
        self.process = None
        self.deaths.append(now)
        while self.deaths[0] < now - WITHIN_S:
            self.deaths.popleft()
        pause = min(0.5 * 2.0 ** (len(self.deaths) - 1), 8.0)
        self.start_at = now + pause
        return pause

    def last_words(self) -> str:
        """The last lines of its log."""
        text = Path(self.log).read_text(errors="replace")[-8000:]
        return "\n".join(text.splitlines()[-LAST_WORDS:])


@dataclass(frozen=True)
class Plan:
    """What to run, and what to say when the first page is there."""

    children: list[tuple[str, list[str]]]  # name, argv
    folder: str
    host: str
    port: int
    link: str
    browser: bool

    def dump(self) -> str:
        """The plan as JSON, for the command line of the slim loop."""
        return json.dumps(asdict(self))


def say(words: str) -> None:
    """One line for the person at the terminal."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def answers(host: str, port: int) -> bool:
    """Whether the web process serves a page yet."""
    try:
        with socket.create_connection((host, port), timeout=2) as door:
            door.sendall(b"GET /health/live HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return door.recv(12).startswith(b"HTTP/")
    except OSError:
        return False


class Supervisor:
    """Starts the children, watches them, and stops them all when asked."""

    def __init__(self, plan: Plan) -> None:
        """Nothing is started yet."""
        self.plan = plan
        folder = Path(plan.folder) / "log"
        folder.mkdir(exist_ok=True)
        self.children = [
            Child(name, argv, str(folder / f"{name}.log")) for name, argv in plan.children
        ]
        self.stopping = self.is_ready = False
        # The first page is what people wait for: the others start behind it, so as not to slow it.
        for child in self.children[1:]:
            child.start_at = time.monotonic() + FIRST_ALONE_S

    def ask_to_stop(self, *_: object) -> None:
        """What a signal does: the loop ends at its next look."""
        self.stopping = True

    def run(self) -> int:
        """Watch until asked to stop (0), or until a child cannot live (1)."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signal.signal(getattr(signal, name), self.ask_to_stop)
        try:
            while not self.stopping:
                for child in self.children:
                    if not self.look_after(child):
                        return 1
                if not self.is_ready:
                    self.greet_when_ready()
                time.sleep(LOOK_S)
            say("Stopping …")
            return 0
        finally:
            self.stop()

    def look_after(self, child: Child) -> bool:
        """Start the child when it is due; False when it has died too often."""
        now = time.monotonic()
        if child.process is None:
            if now >= child.start_at:
                child.start()
            return True
        code = child.process.poll()
        if code is None:
            return True
        end_group(child.process, signal.SIGKILL)
        pause = child.note_death(now)
        if len(child.deaths) >= DEATHS:
            say(f"{child.name} died {DEATHS} times within a minute; its last words:")
            say(child.last_words())
            return False
        say(f"{child.name} died (exit code {code}); starting it again in {pause:g} s.")
        return True

    def greet_when_ready(self) -> None:
        """Print the sign-in link once the first page is served, and open the browser."""
        plan = self.plan
        host = "127.0.0.1" if plan.host in ("0.0.0.0", "") else plan.host  # noqa: S104 - compared
        if not answers(host, plan.port):
            return
        self.is_ready = True
        for child in self.children[1:]:
            child.start_at = min(child.start_at, time.monotonic())
        place = f"[{host}]" if ":" in host else host
        url = f"http://{place}:{plan.port}{plan.link}"
        say(f"\nEvals Studio is ready. Sign in with this link (once, within an hour):\n\n  {url}\n")
        say(f"Data and logs: {plan.folder}\nCtrl-C stops it.")
        if plan.browser:
            subprocess.Popen(  # its own process, because loading a browser's names takes memory
                [sys.executable, "-m", "webbrowser", url],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def stop(self) -> None:
        """Ask every child to end, give them time, then end them."""
        living = [child.process for child in self.children if child.process]
        for process in living:
            if process.poll() is None:
                process.terminate()
        end = time.monotonic() + STOP_S
        for process in living:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, end - time.monotonic()))
            end_group(process, signal.SIGKILL)
            process.wait()


def end_group(process: subprocess.Popen[bytes], how: int) -> None:
    """Signal whatever a child has left in its process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, how)


def main() -> int:
    """Run the plan given as the only argument."""
    return Supervisor(Plan(**json.loads(sys.argv[1]))).run()


if __name__ == "__main__":
    sys.exit(main())
