"""Signing in: the local owner's one-time link, and the answer to too many wrong passwords."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from studio.accounts.models import Member, Project, Role, SignInLink

LINK_LIFE = timedelta(hours=1)
OWNER = "owner"
FIRST_PROJECT = ("demo", "Demo project")


def digest(token: str) -> str:
    """What is stored of a token: enough to recognise it, not to use it."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def local_owner() -> User:
    """The person at this machine, with no password until they set one, owning the first project."""
    owner, created = User.objects.get_or_create(username=OWNER, defaults={"is_staff": False})
    if created:
        owner.set_unusable_password()
        owner.save(update_fields=["password"])
    slug, name = FIRST_PROJECT
    project, _ = Project.objects.get_or_create(slug=slug, defaults={"name": name})
    Member.objects.get_or_create(project=project, user=owner, defaults={"role": Role.ADMIN})
    return owner


def make_local_link() -> str:
    """The path of a link that signs the local owner in once, within an hour."""
    token = secrets.token_urlsafe(24)
    SignInLink.objects.create(
        hash=digest(token), user=local_owner(), expires_at=timezone.now() + LINK_LIFE
    )
    return f"/sign-in/{token}/"


def use_link(token: str) -> User | None:
    """The person whose link this is; None when it is unknown, over, or was used before."""
    now = timezone.now()
    links = SignInLink.objects.filter(hash=digest(token), used_at=None, expires_at__gt=now)
    if not links.update(used_at=now):
        return None
    return SignInLink.objects.select_related("user").get(hash=digest(token)).user
