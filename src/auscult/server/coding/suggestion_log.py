"""The suggestion log, for studies of automation bias: what was shown, at which rank, and chosen."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from auscult.server.access import Viewer
from auscult.server.accounts.secrets import now
from auscult.server.database.engine import Database
from auscult.server.database.tables import note as notes
from auscult.server.database.tables import person, shown
from auscult.server.errors import ConflictError, NotFoundError
from auscult.server.shapes.search import Choice, CodeOut, ShownCode, ShownOut, SuggestQuery


def log_shown(
    database: Database, viewer: Viewer, asked: SuggestQuery, listed: Sequence[CodeOut]
) -> int:
    """Write down a list that goes to somebody's screen; gives its id. Words are not kept."""
    values = {
        "project": viewer.project,
        "person": viewer.person,
        "note": asked.note,
        "spans": [list(edges) for edges in asked.spans],
        "kind": "suggest",
        "listed": [[one.system, one.code, one.score] for one in listed],
        "time": now(),
    }
    with database.writing() as connection:
        key = connection.execute(sa.insert(shown).values(values)).inserted_primary_key
    assert key is not None  # an insert of one row has one
    return int(key[0])


def list_shown(connection: sa.Connection, viewer: Viewer, after: int, limit: int) -> list[ShownOut]:
    """What was shown to whom and what came of it, in order, from a number on."""
    rows = connection.execute(
        sa.select(shown, person.c.name, notes.c.note_id)
        .join(person, person.c.id == shown.c.person)
        .outerjoin(notes, notes.c.id == shown.c.note)
        .where(shown.c.project == viewer.project, shown.c.id > after)
        .order_by(shown.c.id)
        .limit(limit)
    )
    return [
        ShownOut(
            id=row.id,
            time=row.time.isoformat(),
            person=row.name,
            note_id=row.note_id,
            spans=row.spans,
            listed=[ShownCode(system=s, code=c, score=score) for s, c, score in row.listed],
            chosen=row.chosen,
            elapsed_ms=row.elapsed_ms,
        )
        for row in rows
    ]


def answer_shown(database: Database, viewer: Viewer, key: int, choice: Choice) -> None:
    """Write down what came of it, once."""
    mine = (
        shown.c.id == key,
        shown.c.project == viewer.project,
        shown.c.person == viewer.person,
    )
    with database.writing() as connection:
        row = connection.execute(sa.select(shown.c.answered).where(*mine)).first()
        if row is None:
            raise NotFoundError("Suggestion list not found, or not yours.")
        if row.answered is not None:
            raise ConflictError("The outcome of this list is already recorded.")
        connection.execute(
            sa.update(shown)
            .where(*mine)
            .values(chosen=choice.chosen, elapsed_ms=choice.elapsed_ms, answered=now())
        )
