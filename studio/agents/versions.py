"""Versions of agents: a definition that changes makes a new one, the same one is found again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from studio.agents.models import Agent, AgentVersion
from studio.web.text import clean


def content_hash(spec: dict[str, Any]) -> str:
    """The hash by which a definition is known, whatever the order of its keys."""
    text = json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@transaction.atomic
def save_version(
    agent: Agent, spec: dict[str, Any], author: User | None = None, label: str = ""
) -> AgentVersion:
    """Make `spec` the agent's current version: the one it had before with that content, or new."""
    Agent.objects.select_for_update().get(pk=agent.pk)
    spec = clean(spec)
    digest = content_hash(spec)
    version = agent.versions.filter(hash=digest).first()
    if version is None:
        number = (agent.versions.aggregate(top=Max("number"))["top"] or 0) + 1
        version = AgentVersion.objects.create(
            agent=agent, number=number, hash=digest, spec=spec, author=author, label=clean(label)
        )
    elif label and version.label != clean(label):
        version.label = clean(label)
        version.save(update_fields=["label"])
    agent.version = version
    agent.save(update_fields=["version"])
    return version
