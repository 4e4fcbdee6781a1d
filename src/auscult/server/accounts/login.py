"""Logging in, and changing one's password."""

from __future__ import annotations

import sqlalchemy as sa

from auscult.server.accounts.attempts import forget_attempts, take_attempt
from auscult.server.accounts.passwords import hash_password, is_outdated, is_password
from auscult.server.accounts.people import Person, find_person
from auscult.server.accounts.secrets import same
from auscult.server.accounts.sessions import Session, close_sessions_of, open_session
from auscult.server.audit import Action, record
from auscult.server.database.engine import Database
from auscult.server.database.tables import person
from auscult.server.errors import ForbiddenError, UnknownPersonError
from auscult.server.settings import ServerSettings

_NO = "Wrong name or password."


def log_in(
    database: Database, name: str, password: str, address: str, settings: ServerSettings
) -> tuple[Person, str, str]:
    """The person, the cookie's secret and the CSRF token; an error says no more than that."""
    with database.writing() as connection:
        made = take_attempt(connection, name, address, settings)
        found = find_person(connection, name)
        kept = None if found is None else _kept(connection, found.id)
    # Outside any transaction, since it is slow on purpose.
    is_right = is_password(password, kept, settings.password)
    with database.writing() as connection:
        if found is None or kept is None or not is_right or not found.is_active:
            who = None if found is None else found.id
            record(connection, Action.LOGIN_FAILED, person=who, name="", address=address)
            refused = True
        else:
            refused = False
            forget_attempts(connection, name, made)
            if is_outdated(kept, settings.password):
                _keep(connection, found.id, hash_password(password, settings.password))
            secret, csrf = open_session(connection, found.id, settings)
            record(connection, Action.LOGIN, person=found.id, name=found.name, address=address)
    if refused or found is None:
        raise UnknownPersonError(_NO)
    return found, secret, csrf


def enter(
    database: Database, token: str, one: Person, address: str, settings: ServerSettings
) -> tuple[str, str]:
    """A session for the one person of a workbench without accounts, who has the token."""
    if settings.token is None or not same(token, settings.token):
        raise ForbiddenError(
            "Wrong or missing token. Open the address that was printed when the workbench was "
            "started, including its token."
        )
    with database.writing() as connection:
        record(connection, Action.LOGIN, person=one.id, name=one.name, address=address)
        return open_session(connection, one.id, settings)


def change_password(
    database: Database, session: Session, old: str, new: str, address: str, settings: ServerSettings
) -> None:
    """Keep a new password, and end the person's other sessions."""
    with database.writing() as connection:
        # Who found somebody's browser open is not to guess as long as they like.
        made = take_attempt(connection, session.name, address, settings)
        kept = _kept(connection, session.person)
    if not is_password(old, kept, settings.password):
        raise ForbiddenError("The current password is wrong.")
    hashed = hash_password(new, settings.password)
    with database.writing() as connection:
        forget_attempts(connection, session.name, made)
        _keep(connection, session.person, hashed)
        close_sessions_of(connection, session.person, but=session.digest)
        record(connection, Action.PASSWORD, person=session.person, address=address)


def _kept(connection: sa.Connection, key: int) -> str | None:
    return connection.execute(sa.select(person.c.password).where(person.c.id == key)).scalar()


def _keep(connection: sa.Connection, key: int, made: str) -> None:
    connection.execute(sa.update(person).where(person.c.id == key).values(password=made))
