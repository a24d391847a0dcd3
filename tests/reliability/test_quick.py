"""The quick forms of the reliability checks: real workers, really killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.reliability.stack import ROOT


def run(script: str, *options: str) -> dict[str, Any]:
    """Run a script as a person would; its last line of JSON is what it found."""
    if "scale" in options or script == "flush_redis":
        need("pg_virtualenv", "redis-server")
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "STUDIO_", "DJANGO"))}
    env = {k: v for k, v in outside.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
    command = [sys.executable, "-m", f"tests.reliability.{script}", *options]
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=400, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stdout[-2000:] + done.stderr[-4000:]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def need(*programs: str) -> None:
    """Skip with a word where a server is absent; in CI that is a failure."""
    absent = [program for program in programs if shutil.which(program) is None]
    if absent and os.environ.get("CI"):
        pytest.fail(f"CI needs {', '.join(absent)}")
    if absent:
        pytest.skip(f"needs {', '.join(absent)}")


@pytest.mark.parametrize("mode", ["embedded", "scale"])
def test_killed_workers_lose_and_double_nothing(mode: str) -> None:
    found = run("kill_workers", "--mode", mode, "--items", "300", "--kills", "5")
    assert found["ended"] is True
    assert (found["done"], found["results"]) == (300, 900)
    assert (found["lost"], found["double"]) == (0, 0)


def test_a_poison_item_ends_alone() -> None:
    found = run("poison", "--mode", "embedded")
    assert found["errors"] == {"poison": "worker_lost"}
    assert (found["done"], found["poison_calls"], found["worker_deaths"]) == (99, 3, 1)
    assert found["state"] == "completed_with_errors"


def test_an_emptied_redis_costs_time_and_nothing_else() -> None:
    found = run("flush_redis", "--items", "300")
    assert found["ended"] is True
    assert (found["done"], found["lost"], found["double"]) == (300, 0, 0)
