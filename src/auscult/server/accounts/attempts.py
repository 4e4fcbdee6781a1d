"""How often a password may be wrong, by name and by address, before one has to wait.

An attempt is written down before the password is looked at, and forgotten when it was right. So
many attempts at the same moment are as many as they are one after the other.
"""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from auscult.server.accounts.people import name_key
from auscult.server.accounts.secrets import digest, now
from auscult.server.database.tables import login_failure
from auscult.server.errors import TooManyError
from auscult.server.settings import ServerSettings

_LOCK = 4_602_519_873_312
"""Of PostgreSQL's advisory locks: attempts are counted one by one. SQLite has one writer anyway."""


def take_attempt(
    connection: sa.Connection, name: str, address: str, settings: ServerSettings
) -> list[int]:
    """Write an attempt down as failed; an error when there were too many lately."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    at = now()
    old = at - timedelta(minutes=settings.failure_minutes)
    connection.execute(sa.delete(login_failure).where(login_failure.c.time < old))
    made = []
    for key, most in _keys(name, address, settings):
        count = sa.select(sa.func.count()).where(login_failure.c.key == key)
        if connection.execute(count).scalar_one() >= most:
            raise TooManyError(
                f"Too many failed logins. Try again in {settings.failure_minutes} minutes.",
                retry_after=settings.failure_minutes * 60,
            )
        done = connection.execute(sa.insert(login_failure).values(key=key, time=at))
        assert done.inserted_primary_key is not None  # an insert of one row has one
        made.append(done.inserted_primary_key[0])
    return made


def forget_attempts(connection: sa.Connection, name: str, made: list[int]) -> None:
    """Forget an attempt that was none of a stranger, and the failures of its name."""
    theirs = sa.or_(login_failure.c.key == _by_name(name), login_failure.c.id.in_(made))
    connection.execute(sa.delete(login_failure).where(theirs))


def _keys(name: str, address: str, settings: ServerSettings) -> tuple[tuple[str, int], ...]:
    return (
        (_by_name(name), settings.failures_per_name),
        (f"address {address}"[:300], settings.failures_per_address),
    )


def _by_name(name: str) -> str:
    # As a digest: people type their password into the wrong field.
    return f"name {digest(name_key(name))}"
