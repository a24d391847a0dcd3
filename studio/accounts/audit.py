"""The record of who did what; nothing in the studio changes or deletes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studio.accounts.models import AuditEntry

if TYPE_CHECKING:
    from studio.accounts.models import Project


def record(
    action: str,
    *,
    actor: Any = None,
    project: Project | None = None,
    target: Any = None,
    outcome: str = "done",
    address: str = "",
) -> AuditEntry:
    """Write one entry; `target` is the row it was done to. No secret value goes in here."""
    return AuditEntry.objects.create(
        action=action,
        actor_id=getattr(actor, "pk", None),
        actor_name=actor if isinstance(actor, str) else str(actor or "")[:150],
        project_id=project.pk if project else None,
        project_name=project.name if project else "",
        object_type=type(target).__name__ if target is not None else "",
        object_id=str(target.pk) if target is not None else "",
        outcome=outcome,
        address=address,
    )
