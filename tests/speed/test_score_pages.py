"""A scorer's page over 100,000 scores stays within its budget."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("score_pages.py")


@pytest.mark.speed
def test_pages_of_100_000_scores_stay_within_their_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_DATA", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False
    )
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
