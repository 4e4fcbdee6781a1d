"""Finding identifiers in all notes of a project."""

from __future__ import annotations

import sqlalchemy as sa

from auscult.corpus import Corpus
from auscult.deid import review_items
from auscult.server.access import Viewer
from auscult.server.audit import Action, record_of
from auscult.server.database.engine import Database
from auscult.server.database.tables import finding
from auscult.server.projects.as_corpus import notes_of
from auscult.server.projects.create import keys_of
from auscult.server.shapes.deid import Looked

_AT_ONCE = 500


def look(database: Database, viewer: Viewer, *, day_first: bool, address: str = "") -> Looked:
    """Find and keep what the recognizers find. Looking again adds only what is new."""
    with database.reading() as connection:
        notes = [note for note in notes_of(connection, viewer.project) if note.text is not None]
        _, keys = keys_of(connection, viewer.project)
    # A program's work, seconds for thousands of notes: not within a transaction.
    items = list(review_items(Corpus.of(notes, ()), day_first=day_first, everything=True))
    rows = [
        {
            "project": viewer.project,
            "item": item.item_id,
            "note": keys[item.note_id],
            "begins": item.found.begin,
            "ends": item.found.end,
            "kind": item.found.kind.value,
            "doubt": item.found.doubt,
            "hides": item.found.hide,
        }
        for item in items
    ]
    with database.writing() as connection:
        there = sa.select(finding.c.item).where(finding.c.project == viewer.project)
        known = set(connection.execute(there).scalars())
        new = [row for row in rows if row["item"] not in known]
        for at in range(0, len(new), _AT_ONCE):
            connection.execute(sa.insert(finding), new[at : at + _AT_ONCE])
        detail = f"looked through {len(notes)} notes"
        record_of(connection, viewer, Action.DEID, detail=detail, address=address)
    doubtful = sum(bool(item.found.doubt) for item in items)
    return Looked(notes=len(notes), findings=len(items), doubtful=doubtful)
