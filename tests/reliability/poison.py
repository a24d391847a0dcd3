"""F7: one item kills the process it runs in, each time; its neighbours are scored.

python -m tests.reliability.poison --mode embedded|scale [--items 100]
"""

from __future__ import annotations

import argparse
import json
import sys
import time

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
    """Run with a poison item; 0 when only that one is an error."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=MODES, default="embedded")
    parser.add_argument("--items", type=int, default=100)
    options = parser.parse_args()
    if options.mode == "scale":
        under_postgres()
    with Stack(options.mode) as stack:
        start_django()
        report = provoke(stack, options.items)
    sys.stdout.write(json.dumps({"mode": options.mode, **report}) + "\n")
    return 0 if report["errors"] == {"poison": "worker_lost"} else 1


def provoke(stack: Stack, items: int) -> dict[str, object]:
    """Launch, start a worker again whenever it dies, and see what each trial came to."""
    from studio.experiments.models import Experiment, Trial

    inputs = [f"item {n}" for n in range(items - 1)]
    inputs.insert(items // 2, "poison")
    experiment = launch(inputs, CHECKS)
    rows = Experiment.objects.filter(pk=experiment.pk)  # type: ignore[attr-defined]
    worker, deaths = stack.worker(), 0
    stack.beat()
    end = time.monotonic() + 120
    while rows.get().finished_at is None and time.monotonic() < end:
        if worker.poll() is not None:
            worker, deaths = stack.worker(), deaths + 1
        wait(lambda: rows.get().finished_at is not None, 1)
    failed = Trial.objects.filter(experiment=rows.get(), state="error").select_related("item")
    return {
        "state": rows.get().state,
        "done": rows.get().done,
        "errors": {trial.item.input: trial.error_kind for trial in failed},
        "worker_deaths": deaths,
        "poison_calls": stack.ledger().count("poison"),
    }


if __name__ == "__main__":
    sys.exit(main())
