"""Every list and detail needs a fixed number of queries; a different number shows the SQL.

RECORD_QUERIES=1 pytest tests/studio/test_query_counts.py   records anew, on purpose only.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studio.accounts.models import Project
from studio.datasets.models import DatasetItem
from studio.demo_project import make_demo
from studio.experiments import launch as launching
from studio.experiments.models import Experiment, Trial
from studio.experiments.run import work_on
from studio.scorers.models import Score
from studio.traces.models import Trace
from tests.conftest import signed_in

COUNTS = Path(__file__).parents[1] / "query_counts.json"
LISTS = ["", "agents/", "agents/weather/", "scorers/", "scorers/new/", "datasets/",
         "datasets/weather-questions/", "experiments/", "experiments/new/?agent=weather",
         "experiments/agents/weather/", "traces/", "settings/"]  # fmt: skip


@pytest.fixture
def demo(project: Project, ada: User, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The demo project, its experiments run here instead of by workers."""
    monkeypatch.setattr(launching, "wake_workers", lambda *_: True)
    make_demo(project, ada)
    for experiment in Experiment.objects.all():
        work_on(experiment.pk)
    return project


def details() -> dict[str, str]:
    """One detail page of each kind, under a name that does not change with ids."""
    score = Score.objects.select_related("scorer").order_by("pk").first()
    trial = Trial.objects.order_by("pk").first()
    trace = Trace.objects.order_by("pk").first()
    item = DatasetItem.objects.select_related("dataset").order_by("pk").first()
    assert score
    assert trial
    assert trace
    assert item
    return {
        "scorer": f"scorers/{score.scorer.slug}/",
        "score": f"scorers/{score.scorer.slug}/scores/{score.pk}/",
        "experiment": f"experiments/{trial.experiment_id}/",
        "trial": f"experiments/{trial.experiment_id}/trials/{trial.pk}/",
        "trace": f"traces/{trace.trace_id}/",
        "item": f"datasets/{item.dataset.slug}/items/{item.item_id}/",
    }


@pytest.mark.django_db(transaction=True)
def test_every_page_keeps_its_number_of_queries(demo: Project, ada: User) -> None:
    client = signed_in(ada)
    client.get("/p/demo/")
    pages = {path or "home": path for path in LISTS} | details()
    counts, statements = {}, {}
    for name, path in pages.items():
        with CaptureQueriesContext(connection) as seen:
            assert client.get(f"/p/demo/{path}").status_code == 200, path
        counts[name] = len(seen)
        statements[name] = [query["sql"][:300] for query in seen.captured_queries]
    if os.environ.get("RECORD_QUERIES"):
        COUNTS.write_text(json.dumps(counts, indent=2, sort_keys=True) + "\n")
    recorded = json.loads(COUNTS.read_text())
    changed = {name: statements[name] for name in pages if counts[name] != recorded.get(name)}
    assert changed == {}, "\n".join(f"{k}:\n  " + "\n  ".join(v) for k, v in changed.items())
    assert max(counts.values()) <= 13
