"""A model's host on loopback, opened to the studio."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.studio.llm.host import Host, running_host


@pytest.fixture
def host(settings: Settings) -> Iterator[Host]:
    """A host that the operator allowed."""
    with running_host() as running:
        settings.STUDIO_OUTBOUND_ALLOW = [running.target]
        yield running
