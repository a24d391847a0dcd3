"""Time a scorer's page over 100,000 scores: the first page, a deep one, and filtered ones.

Run as `python tests/speed/score_pages.py [scores]`; it seeds a database of its own and prints
p50, p95, processor time and the number of queries of each page.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[2]
SCORES = 100_000
ROUNDS = 40
BUDGET_MS = 100.0
BATCH = 5_000


def start() -> None:
    """Django on an empty database in a folder of its own, unless DATABASE_URL names another."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("STUDIO_DATA", tempfile.mkdtemp(prefix="score-pages-"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def seed(scores: int) -> tuple[Any, Any]:
    """A project with one scorer of so many scores; returns a client and the scorer."""
    from django.contrib.auth.models import User
    from django.test import Client

    from studio.accounts.models import Member, Project, Role
    from studio.agents.models import Agent
    from studio.scorers.save import save_check

    project = Project.objects.create(slug=f"speed-{uuid4().hex[:8]}", name="Speed")
    user = User.objects.create_user(f"ada-{project.slug}")
    Member.objects.create(project=project, user=user, role=Role.ADMIN)
    agents = [
        Agent.objects.create(project=project, slug=slug, name=slug, kind="python")
        for slug in ("common", "rare")
    ]
    scorer = save_check(project, "check-includes", {"expected": "sunny"}, name="Speed")
    fill(project, scorer, agents, scores)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client, scorer


def fill(project: Any, scorer: Any, agents: list[Any], scores: int) -> None:
    """The scores: spread values, a tenth without one, a thousandth by the rare agent."""
    from django.utils import timezone

    from studio.scorers.models import Score
    from studio.traces.models import Trace

    now = timezone.now()
    for first in range(0, scores, BATCH):
        numbers = range(first, min(first + BATCH, scores))
        traces = Trace.objects.bulk_create(
            Trace(
                project=project, trace_id=uuid4().hex, source="experiment", name="Speed",
                started_at=now, input="What is the weather?", output="It is sunny in Oslo. " * 10,
                input_preview="What is the weather?", output_preview="It is sunny in Oslo.",
            )
            for _ in numbers
        )  # fmt: skip
        Score.objects.bulk_create(
            Score(
                project=project, scorer=scorer, scorer_version=scorer.version, trace=trace,
                agent=agents[n % 1000 == 0], source="live" if n % 3 else "experiment",
                outcome="error" if n % 10 == 0 else "scored",
                value=None if n % 10 == 0 else (n * 37 % 101) / 100,
                reason="expected text that includes “sunny”, found it", reason_preview="found it",
                steps={"preprocess": {"output": "it is sunny in oslo. " * 10, "found": True}},
            )
            for n, trace in zip(numbers, traces, strict=True)
        )  # fmt: skip
    Score.objects.filter(scorer=scorer, pk__lt=Score.objects.latest("pk").pk - scores // 2).update(
        created_at=now - timedelta(days=40)
    )


def pages(scorer: Any) -> dict[str, str]:
    """What is timed: name and query string."""
    from studio.scorers.models import Score

    rows = Score.objects.filter(scorer=scorer).order_by("pk").values_list("pk", flat=True)
    return {
        "first page": "",
        "deep page": f"?before={rows[rows.count() // 10]}",
        "outcome error": "?outcome=error",
        "value 0.2 to 0.25": "?min=0.2&below=0.25",
        "rare agent": "?agent=rare",
        "older than 30 days": f"?until={rows.model.objects.get(pk=rows[0]).created_at:%Y-%m-%d}",
        "nothing fits": "?source=human",
    }


def measure(client: Any, url: str) -> tuple[float, float, float, int]:
    """p50, p95 and processor time of one page in milliseconds, and the number of queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as asked:
        assert client.get(url).status_code == 200, url
    queries = len(asked)
    times, worked = [], time.process_time()
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        client.get(url)
        times.append((time.perf_counter() - begun) * 1000)
    worked = (time.process_time() - worked) * 1000 / ROUNDS
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.95) - 1], worked, queries


def main() -> int:
    """Seed, time, print; 1 when a page is over its budget."""
    start()
    scores = int(sys.argv[1]) if len(sys.argv) > 1 else SCORES
    client, scorer = seed(scores)
    base = f"/p/{scorer.project.slug}/scorers/{scorer.slug}/"
    over = 0
    sys.stdout.write(f"{scores:,} scores of one scorer, 50 a page; budget p95 {BUDGET_MS:.0f} ms\n")
    listed = {"scorer list": f"/p/{scorer.project.slug}/scorers/"}
    urls = {name: base + query for name, query in pages(scorer).items()}
    for name, url in (urls | listed).items():
        p50, p95, worked, queries = measure(client, url)
        over += p95 > BUDGET_MS
        line = f"{name:20} p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  cpu {worked:6.1f} ms"
        line += f"  {queries} queries\n"
        sys.stdout.write(line)
    return 1 if over else 0


if __name__ == "__main__":
    raise SystemExit(main())
