"""A real studio, started once, and Chromium to look at it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
LINK = re.compile(r"http://127\.0\.0\.1:\d+/sign-in/\S+")
PATIENCE_S = 60


@dataclass(frozen=True)
class Studio:
    """A running studio and the signed-in cookies of its owner."""

    address: str
    link: str
    cookies: list[Any] = field(default_factory=list)

    def page(self, path: str) -> str:
        """The address of a page of the demo project."""
        return f"{self.address}/p/demo/{path}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder needs Chromium and shares one studio, hence one test process."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; without it these tests are skipped, in CI they fail."""
    if CHROMIUM is None:
        words = "Chromium is not installed (apt-get install chromium)"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def studio(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """`manage.py up` on a free port and an empty data folder, signed in by its own link."""
    folder = tmp_path_factory.mktemp("studio")
    command = [sys.executable, "manage.py", "up", "--no-browser", "--port", str(free_port())]
    environment = os.environ | {
        "STUDIO_DATA": str(folder),
        "STUDIO_AGENTS": "studio.demo_agents,tests.browser.agents",
        "PYTHONUNBUFFERED": "1",
    }
    environment.pop("DATABASE_URL", None)
    environment.pop("REDIS_URL", None)
    with (folder / "up.out").open("w") as out:
        process = subprocess.Popen(
            [*command, "--data", str(folder)], cwd=ROOT, env=environment, stdout=out,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        link = printed_link(folder / "up.out", process)
        yield Studio(link.split("/sign-in/")[0], link, signed_in(browser, link))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def printed_link(out: Path, process: subprocess.Popen[bytes]) -> str:
    """The one-time link, once the studio has printed it."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        if found := LINK.search(out.read_text()):
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"No sign-in link was printed: {out.read_text()}")


def signed_in(browser: Browser, link: str) -> list[Any]:
    """The cookies after the link was used."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    if page.get_by_role("button", name="Sign in").count():
        page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/p/**")
    cookies: list[Any] = list(context.cookies())
    context.close()
    return cookies


@pytest.fixture
def context(browser: Browser, studio: Studio) -> Iterator[BrowserContext]:
    """A fresh window of the signed-in owner."""
    window = browser.new_context(viewport={"width": 1280, "height": 900})
    window.add_cookies(studio.cookies)
    yield window
    window.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A tab in that window."""
    tab = context.new_page()
    tab.set_default_timeout(15_000)
    return tab
