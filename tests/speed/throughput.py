"""An experiment through a real studio: from launch to all scores readable over the API.

    python -m tests.speed.throughput [--items 500] [--runs 3]

Starts `manage.py up` in a temporary folder, imports the items, launches three checks on an agent
that answers at once, and stops the clock when the API has given all trials with all scores.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from tests.reliability.stack import ROOT, free_port

CHECKS = [
    ("check-includes", {"expected": "echo"}),
    ("check-max-tool-calls", {"limit": 0}),
    ("check-no-tool-errors", {}),
]


def main() -> int:
    """Start, measure, stop; one line of JSON a run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"STUDIO_DATA": folder, "LEDGER": f"{folder}/ledger", "PYTHONPATH": str(ROOT)}
        os.environ["STUDIO_AGENTS"] = "studio.demo_agents,tests.reliability.agents"
        studio, port, ready_s = start(folder)
        try:
            client = sign_in(port)
            measure(client, 20)
            for _ in range(options.runs):
                row = measure(client, options.items) | {
                    "ready_s": ready_s,
                    "load": os.getloadavg()[0],
                }
                sys.stdout.write(json.dumps(row) + "\n")
        finally:
            studio.send_signal(signal.SIGTERM)
            studio.wait(20)
    return 0


def start(folder: str) -> tuple[subprocess.Popen[bytes], int, float]:
    """`manage.py up` on a free port, waited for until its first page is served."""
    port, began = free_port(), time.perf_counter()
    command = [sys.executable, "manage.py", "up", "--port", str(port), "--data", folder]
    with Path(folder, "up.log").open("wb") as log:
        studio = subprocess.Popen([*command, "--no-browser"], cwd=ROOT, stdout=log, stderr=log)
    while time.perf_counter() - began < 120:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/sign-in/", timeout=5).status_code == 200:
                break
        except httpx.HTTPError:
            time.sleep(0.02)
    return studio, port, round(time.perf_counter() - began, 2)


def sign_in(port: int) -> httpx.Client:
    """A client with a new token."""
    made = subprocess.run(
        [sys.executable, "manage.py", "token"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    base = f"http://127.0.0.1:{port}/api/v1/projects/demo/"
    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    return httpx.Client(base_url=base, headers=headers, timeout=60)


def call(client: httpx.Client, method: str, path: str, body: object = None) -> Any:
    """The parsed answer; anything but success is raised with its text."""
    answer = client.request(method, path, json=body) if body is not None else client.get(path)
    if answer.is_error:
        raise RuntimeError(f"{answer.status_code} {answer.text[:400]}")
    return answer.json()


def measure(client: httpx.Client, items: int) -> dict[str, Any]:
    """One experiment, timed from the launch until every score has been read."""
    name = f"Items {time.time_ns()}"
    dataset = call(client, "POST", "datasets/", {"name": name})["slug"]
    rows = [{"input": f"item {n}"} for n in range(items)]
    call(client, "POST", f"datasets/{dataset}/items/", {"items": rows})
    scorers = [call(client, "POST", "scorers/", {"kind": k, "arguments": a}) for k, a in CHECKS]
    plan = {
        "agent": "echo",
        "dataset": dataset,
        "scorers": [{"scorer": scorer["slug"]} for scorer in scorers],
    }
    began = time.perf_counter()
    experiment = call(client, "POST", "experiments/", plan)["id"]
    while not (state := call(client, "GET", f"experiments/{experiment}/"))["finished_at"]:
        time.sleep(0.1)
    trials = scores = 0
    path: str | None = f"experiments/{experiment}/trials/?limit=200"
    while path:
        page = call(client, "GET", path)
        trials += len(page["results"])
        scores += sum(len(trial["scores"]) for trial in page["results"])
        path = f"experiments/{experiment}/trials/{page['next']}" if page["next"] else None
    seconds = time.perf_counter() - began
    return {
        "items": items, "trials": trials, "scores": scores, "state": state["state"],
        "seconds": round(seconds, 3), "items_per_s": round(items / seconds, 1),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
