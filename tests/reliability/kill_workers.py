"""F1: `kill -9` of a random worker again and again; every result is there once.

python -m tests.reliability.kill_workers --mode embedded|scale [--items 2000] [--kills 20]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter

from tests.reliability.stack import (
    CHECKS,
    MODES,
    Stack,
    launch,
    start_django,
    under_postgres,
)
from tests.reliability.stack import wait_for as wait


def main() -> int:
    """Run, kill, count; 0 when nothing was lost or doubled."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=MODES, default="embedded")
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.mode == "scale":
        under_postgres()
    with Stack(options.mode) as stack:
        import os

        os.environ["AGENT_DELAY"] = "0.05"
        start_django()
        report = provoke(stack, options)
    sys.stdout.write(json.dumps(report) + "\n")
    return 0 if report["lost"] == report["double"] == 0 and report["ended"] else 1


def provoke(stack: Stack, options: argparse.Namespace) -> dict[str, object]:
    """Launch, kill while it runs, and count what is there in the end."""
    from studio.experiments.models import Experiment

    began = time.monotonic()
    experiment = launch([f"item {n}" for n in range(options.items)], CHECKS, concurrency=25)
    rows = Experiment.objects.filter(pk=experiment.pk)  # type: ignore[attr-defined]
    workers = [stack.worker() for _ in range(options.workers)]
    stack.beat()
    for kill in range(options.kills):
        mark = options.items * (kill + 1) // (options.kills + 2)
        wait(lambda mark=mark: rows.get().done >= mark, 120)
        victim = random.randrange(len(workers))
        stack.kill(workers[victim])
        workers[victim] = stack.worker()
    ended = wait(lambda: rows.get().finished_at is not None, 180)
    return count(stack, rows.get()) | {
        "mode": options.mode, "kills": options.kills, "ended": ended,
        "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


def count(stack: Stack, experiment: object) -> dict[str, object]:
    """What is lost, what is double, and how often the agent was asked."""
    from studio.scorers.models import Score
    from studio.traces.models import Trace

    scores = Score.objects.filter(experiment_id=experiment.pk)  # type: ignore[attr-defined]
    cells = Counter(scores.values_list("trial_id", "scorer_version_id"))
    wanted = experiment.total * len(CHECKS)  # type: ignore[attr-defined]
    return {
        "state": experiment.state,  # type: ignore[attr-defined]
        "trials": experiment.total,  # type: ignore[attr-defined]
        "done": experiment.done,  # type: ignore[attr-defined]
        "results": len(cells),
        "lost": wanted - len(cells),
        "double": sum(cells.values()) - len(cells) + Trace.objects.count() - experiment.done,  # type: ignore[attr-defined]
        "agent_calls": len(stack.ledger()),
    }


if __name__ == "__main__":
    sys.exit(main())
