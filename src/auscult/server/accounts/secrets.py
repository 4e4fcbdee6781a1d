"""Secrets that are handed out once: only their digests are kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime

_BYTES = 32


def new_secret() -> str:
    """A secret that nobody guesses, fit for a URL."""
    return secrets.token_urlsafe(_BYTES)


def digest(secret: str) -> str:
    """What is kept of it. A secret this long needs no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that tells nothing."""
    return secrets.compare_digest(digest(one), digest(other))


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)
