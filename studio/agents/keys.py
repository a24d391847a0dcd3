"""Keys of providers, encrypted at rest with the studio's own secret."""

from __future__ import annotations

import base64
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from studio.agents.errors import AgentUnavailable

PURPOSE = b"studio.agents.connection"
HINT_LENGTH = 4
SHORTEST_HINTED = 12  # four characters of a short key would tell too much of it


def cipher() -> MultiFernet:
    """Encrypts with the secret key, and still reads what its former values wrote."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(fernet_key(secret)) for secret in secrets])


def fernet_key(secret: str) -> bytes:
    """A key for this one purpose, made of a secret that has others."""
    digest = hmac.new(secret.encode(), PURPOSE, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest)


def encrypt(key: str) -> bytes:
    """The key as it is stored."""
    return cipher().encrypt(key.encode()) if key else b""


def decrypt(stored: bytes | memoryview) -> str:
    """The key again; raises `AgentUnavailable` when the secret has changed since."""
    if not stored:
        return ""
    try:
        return cipher().decrypt(bytes(stored)).decode()
    except InvalidToken as error:
        raise AgentUnavailable("The connection's key cannot be read; enter it again.") from error


def hint_of(key: str) -> str:
    """The end of a key, by which its owner knows it."""
    return key[-HINT_LENGTH:] if len(key) >= SHORTEST_HINTED else ""
