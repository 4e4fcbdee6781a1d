"""Invitations: links that work once."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from auscult.server.access import Role
from auscult.server.accounts.passwords import hash_password
from auscult.server.accounts.people import Person, add_person, check_name, find_person
from auscult.server.accounts.secrets import digest, new_secret, now
from auscult.server.accounts.sessions import close_sessions_of, open_session
from auscult.server.audit import Action, record
from auscult.server.database.engine import Database, Row
from auscult.server.database.tables import invitation, person, project
from auscult.server.errors import ConflictError, NotFoundError, RefusedError
from auscult.server.projects.members import set_member
from auscult.server.settings import ServerSettings
from auscult.server.shapes.people import InvitationMade, InvitationOut, Invite, Join

_GONE = "This invitation is invalid, expired or already used. Ask for a new one."


def invite(
    connection: sa.Connection, wanted: Invite, by: int | None, settings: ServerSettings
) -> InvitationMade:
    """Make an invitation. The secret is shown once, and only its digest is kept."""
    if (wanted.project is None) != (wanted.role is None):
        raise RefusedError("An invitation to a project needs both a project and a role.")
    if wanted.name is None and wanted.is_admin:
        raise RefusedError("An invitation for an admin needs a name.")
    name = None if wanted.name is None else check_name(wanted.name)
    there = None if name is None else find_person(connection, name)
    if there is not None and there.has_password and not there.is_active:
        raise ConflictError(f"The account of {there.name} is deactivated. Activate it first.")
    secret = new_secret()
    expires = now() + timedelta(days=settings.invitation_days)
    connection.execute(
        sa.insert(invitation).values(
            digest=digest(secret),
            name=name,
            is_admin=wanted.is_admin,
            project=wanted.project,
            role=None if wanted.role is None else wanted.role.value,
            invited_by=by,
            created=now(),
            expires=expires,
        )
    )
    record(
        connection,
        Action.INVITE,
        person=by,
        project=wanted.project,
        detail=" ".join(filter(None, (name, "admin" if wanted.is_admin else "", wanted.role))),
    )
    return InvitationMade(path=f"/join#{secret}", secret=secret, expires=expires.isoformat())


def look(connection: sa.Connection, secret: str) -> InvitationOut:
    """What an invitation is for."""
    row = _find(connection, secret)
    name = connection.execute(sa.select(project.c.name).where(project.c.id == row.project)).scalar()
    return InvitationOut(
        name=row.name,
        is_admin=row.is_admin,
        project=name,
        role=row.role,
        expires=row.expires.isoformat(),
    )


def take(
    database: Database, join: Join, address: str, settings: ServerSettings
) -> tuple[Person, str, str]:
    """Take an invitation: sets the password, and logs in.

    For somebody who is here already, it sets a new password: how a forgotten one is replaced.
    """
    with database.reading() as connection:
        row = _find(connection, join.secret)
        name = row.name or join.name
    if name is None:
        raise RefusedError("Enter a name.")
    made = hash_password(join.password, settings.password)
    with database.writing() as connection:
        row = _find(connection, join.secret, locks=True)
        taken = connection.execute(
            sa.update(invitation)
            .where(invitation.c.id == row.id, invitation.c.taken.is_(None))
            .values(taken=now())
        )
        if taken.rowcount != 1:
            raise NotFoundError(_GONE)
        found = find_person(connection, name)
        if found is None:
            found = add_person(connection, name, is_admin=row.is_admin, password=made)
        elif row.name is None:
            raise ConflictError(f"The name {found.name} is taken. Choose another.")
        else:
            values = {"password": made, "is_admin": found.is_admin or row.is_admin}
            connection.execute(sa.update(person).where(person.c.id == found.id).values(values))
            close_sessions_of(connection, found.id)
        if row.project is not None:
            set_member(connection, row.project, found.id, Role(row.role))
        connection.execute(
            sa.update(invitation).where(invitation.c.id == row.id).values(taken_by=found.id)
        )
        record(connection, Action.JOIN, person=found.id, address=address)
        secret, csrf = open_session(connection, found.id, settings)
        is_admin = found.is_admin or row.is_admin
    return Person(found.id, found.name, is_admin, True, True), secret, csrf


def _find(connection: sa.Connection, secret: str, *, locks: bool = False) -> Row:
    query = sa.select(invitation).where(
        invitation.c.digest == digest(secret),
        invitation.c.taken.is_(None),
        invitation.c.expires > now(),
    )
    row = connection.execute(query.with_for_update() if locks else query).first()
    if row is None:
        raise NotFoundError(_GONE)
    return row
