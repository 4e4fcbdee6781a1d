"""How often a login may fail, by name and by address, before it has to wait."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from auscult.server.accounts.people import name_key
from auscult.server.accounts.secrets import digest, now
from auscult.server.database.tables import login_failure
from auscult.server.errors import TooManyError
from auscult.server.settings import Settings


def check_attempts(connection: sa.Connection, name: str, address: str, settings: Settings) -> None:
    """Raise an error when there were too many failures lately."""
    window = timedelta(minutes=settings.failure_minutes)
    for key, most in _keys(name, address, settings):
        found = connection.execute(
            sa.select(sa.func.count(), sa.func.min(login_failure.c.time)).where(
                login_failure.c.key == key, login_failure.c.time > now() - window
            )
        ).one()
        if found[0] >= most:
            raise TooManyError(
                f"Too many logins failed. Try again in {settings.failure_minutes} minutes.",
                retry_after=settings.failure_minutes * 60,
            )


def note_failure(connection: sa.Connection, name: str, address: str, settings: Settings) -> None:
    """Remember a failure, and forget old ones."""
    at = now()
    rows = [{"key": key, "time": at} for key, _ in _keys(name, address, settings)]
    connection.execute(sa.insert(login_failure), rows)
    old = at - timedelta(minutes=settings.failure_minutes)
    connection.execute(sa.delete(login_failure).where(login_failure.c.time < old))


def forget_failures(connection: sa.Connection, name: str) -> None:
    """Forget the failures of a name, once it got in."""
    connection.execute(sa.delete(login_failure).where(login_failure.c.key == _by_name(name)))


def _keys(name: str, address: str, settings: Settings) -> tuple[tuple[str, int], ...]:
    return (
        (_by_name(name), settings.failures_per_name),
        (f"address {address}"[:300], settings.failures_per_address),
    )


def _by_name(name: str) -> str:
    # As a digest: people type their password into the wrong field.
    return f"name {digest(name_key(name))}"
