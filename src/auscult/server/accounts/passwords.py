"""Passwords: argon2id hashes, and a login that takes as long for a name that does not exist."""

from __future__ import annotations

from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from auscult.server.errors import RefusedError
from auscult.server.settings import PasswordCost

SHORTEST, LONGEST = 12, 1000


@lru_cache(maxsize=8)
def _hasher(cost: PasswordCost) -> PasswordHasher:
    return PasswordHasher(cost.rounds, cost.memory_kib, cost.lanes)


@lru_cache(maxsize=8)
def _nobody(cost: PasswordCost) -> str:
    return _hasher(cost).hash("nobody has this password")


def hash_password(password: str, cost: PasswordCost) -> str:
    """The hash to keep; an error when the password is too short, or one letter repeated."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise RefusedError(
            f"A password must have {SHORTEST} to {LONGEST} characters; got {len(password)}."
        )
    if len(set(password)) < 5:
        raise RefusedError("A password must contain at least five different characters.")
    return _hasher(cost).hash(password)


def is_password(password: str, kept: str | None, cost: PasswordCost) -> bool:
    """Whether the password is the one whose hash was kept; None takes as long and is none."""
    try:
        _hasher(cost).verify(kept or _nobody(cost), password[: LONGEST + 1])
    except (Argon2Error, InvalidHashError):
        return False
    return kept is not None


def is_outdated(kept: str, cost: PasswordCost) -> bool:
    """Whether a hash was made at another cost than is asked now."""
    return _hasher(cost).check_needs_rehash(kept)
