"""Sessions, kept on the server: the cookie holds a secret and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import sqlalchemy as sa

from auscult.server.accounts.secrets import digest, new_secret, now
from auscult.server.database.engine import Database
from auscult.server.database.tables import person, session
from auscult.server.settings import ServerSettings

_TOUCH = timedelta(minutes=1)
"""How exactly the last use is kept: not every request should write."""


@dataclass(frozen=True, slots=True)
class Session:
    """Who is logged in. `csrf` must come back in a header with whatever changes something."""

    person: int
    name: str
    is_admin: bool
    csrf: str = field(repr=False)
    digest: str = field(repr=False)


def open_session(connection: sa.Connection, key: int, settings: ServerSettings) -> tuple[str, str]:
    """A new session of a person: the cookie's secret and the CSRF token."""
    secret, csrf, at = new_secret(), new_secret(), now()
    connection.execute(
        sa.insert(session).values(
            digest=digest(secret),
            person=key,
            csrf=csrf,
            created=at,
            used=at,
            expires=at + timedelta(hours=settings.session_hours),
        )
    )
    connection.execute(sa.delete(session).where(session.c.expires < at))
    return secret, csrf


def find_session(database: Database, secret: str, settings: ServerSettings) -> Session | None:
    """The session of a cookie, unless it is over or the person has left."""
    key, at = digest(secret), now()
    query = (
        sa.select(
            session.c.person,
            person.c.name,
            person.c.is_admin,
            session.c.csrf,
            session.c.used,
        )
        .join(person)
        .where(session.c.digest == key, session.c.expires > at, person.c.is_active)
    )
    with database.reading() as connection:
        row = connection.execute(query).first()
    if row is None or at - row.used > timedelta(minutes=settings.idle_minutes):
        return None
    if at - row.used > _TOUCH:
        with database.writing() as connection:
            connection.execute(sa.update(session).where(session.c.digest == key).values(used=at))
    return Session(row.person, row.name, row.is_admin, row.csrf, key)


def close_session(connection: sa.Connection, key: str) -> None:
    """End a session."""
    connection.execute(sa.delete(session).where(session.c.digest == key))


def close_sessions_of(connection: sa.Connection, key: int, *, but: str = "") -> None:
    """End a person's sessions, except the one named."""
    connection.execute(sa.delete(session).where(session.c.person == key, session.c.digest != but))
