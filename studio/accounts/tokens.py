"""API tokens: made once, shown once, known afterwards only by a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request

from studio.accounts.models import ApiToken, Project

PREFIX = "es_"
USE_IS_NOTED_EVERY = timedelta(minutes=1)


def keyed_hash(token: str, key: str) -> str:
    """The stored form of a token under one secret key."""
    return hmac.new(key.encode(), token.encode(), hashlib.sha256).hexdigest()


def make_token(
    project: Project,
    user: User,
    name: str,
    scope: str,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """A new token and its text, which is not kept anywhere."""
    text = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        project=project,
        user=user,
        name=name,
        prefix=text[:10],
        hash=keyed_hash(text, settings.SECRET_KEY),
        scope=scope,
        expires_at=expires_at,
    )
    return row, text


def find_token(text: str) -> ApiToken | None:
    """The live token with this text; the look-up is by hash, so its time tells nothing."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    hashes = [keyed_hash(text, key) for key in keys]
    found = ApiToken.objects.select_related("user", "project").filter(hash__in=hashes).first()
    return found if found is not None and found.is_live and found.user.is_active else None


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer es_…`; never from a query string."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's person and the token, or None when no token was sent."""
        words = get_authorization_header(request).decode("latin-1").split()
        if not words or words[0].lower() != "bearer":
            return None
        token = find_token(words[1]) if len(words) == 2 else None
        if token is None:
            raise exceptions.AuthenticationFailed("This token is not valid.")
        now = timezone.now()
        if token.last_used_at is None or now - token.last_used_at > USE_IS_NOTED_EVERY:
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 says is wanted."""
        return "Bearer"
