"""Who may do what in a project.

A project is invisible to everyone who is not a member, admins included: an admin who wants to read
charts becomes a member first, which the audit log shows. Coders see the charts
assigned to them and their own work; reviewers and supervisors see all charts and everybody's work.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from auscult.server.accounts.sessions import Session
from auscult.server.database.engine import Row
from auscult.server.database.tables import assignment, chart, member, note, project
from auscult.server.errors import ForbiddenError, NotFoundError


class Role(StrEnum):
    """A person's role in a project."""

    CODER = "coder"
    REVIEWER = "reviewer"
    SUPERVISOR = "supervisor"


_RANK = {Role.CODER: 0, Role.REVIEWER: 1, Role.SUPERVISOR: 2}


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person in a project."""

    person: int
    name: str
    project: int
    role: Role

    @property
    def sees_all(self) -> bool:
        """Whether they see all charts, and other people's annotations."""
        return self.role is not Role.CODER


def enter_project(
    connection: sa.Connection, session: Session, key: int, least: Role = Role.CODER
) -> Viewer:
    """The person as a member of a project, with a role that is at least `least`."""
    role = connection.execute(
        sa.select(member.c.role).where(member.c.project == key, member.c.person == session.person)
    ).scalar()
    if role is None:
        raise NotFoundError("Project not found, or you are not a member of it.")
    viewer = Viewer(session.person, session.name, key, Role(role))
    if _RANK[viewer.role] < _RANK[least]:
        raise ForbiddenError(
            f"This needs the role {least.value}; your role in this project is {viewer.role.value}."
        )
    return viewer


def require_admin(session: Session) -> None:
    """Raise an error unless the person is an admin."""
    if not session.is_admin:
        raise ForbiddenError("Only admins can do this.")


def may_manage(connection: sa.Connection, session: Session, key: int) -> None:
    """Raise an error unless the person is an admin or a supervisor of the project."""
    if session.is_admin:
        there = sa.select(project.c.id).where(project.c.id == key)
        if connection.execute(there).first() is None:
            raise NotFoundError("Project not found.")
        return
    enter_project(connection, session, key, Role.SUPERVISOR)


def find_chart(connection: sa.Connection, viewer: Viewer, key: int) -> Row:
    """A chart of the project that the viewer may see."""
    row = connection.execute(
        sa.select(chart).where(chart.c.id == key, chart.c.project == viewer.project)
    ).first()
    if row is None or not (viewer.sees_all or is_assigned(connection, viewer, key)):
        raise NotFoundError("Chart not found, or not assigned to you.")
    return row


def find_note(connection: sa.Connection, viewer: Viewer, key: int) -> Row:
    """A note of the project that the viewer may see."""
    row = connection.execute(
        sa.select(note).where(note.c.id == key, note.c.project == viewer.project)
    ).first()
    if row is None or not (viewer.sees_all or is_assigned(connection, viewer, row.chart)):
        raise NotFoundError("Note not found, or its chart is not assigned to you.")
    return row


def check_may_code(connection: sa.Connection, viewer: Viewer, key: int) -> bool | None:
    """Whether the viewer has finished a chart, None when it is not assigned to them.

    An error unless they may annotate it: it is assigned, or they supervise.
    """
    mine = sa.and_(assignment.c.chart == chart.c.id, assignment.c.person == viewer.person)
    row = connection.execute(
        sa.select(assignment.c.finished)
        .select_from(chart.outerjoin(assignment, mine))
        .where(chart.c.id == key, chart.c.project == viewer.project)
    ).first()
    if row is None or (row.finished is None and not viewer.sees_all):
        raise NotFoundError("Chart not found, or not assigned to you.")
    if row.finished is None and viewer.role is not Role.SUPERVISOR:
        raise ForbiddenError("This chart is not assigned to you.")
    finished: bool | None = row.finished
    return finished


def is_assigned(connection: sa.Connection, viewer: Viewer, key: int) -> bool:
    """Whether a chart is assigned to the viewer."""
    query = sa.select(assignment.c.id).where(
        assignment.c.chart == key, assignment.c.person == viewer.person
    )
    return connection.execute(query).first() is not None
