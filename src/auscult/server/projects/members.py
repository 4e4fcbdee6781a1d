"""The members of a project and their progress."""

from __future__ import annotations

from collections import Counter

import sqlalchemy as sa

from auscult.server.access import Role, Viewer
from auscult.server.accounts.people import get_person
from auscult.server.accounts.secrets import now
from auscult.server.accounts.sessions import Session
from auscult.server.audit import Action, record
from auscult.server.database.tables import annotation, assignment, event, member, person, project
from auscult.server.errors import ConflictError, NotFoundError
from auscult.server.shapes.people import MemberOut
from auscult.server.shapes.projects import ProgressOut


def list_members(connection: sa.Connection, key: int) -> list[MemberOut]:
    """The members, by name."""
    rows = connection.execute(
        sa.select(member.c.person, person.c.name, member.c.role)
        .join(person)
        .where(member.c.project == key)
        .order_by(person.c.name)
    )
    return [MemberOut(person=row.person, name=row.name, role=row.role) for row in rows]


def set_member(connection: sa.Connection, key: int, who: int, role: Role) -> None:
    """Make somebody a member of a project, or change what they are in it."""
    mine = (member.c.project == key, member.c.person == who)
    done = connection.execute(sa.update(member).where(*mine).values(role=role.value))
    if done.rowcount == 0:
        connection.execute(
            sa.insert(member).values(project=key, person=who, role=role.value, since=now())
        )


def change_member(
    connection: sa.Connection, session: Session, key: int, who: int, role: Role | None
) -> None:
    """Give somebody a role in a project; None takes them out. Their work stays."""
    found = get_person(connection, who)
    if role is None:
        gone = connection.execute(
            sa.delete(member).where(member.c.project == key, member.c.person == who)
        )
        if gone.rowcount == 0:
            raise NotFoundError("This person is not a member of the project.")
    else:
        set_member(connection, key, who, role)
    left = [one for one in list_members(connection, key) if one.role is Role.SUPERVISOR]
    if not left and not session.is_admin:
        raise ConflictError("A project must keep at least one supervisor.")
    record(
        connection,
        Action.MEMBER,
        person=session.person,
        name=session.name,
        project=key,
        detail=f"{found.name}: {'none' if role is None else role.value}",
    )


def progress(connection: sa.Connection, viewer: Viewer) -> list[ProgressOut]:
    """The progress of each member; coders see their own only."""
    people = list_members(connection, viewer.project)
    if not viewer.sees_all:
        people = [one for one in people if one.person == viewer.person]
    rows = connection.execute(
        sa.select(assignment.c.person, assignment.c.batch, assignment.c.finished, sa.func.count())
        .where(assignment.c.project == viewer.project)
        .group_by(assignment.c.person, assignment.c.batch, assignment.c.finished)
    ).all()
    batches: dict[int, dict[str, list[int]]] = {}
    for who, batch, finished, count in rows:
        tally = batches.setdefault(who, {}).setdefault(batch, [0, 0])
        tally[0] += count if finished else 0
        tally[1] += count
    made: Counter[int] = Counter()
    started: Counter[int] = Counter()
    for who, count, charts in connection.execute(
        sa.select(
            annotation.c.person, sa.func.count(), sa.func.count(annotation.c.chart.distinct())
        )
        .where(annotation.c.project == viewer.project)
        .group_by(annotation.c.person)
    ):
        made[who], started[who] = count, charts
    last = {
        row[0]: row[1]
        for row in connection.execute(
            sa.select(event.c.person, sa.func.max(event.c.time, type_=event.c.time.type))
            .where(event.c.project == viewer.project)
            .group_by(event.c.person)
        )
    }
    return [
        ProgressOut(
            person=one.person,
            name=one.name,
            role=one.role,
            assigned=sum(tally[1] for tally in batches.get(one.person, {}).values()),
            started=started[one.person],
            finished=sum(tally[0] for tally in batches.get(one.person, {}).values()),
            annotations=made[one.person],
            last=last[one.person].isoformat() if one.person in last else None,
            batches={
                batch: (tally[0], tally[1])
                for batch, tally in sorted(batches.get(one.person, {}).items())
            },
        )
        for one in people
    ]


def roles(connection: sa.Connection, who: int) -> dict[str, str]:
    """What somebody is in which project, by the projects' names."""
    rows = connection.execute(
        sa.select(project.c.name, member.c.role)
        .join(project, project.c.id == member.c.project)
        .where(member.c.person == who)
        .order_by(project.c.id)
    )
    return {row[0]: row[1] for row in rows}
