"""Accounts and invitations, and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request, Response

from auscult.server.access import Role, enter_project, may_manage, require_admin
from auscult.server.accounts.invitations import invite, look, take
from auscult.server.accounts.people import get_person, list_people
from auscult.server.accounts.sessions import close_sessions_of
from auscult.server.audit import Action, read_audit, record
from auscult.server.database.tables import person
from auscult.server.errors import ConflictError, ForbiddenError
from auscult.server.routes.session import me_of, set_cookie
from auscult.server.server import Visit, Who, address_of
from auscult.server.shapes.audit import AuditOut
from auscult.server.shapes.common import InPath, Key, Words, problems
from auscult.server.shapes.people import (
    InvitationMade,
    InvitationOut,
    Invite,
    Join,
    Me,
    PersonChange,
    PersonOut,
    Secret,
)

router = APIRouter(tags=["people"], responses=problems(409))


@router.get("/people")
def people(who: Who) -> list[PersonOut]:
    """All accounts, for admins."""
    require_admin(who.session)
    with who.database.reading() as connection:
        return [PersonOut.model_validate(one) for one in list_people(connection)]


@router.patch("/people/{person_id}")
def change_person(person_id: InPath, body: PersonChange, who: Who) -> PersonOut:
    """Change an account: admin or not, active or not. Deactivating logs the person out."""
    require_admin(who.session)
    values = body.model_dump(exclude_none=True)
    if person_id == who.session.person and False in values.values():
        raise ConflictError("You cannot do this to your own account; ask another admin.")
    with who.database.writing() as connection:
        get_person(connection, person_id)
        if values:
            connection.execute(sa.update(person).where(person.c.id == person_id).values(values))
        if body.is_active is False:
            close_sessions_of(connection, person_id)
        found = get_person(connection, person_id)
        detail = f"{found.name}: " + ", ".join(f"{name} {to}" for name, to in values.items())
        record(connection, Action.ACCOUNT, person=who.session.person, detail=detail)
    return PersonOut.model_validate(found)


@router.post("/invitations", status_code=201)
def make_invitation(body: Invite, who: Who) -> InvitationMade:
    """Create a one-time invitation link. Supervisors invite to their projects, admins to any.

    For an existing account it resets the password; only admins may do that.
    """
    if who.server.one is not None:
        raise ForbiddenError("This workbench has no accounts. To set up a team, see auscult team.")
    with who.database.writing() as connection:
        if not who.session.is_admin:
            if body.is_admin or body.project is None or body.name is not None:
                raise ForbiddenError(
                    "Supervisors can only invite new people to their own projects."
                )
            enter_project(connection, who.session, body.project, Role.SUPERVISOR)
        elif body.project is not None:
            may_manage(connection, who.session, body.project)
        return invite(connection, body, who.session.person, who.server.settings)


@router.post("/invitations/look")
def look_at_invitation(body: Secret, server: Visit) -> InvitationOut:
    """What an invitation is for."""
    with server.database.reading() as connection:
        return look(connection, body.secret)


@router.post("/invitations/take", status_code=201)
def take_invitation(body: Join, request: Request, response: Response, server: Visit) -> Me:
    """Accept an invitation: set the password and log in."""
    found, secret, csrf = take(server.database, body, address_of(request), server.settings)
    set_cookie(response, secret, server)
    return me_of(found, csrf, server)


@router.get("/audit")
def audit(
    who: Who,
    project: Key | None = None,
    person: Key | None = None,
    chart_id: Annotated[Words | None, Query(max_length=200)] = None,
    since: datetime | None = None,
    before: Annotated[Key | None, Query(description="Rows with a smaller id, to page on.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> AuditOut:
    """The audit log: who read, changed or exported what, and when. For admins and supervisors."""
    with who.database.writing() as connection:
        if project is None:
            require_admin(who.session)
        else:
            may_manage(connection, who.session, project)
        record(connection, Action.AUDIT, person=who.session.person, project=project)
        rows = read_audit(
            connection,
            project=project,
            person=person,
            chart_id=chart_id,
            since=since,
            before=before,
            limit=limit,
        )
        return AuditOut(rows=list(rows))
