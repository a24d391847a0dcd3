"""Save where a model lives and the key to it; a key never follows to another address."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from studio.accounts.models import Project
from studio.agents.errors import ConnectionRefused
from studio.agents.keys import encrypt, hint_of
from studio.agents.models import Agent, ProviderConnection
from studio.agents.versions import save_version
from studio.llm.addresses import OutboundError, check_url
from studio.web.text import clean


@dataclass(frozen=True, slots=True)
class ConnectionDraft:
    """What a form or the API says about a connection; an empty key leaves the old one."""

    name: str
    base_url: str
    key: str = ""


def save_connection(
    project: Project,
    draft: ConnectionDraft,
    connection: ProviderConnection | None = None,
    author: User | None = None,
) -> ProviderConnection:
    """Make or change a connection; agents that use it get a version with its new address."""
    url = draft.base_url.strip().rstrip("/")
    try:
        check_url(url)
    except OutboundError as error:
        raise ConnectionRefused(error.message) from error
    row = connection or ProviderConnection(project=project)
    has_moved = row.base_url != url
    row.name, row.base_url = clean(draft.name), url
    if draft.key:
        row.encrypted_key, row.key_hint = encrypt(draft.key), hint_of(draft.key)
    elif has_moved:
        row.encrypted_key, row.key_hint = b"", ""
    try:
        with transaction.atomic():
            row.save()
            if has_moved and connection is not None:
                follow(row, author)
    except IntegrityError as error:
        raise ConnectionRefused(f"There is a connection named {row.name} already.") from error
    return row


def follow(connection: ProviderConnection, author: User | None) -> None:
    """Give the agents of a moved connection a version that says where they are asked now."""
    for agent in Agent.objects.filter(connection=connection).select_related("version"):
        if agent.version is not None:
            save_version(agent, agent.version.spec | {"base_url": connection.base_url}, author)
