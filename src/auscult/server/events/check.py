"""Check that the events reproduce the current tables, and that none is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from auscult.server.database.engine import Database
from auscult.server.database.tables import (
    annotation,
    assignment,
    event,
    history,
    project,
    sheet,
    verdict,
)
from auscult.server.events.projection import rebuild


@dataclass(frozen=True, slots=True)
class EventCheck:
    """What was found in one project."""

    project: int
    events: int
    missing: int
    """Numbers between the first and the last event that no event has."""
    differing: int
    """Rows that the events come to and are not there, or the other way round."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def check(database: Database) -> list[EventCheck]:
    """Replay every project's events and compare; nothing is changed."""
    with database.reading() as connection:
        keys = list(connection.execute(sa.select(project.c.id).order_by(project.c.id)).scalars())
    return [_check(database, key) for key in keys]


def present(connection: sa.Connection, key: int) -> Counter[str]:
    """All rows that the events of a project come to."""
    rows: Counter[str] = Counter()
    for table in (annotation, sheet, verdict, history):
        for row in connection.execute(sa.select(table).where(table.c.project == key)):
            rows[f"{table.name} {tuple(row)}"] += 1
    finished = sa.select(assignment.c.chart, assignment.c.person).where(
        assignment.c.project == key, assignment.c.finished
    )
    for row in connection.execute(finished):
        rows[f"finished {tuple(row)}"] += 1
    return rows


def _check(database: Database, key: int) -> EventCheck:
    with database.trying() as connection:
        before = present(connection, key)
        events = rebuild(connection, key)
        after = present(connection, key)
        last = connection.execute(
            sa.select(sa.func.max(event.c.seq)).where(event.c.project == key)
        ).scalar()
        differing = (before - after).total() + (after - before).total()
        return EventCheck(key, events, (last or 0) - events, differing)
