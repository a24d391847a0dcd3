"""F3: Redis is emptied in mid-run; the run ends, with every result.

python -m tests.reliability.flush_redis [--items 2000] [--times 3]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

from tests.reliability.kill_workers import count
from tests.reliability.stack import CHECKS, Stack, launch, start_django, under_postgres
from tests.reliability.stack import wait_for as wait


def main() -> int:
    """Run, flush, count; 0 when the run ended whole."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    under_postgres()
    with Stack("scale") as stack:
        os.environ["AGENT_DELAY"] = "0.05"
        start_django()
        report = provoke(stack, options)
    sys.stdout.write(json.dumps(report) + "\n")
    return 0 if report["lost"] == report["double"] == 0 and report["ended"] else 1


def provoke(stack: Stack, options: argparse.Namespace) -> dict[str, object]:
    """Launch, flush before any worker is there and again while it runs."""
    from studio.experiments.models import Experiment

    began = time.monotonic()
    experiment = launch([f"item {n}" for n in range(options.items)], CHECKS)
    rows = Experiment.objects.filter(pk=experiment.pk)  # type: ignore[attr-defined]
    flush = ["redis-cli", "-p", str(stack.redis_port), "flushall"]
    subprocess.run(flush, check=True, capture_output=True)
    stack.worker()
    stack.beat()
    for time_ in range(options.times - 1):
        mark = options.items * (time_ + 1) // (options.times + 1)
        wait(lambda mark=mark: rows.get().done >= mark, 120)
        subprocess.run(flush, check=True, capture_output=True)
    ended = wait(lambda: rows.get().finished_at is not None, 180)
    seconds = round(time.monotonic() - began, 1)
    return count(stack, rows.get()) | {"ended": ended, "seconds": seconds}


if __name__ == "__main__":
    sys.exit(main())
