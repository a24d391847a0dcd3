"""Cold start: from `manage.py up` in an empty folder to the first page, and what it takes up.

python -m tests.speed.cold_start [--runs 3]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time

import psutil

from tests.speed.throughput import start

SETTLED_S = 8


def main() -> int:
    """One line of JSON a start: seconds, and the memory of each process once it is calm."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    for run in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["STUDIO_DATA"] = folder
            for again in (False, True):
                row = {"run": run, "folder": "used" if again else "empty"} | measure(folder)
                sys.stdout.write(json.dumps(row) + "\n")
    return 0


def measure(folder: str) -> dict[str, object]:
    """Start, wait for the first page, look at the processes, stop."""
    studio, _port, seconds = start(folder)
    time.sleep(SETTLED_S)
    tree = [psutil.Process(studio.pid), *psutil.Process(studio.pid).children(recursive=True)]
    memory = {f"{p.pid} {p.name()}": round(p.memory_info().rss / 2**20) for p in tree}
    studio.send_signal(signal.SIGTERM)
    studio.wait(20)
    return {
        "first_page_s": seconds,
        "memory_mb": memory,
        "memory_sum_mb": sum(memory.values()),
        "load": os.getloadavg()[0],
    }


if __name__ == "__main__":
    sys.exit(main())
