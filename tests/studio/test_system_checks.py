"""What is wrong with an installation is said when it starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks


def said() -> list[str]:
    """The ids of what the checks say."""
    return [str(message.id) for message in run_checks(tags=["studio"])]


def test_a_sound_installation_has_nothing_to_say() -> None:
    assert said() == []


@pytest.mark.parametrize("name", ["no_such_module", "no.such.module", "studio.wrong", ".", ""])
def test_agents_that_are_not_there_are_named(settings: Any, name: str) -> None:
    settings.STUDIO_AGENTS = ["studio.demo_agents", name]
    assert said() == ["studio.E001"]


def test_a_data_folder_that_is_none_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "missing"
    assert said() == ["studio.E002"]


def test_renewing_too_late_is_an_error(settings: Any) -> None:
    settings.STUDIO_LEASE_S, settings.STUDIO_RENEW_S = 30, 20
    assert said() == ["studio.E003"]


@pytest.mark.parametrize("target", ["localhost", "localhost:", "localhost:x", ":80", "a:99999999"])
def test_a_target_without_host_and_port_is_warned_of(settings: Any, target: str) -> None:
    settings.STUDIO_OUTBOUND_ALLOW = ["localhost:11434", target]
    assert said() == ["studio.W001"]
