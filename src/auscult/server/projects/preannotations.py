"""Pre-annotations: their sources, and how many coders accepted or rejected."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import polars as pl
import sqlalchemy as sa

from auscult.corpus import Corpus
from auscult.server.access import Viewer
from auscult.server.audit import Action, record_of
from auscult.server.database.engine import Database
from auscult.server.database.tables import given, note, verdict
from auscult.server.errors import RefusedError
from auscult.server.event_stream import GIVE
from auscult.server.events.append import append_other
from auscult.server.projects.create import add_given, keys_of
from auscult.server.shapes.projects import GivenSource, Imported


def import_given(
    database: Database, viewer: Viewer, corpus: Corpus, *, source: str | None = None
) -> Imported:
    """Add a corpus's annotations as pre-annotations, under a name of their own if one is given.

    They come from a trained model, a vocabulary, or other people. Predictions below the model's
    threshold are left out.
    """
    said = corpus.lazy_annotations
    if source is not None:
        said = said.with_columns(annotator=pl.lit(source))
    taken = replace(corpus, lazy_all_annotations=said, path=None)
    total = int(said.select(pl.len()).collect().item())
    sources = said.select("annotator").unique().sort("annotator").collect()["annotator"].to_list()
    if total == 0:
        raise RefusedError("The file contains no annotations.")
    with database.writing() as connection:
        charts, notes = keys_of(connection, viewer.project)
        _check_spans(connection, taken, viewer.project)
        added = add_given(connection, viewer.project, taken.iter_annotations(), charts, notes)
        if added == 0:
            raise RefusedError(
                f"None of the {total:,} annotations belongs to a note of this project. Are they "
                "from another corpus?"
            )
        payload = {"sources": sources, "added": added}
        append_other(connection, viewer, GIVE, str(uuid4()), payload)
        record_of(
            connection,
            viewer,
            Action.IMPORT,
            detail=f"{added} of {', '.join(sources)}",
        )
    return Imported(added=added, left_out=total - added, sources=sources)


def list_given(connection: sa.Connection, viewer: Viewer) -> list[GivenSource]:
    """The sources of pre-annotations. Verdicts are those of all coders."""
    rows = connection.execute(
        sa.select(
            given.c.source,
            sa.func.count(),
            sa.func.sum(sa.case((given.c.note.is_(None), 1), else_=0)),
        )
        .where(given.c.project == viewer.project)
        .group_by(given.c.source)
        .order_by(given.c.source)
    ).all()
    judged = {
        (row[0], row[1]): row[2]
        for row in connection.execute(
            sa.select(given.c.source, verdict.c.verdict, sa.func.count())
            .join(verdict, verdict.c.given == given.c.id)
            .where(given.c.project == viewer.project)
            .group_by(given.c.source, verdict.c.verdict)
        )
    }
    return [
        GivenSource(
            source=source,
            annotations=count,
            of_charts=whole or 0,
            accepted=judged.get((source, "accepted"), 0),
            rejected=judged.get((source, "rejected"), 0),
        )
        for source, count, whole in rows
    ]


def _check_spans(connection: sa.Connection, corpus: Corpus, project: int) -> None:
    """An error when a span goes past a note's text: it was made on another text."""
    lengths = {
        row[0]: row[1]
        for row in connection.execute(
            sa.select(note.c.note_id, note.c.characters).where(note.c.project == project)
        )
    }
    for one in corpus.iter_annotations():
        end = max((span.end for span in one.spans), default=0)
        if one.note_id in lengths and end > lengths[one.note_id]:
            raise RefusedError(
                f"An annotation of {one.annotator} ends at {end}, past its note's "
                f"{lengths[one.note_id]} characters: the text differs, or its offsets are not "
                "Unicode code points."
            )
