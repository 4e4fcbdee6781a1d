"""Keeping the tables of the present in step with the events, and making them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from auscult.server.database.engine import Row
from auscult.server.database.tables import (
    annotation,
    assignment,
    change,
    event,
    history,
    sheet,
    verdict,
)
from auscult.server.events.state import WHOLE, Place
from auscult.server.events.steps import ANNOTATION, FINISHED, VERDICT, Alteration

EDIT, UNDO, REDO = "edit", "undo", "redo"
DONE, UNDONE, DROPPED = "done", "undone", "dropped"


def project_step(
    connection: sa.Connection,
    *,
    project: int,
    person: int,
    seq: int,
    kind: str,
    of: int | None,
    alterations: Sequence[Alteration],
    versions: Mapping[Place, int],
) -> None:
    """Write what a step comes to."""
    for place, version in versions.items():
        _set_version(connection, project, person, place, version)
    for one in alterations:
        if one.what == ANNOTATION:
            _annotation(connection, project, person, seq, versions[one.place], one)
        elif one.what == VERDICT:
            _verdict(connection, project, person, one)
        elif one.what == FINISHED:
            connection.execute(
                sa.update(assignment)
                .where(assignment.c.chart == one.chart, assignment.c.person == person)
                .values(finished=one.after)
            )
    if alterations:  # a step that came to nothing is nothing to undo
        _history(connection, project, person, seq, kind, of)


def rebuild(connection: sa.Connection, project: int) -> int:
    """Make the present again from the events of a project; gives how many there are."""
    for table in (annotation, sheet, verdict, history):
        connection.execute(sa.delete(table).where(table.c.project == project))
    connection.execute(
        sa.update(assignment).where(assignment.c.project == project).values(finished=False)
    )
    changes: dict[int, list[Row]] = {}
    for row in connection.execute(
        sa.select(change)
        .where(change.c.project == project)
        .order_by(change.c.seq, change.c.position)
    ):
        changes.setdefault(row.seq, []).append(row)
    events = connection.execute(
        sa.select(event).where(event.c.project == project).order_by(event.c.seq)
    ).all()
    for one in events:
        if one.kind in (EDIT, UNDO, REDO):
            rows = changes.get(one.seq, [])
            project_step(
                connection,
                project=project,
                person=one.person,
                seq=one.seq,
                kind=one.kind,
                of=one.of,
                alterations=[alteration(row) for row in rows],
                versions={(row.chart, row.note or WHOLE): row.version for row in rows},
            )
    return len(events)


def alteration(row: Row) -> Alteration:
    """The alteration that a row of `change` holds."""
    return Alteration(row.what, row.key, row.chart, row.note, row.before, row.after)


def _set_version(
    connection: sa.Connection, project: int, person: int, place: Place, version: int
) -> None:
    key = (sheet.c.person == person, sheet.c.chart == place[0], sheet.c.note == place[1])
    done = connection.execute(sa.update(sheet).where(*key).values(version=version))
    if done.rowcount == 0:
        connection.execute(
            sa.insert(sheet).values(
                person=person, chart=place[0], note=place[1], project=project, version=version
            )
        )


def _annotation(
    connection: sa.Connection, project: int, person: int, seq: int, version: int, one: Alteration
) -> None:
    key = (annotation.c.project == project, annotation.c.id == one.key)
    if one.after is None:
        connection.execute(sa.delete(annotation).where(*key))
        return
    values = {**one.after, "seq": seq, "version": version}
    if one.before is None:
        made = {**values, "project": project, "id": one.key, "person": person}
        connection.execute(sa.insert(annotation).values(made))
    else:
        connection.execute(sa.update(annotation).where(*key).values(values))


def _verdict(connection: sa.Connection, project: int, person: int, one: Alteration) -> None:
    key = (verdict.c.person == person, verdict.c.given == int(one.key))
    connection.execute(sa.delete(verdict).where(*key))
    if one.after is not None:
        connection.execute(
            sa.insert(verdict).values(
                person=person, given=int(one.key), project=project, verdict=one.after
            )
        )


def _history(
    connection: sa.Connection, project: int, person: int, seq: int, kind: str, of: int | None
) -> None:
    """A line: what is done comes before what is undone, and a new edit drops the latter."""
    mine = (history.c.project == project, history.c.person == person)
    if kind == EDIT:
        connection.execute(
            sa.update(history).where(*mine, history.c.state == UNDONE).values(state=DROPPED)
        )
        connection.execute(
            sa.insert(history).values(project=project, person=person, seq=seq, state=DONE)
        )
    else:
        to = UNDONE if kind == UNDO else DONE
        connection.execute(sa.update(history).where(*mine, history.c.seq == of).values(state=to))
