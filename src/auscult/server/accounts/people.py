"""The people of a workbench."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import sqlalchemy as sa

from auscult.server.accounts.secrets import now
from auscult.server.database.engine import Row
from auscult.server.database.tables import invitation, person
from auscult.server.errors import ConflictError, NotFoundError, RefusedError

_LONGEST = 60
_RESERVED = frozenset({"gold"})
"""Annotators of exports that are no people."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account, or the one person of a workbench without accounts."""

    id: int
    name: str
    is_admin: bool
    is_active: bool
    has_password: bool


def name_key(name: str) -> str:
    """What two spellings of one name share."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def check_name(name: str) -> str:
    """A name as it is kept: it stands as annotator in corpora, so it holds no control character."""
    written = " ".join(unicodedata.normalize("NFC", name).split())
    if not 1 <= len(written) <= _LONGEST:
        raise RefusedError(
            f"A name must have 1 to {_LONGEST} characters; this one has {len(written)}."
        )
    if any(unicodedata.category(character)[0] == "C" for character in written):
        raise RefusedError("A name cannot contain control characters.")
    if name_key(written) in _RESERVED:
        raise RefusedError(
            f"The name {written} is reserved for the result of review. Choose another."
        )
    return written


def add_person(
    connection: sa.Connection, name: str, *, is_admin: bool = False, password: str | None = None
) -> Person:
    """A new person; `password` is a hash. A name that is taken is a conflict."""
    written = check_name(name)
    if find_person(connection, written) is not None:
        raise ConflictError(f"The name {written} is taken. Choose another.")
    values = {
        "name": written,
        "name_key": name_key(written),
        "is_admin": is_admin,
        "is_active": True,
        "password": password,
        "created": now(),
    }
    key = connection.execute(sa.insert(person).values(values)).inserted_primary_key
    assert key is not None  # an insert of one row has one
    return Person(key[0], written, is_admin, True, password is not None)


def find_person(connection: sa.Connection, name: str) -> Person | None:
    """The person of a name, however it is written."""
    return _one(connection, person.c.name_key == name_key(name))


def get_person(connection: sa.Connection, key: int) -> Person:
    """The person of an id."""
    found = _one(connection, person.c.id == key)
    if found is None:
        raise NotFoundError("Person not found.")
    return found


def list_people(connection: sa.Connection) -> list[Person]:
    """Everybody, by name."""
    return [_person(row) for row in connection.execute(sa.select(person).order_by(person.c.name))]


def has_accounts(connection: sa.Connection) -> bool:
    """Whether anybody has a password, or an admin may yet set one: then everybody logs in."""
    people = sa.select(person.c.id).where(person.c.password.is_not(None))
    invited = sa.select(invitation.c.id).where(
        invitation.c.is_admin, invitation.c.taken.is_(None), invitation.c.expires > now()
    )
    return any(connection.execute(some.limit(1)).first() for some in (people, invited))


def _one(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> Person | None:
    row = connection.execute(sa.select(person).where(condition)).first()
    return None if row is None else _person(row)


def _person(row: Row) -> Person:
    return Person(row.id, row.name, row.is_admin, row.is_active, row.password is not None)
