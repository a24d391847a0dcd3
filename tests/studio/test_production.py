"""In production mode nothing is guessed, and Django's own deployment check is content."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`manage.py check --deploy` in production mode with nothing else set."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    settings = kept | {"STUDIO_MODE": "production", "STUDIO_DATA": str(folder)} | environment
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT, env=settings, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_deployment_check_has_no_warning(tmp_path: Path) -> None:
    found = check(tmp_path, SECRET_KEY=secrets.token_urlsafe(60), ALLOWED_HOSTS="studio.example")
    assert found.returncode == 0, found.stderr


def test_it_does_not_start_without_a_secret_key(tmp_path: Path) -> None:
    found = check(tmp_path, ALLOWED_HOSTS="studio.example")
    assert found.returncode != 0
    assert "SECRET_KEY" in found.stderr


def test_it_does_not_start_without_the_names_it_answers_to(tmp_path: Path) -> None:
    found = check(tmp_path, SECRET_KEY=secrets.token_urlsafe(60))
    assert found.returncode != 0
    assert "ALLOWED_HOSTS" in found.stderr
