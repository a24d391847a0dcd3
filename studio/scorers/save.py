"""Keep what people and code define: checks as scorers, versions by content, attachments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify

import evals_core
from studio.scorers.build import UnknownScorer, from_spec
from studio.scorers.models import Scorer, ScorerAttachment, ScorerVersion
from studio.web.text import clean

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from studio.accounts.models import Project
    from studio.agents.models import Agent

NAME_LENGTH = 160
RESERVED = {"new", "trace"}  # pages of their own


class CheckRefused(ValueError):
    """The check cannot be kept; the message says why."""


class AttachmentRefused(ValueError):
    """The scorer cannot be attached or detached so; the message says why."""


@transaction.atomic
def save_check(
    project: Project,
    kind: str,
    arguments: Mapping[str, Any],
    *,
    name: str = "",
    author: User | None = None,
    source: str = Scorer.Origin.STUDIO,
) -> Scorer:
    """A check as a scorer of the project; the same definition again is the same scorer."""
    made, name = check_of(kind, arguments), clean(name).strip()[:NAME_LENGTH]
    same = Scorer.objects.filter(project=project, version__hash=made.version, archived_at=None)
    known = (same.filter(name=name) if name else same).select_related("version").first()
    if known is not None:
        return known
    scorer = Scorer.objects.create(
        project=project,
        slug=free_slug(project, name or made.id),
        name=name or proposed_name(made)[:NAME_LENGTH],
        kind=Scorer.Kind.CHECK,
        source=source,
    )
    add_version(scorer, made, author)
    return scorer


@transaction.atomic
def save_version(
    scorer: Scorer, arguments: Mapping[str, Any], *, name: str = "", author: User | None = None
) -> ScorerVersion:
    """A changed definition as a new version; an unchanged one stays the version it is."""
    scorer = Scorer.objects.select_for_update().get(pk=scorer.pk)
    current = scorer.version
    if current is None or scorer.kind != Scorer.Kind.CHECK:
        raise CheckRefused("Only a check can be changed here.")
    scorer.name = clean(name).strip()[:NAME_LENGTH] or scorer.name
    return add_version(scorer, check_of(current.spec.get("kind", ""), arguments), author)


def add_version(scorer: Scorer, made: evals_core.Scorer, author: User | None) -> ScorerVersion:
    """Make a definition the current version, new or known by its hash."""
    version = scorer.versions.filter(hash=made.version).first()
    if version is None:
        last = scorer.versions.aggregate(last=Max("number"))["last"] or 0
        version = ScorerVersion.objects.create(
            scorer=scorer, number=last + 1, hash=made.version, spec=dict(made.spec),
            name=scorer.name, description=made.description, subject=made.subject,
            direction=made.direction, scale_min=made.scale_min, scale_max=made.scale_max,
            author=author,
        )  # fmt: skip
    scorer.version, scorer.description = version, version.description
    scorer.save(update_fields=["version", "name", "description"])
    return version


def check_of(kind: str, arguments: Mapping[str, Any]) -> evals_core.Scorer:
    """The engine's check, from arguments as people gave them; raises CheckRefused."""
    try:
        return from_spec({"kind": kind, "arguments": clean(dict(arguments))})
    except (UnknownScorer, TypeError) as error:
        raise CheckRefused(str(error)) from error


def proposed_name(made: evals_core.Scorer) -> str:
    """A name that tells checks of one kind apart, such as `Includes Check: sunny`."""
    _, _, arguments = made.id.partition(":")
    if not arguments or arguments.startswith("#"):
        return made.name
    return f"{made.name}: {arguments}"


def free_slug(project: Project, name: str) -> str:
    """A slug of the name that no scorer of the project has."""
    base = slugify(name)[:100] or "scorer"
    like = Scorer.objects.filter(project=project, slug__startswith=base)
    taken = RESERVED | set(like.values_list("slug", flat=True))
    if base not in taken:
        return base
    return next(s for s in (f"{base}-{n}" for n in range(2, len(taken) + 3)) if s not in taken)


def attach_scorer(
    agent: Agent,
    scorer: Scorer,
    *,
    is_gate: bool = False,
    threshold_min: float | None = None,
    threshold_max: float | None = None,
    source: str = Scorer.Origin.STUDIO,
) -> ScorerAttachment:
    """Judge an agent by a scorer from now on; attaching again changes the terms."""
    if agent.project_id != scorer.project_id:
        raise AttachmentRefused("Agent and scorer belong to different projects.")
    if None not in (threshold_min, threshold_max) and threshold_min > threshold_max:  # type: ignore[operator]
        raise AttachmentRefused("The lower threshold is above the upper one.")
    attachment, _ = ScorerAttachment.objects.update_or_create(
        agent=agent,
        scorer=scorer,
        defaults={"is_gate": is_gate, "threshold_min": threshold_min,
                  "threshold_max": threshold_max},
        create_defaults={"is_gate": is_gate, "threshold_min": threshold_min,
                         "threshold_max": threshold_max, "source": source},
    )  # fmt: skip
    return attachment


def detach_scorer(attachment: ScorerAttachment) -> None:
    """Judge the agent by it no longer; what code attached, only code detaches."""
    if attachment.source == Scorer.Origin.CODE:
        raise AttachmentRefused("This scorer is attached in code; change it there.")
    attachment.delete()
