"""What can be wrong with an installation, said when it starts; `manage.py check --tag studio`."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

TAG = "studio"


@register(TAG)
def agents_are_found(**_kwargs: Any) -> list[CheckMessage]:
    """Every module of STUDIO_AGENTS exists; it is not imported, as it may be slow or fail."""
    return [
        Error(
            f"STUDIO_AGENTS names the module {name}, which is not found.",
            hint="Check the spelling and that its folder is on PYTHONPATH.",
            id="studio.E001",
        )
        for name in settings.STUDIO_AGENTS
        if not is_found(name)
    ]


def is_found(module: str) -> bool:
    """Whether a module of this name could be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@register(TAG)
def data_is_writable(**_kwargs: Any) -> list[CheckMessage]:
    """The data folder takes files: the database, the broker and uploads are there."""
    folder = Path(settings.DATA_DIR)
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return []
    return [
        Error(
            f"The data folder {folder} cannot be written.",
            hint="Set STUDIO_DATA to a folder that this account may write.",
            id="studio.E002",
        )
    ]


@register(TAG)
def leases_outlast_renewals(**_kwargs: Any) -> list[CheckMessage]:
    """A worker that lives renews its claims at least twice before they end."""
    if settings.STUDIO_RENEW_S * 2 <= settings.STUDIO_LEASE_S:
        return []
    return [
        Error(
            "STUDIO_RENEW_S is more than half of STUDIO_LEASE_S, so living workers lose claims.",
            hint="Raise STUDIO_LEASE_S or lower STUDIO_RENEW_S.",
            id="studio.E003",
        )
    ]


@register(TAG)
def outbound_targets_are_exact(**_kwargs: Any) -> list[CheckMessage]:
    """Every entry of STUDIO_OUTBOUND_ALLOW is host:port; another one would open nothing."""
    return [
        Warning(
            f"STUDIO_OUTBOUND_ALLOW has the entry {target!r}, which is not host:port.",
            hint="Write for example localhost:11434.",
            id="studio.W001",
        )
        for target in settings.STUDIO_OUTBOUND_ALLOW
        if not is_target(target)
    ]


def is_target(text: str) -> bool:
    """Whether a text is host:port."""
    host, _, port = text.rpartition(":")
    return bool(host) and port.isascii() and port.isdigit() and 0 < int(port[:6]) < 2**16
