"""Logging in, and changing one's password."""

from __future__ import annotations

import sqlalchemy as sa

from auscult.server.accounts.attempts import check_attempts, forget_failures, note_failure
from auscult.server.accounts.passwords import hash_password, is_outdated, is_password
from auscult.server.accounts.people import Person, find_person
from auscult.server.accounts.secrets import same
from auscult.server.accounts.sessions import close_sessions_of, open_session
from auscult.server.audit import Action, record
from auscult.server.database.engine import Database
from auscult.server.database.tables import person
from auscult.server.errors import ForbiddenError, UnknownPersonError
from auscult.server.settings import Settings

_NO = "The name or the password is not right."


def log_in(
    database: Database, name: str, password: str, address: str, settings: Settings
) -> tuple[Person, str, str]:
    """The person, the cookie's secret and the CSRF token; an error says no more than that."""
    with database.reading() as connection:
        check_attempts(connection, name, address, settings)
        found = find_person(connection, name)
        kept = None if found is None else _kept(connection, found.id)
    # Outside any transaction, since it is slow on purpose.
    is_right = is_password(password, kept, settings.password)
    with database.writing() as connection:
        if found is None or kept is None or not is_right or not found.is_active:
            note_failure(connection, name, address, settings)
            who = None if found is None else found.id
            record(connection, Action.LOGIN_FAILED, person=who, name="", address=address)
            refused = True
        else:
            refused = False
            forget_failures(connection, name)
            if is_outdated(kept, settings.password):
                _keep(connection, found.id, hash_password(password, settings.password))
            secret, csrf = open_session(connection, found.id, settings)
            record(connection, Action.LOGIN, person=found.id, name=found.name, address=address)
    if refused or found is None:
        raise UnknownPersonError(_NO)
    return found, secret, csrf


def enter(
    database: Database, token: str, one: Person, address: str, settings: Settings
) -> tuple[str, str]:
    """A session for the one person of a workbench without accounts, who has the token."""
    if settings.token is None or not same(token, settings.token):
        raise ForbiddenError(
            "This address is not the one that was printed when the workbench was started. Copy it "
            "from there, with its token."
        )
    with database.writing() as connection:
        record(connection, Action.LOGIN, person=one.id, name=one.name, address=address)
        return open_session(connection, one.id, settings)


def change_password(
    database: Database, key: int, old: str, new: str, this_session: str, settings: Settings
) -> None:
    """Keep a new password, and end the person's other sessions."""
    with database.reading() as connection:
        kept = _kept(connection, key)
    if not is_password(old, kept, settings.password):
        raise ForbiddenError("The old password is not right.")
    made = hash_password(new, settings.password)
    with database.writing() as connection:
        _keep(connection, key, made)
        close_sessions_of(connection, key, but=this_session)
        record(connection, Action.PASSWORD, person=key)


def _kept(connection: sa.Connection, key: int) -> str | None:
    return connection.execute(sa.select(person.c.password).where(person.c.id == key)).scalar()


def _keep(connection: sa.Connection, key: int, made: str) -> None:
    connection.execute(sa.update(person).where(person.c.id == key).values(password=made))
