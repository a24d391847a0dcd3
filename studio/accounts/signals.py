"""Sign-ins, failed ones too, go to the record."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver

from studio.accounts.audit import record


def address_of(request: Any) -> str:
    """Where a request came from."""
    return request.META.get("REMOTE_ADDR", "") if request is not None else ""


@receiver(user_logged_in)
def signed_in(request: Any, user: Any, **_kwargs: Any) -> None:
    """A person came in."""
    record("sign in", actor=user, address=address_of(request))


@receiver(user_login_failed)
def refused(credentials: dict[str, Any], request: Any = None, **_kwargs: Any) -> None:
    """A sign-in was refused."""
    name = str(credentials.get("username", ""))[:150]
    record("sign in", actor=name, outcome="refused", address=address_of(request))
