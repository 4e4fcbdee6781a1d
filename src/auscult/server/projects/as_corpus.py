"""A project as a corpus: its notes and people's annotations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any

import sqlalchemy as sa

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import load_meta
from auscult.server.database.tables import annotation, assignment, chart, event, note, person
from auscult.server.projects.history import suggestions_of, with_finish_times
from auscult.server.projects.settings import find_project


def gather(
    connection: sa.Connection,
    key: int,
    *,
    charts: Collection[int] | None = None,
    finished_only: bool = False,
    with_suggestions: bool = False,
) -> Corpus:
    """The project's notes, and the annotations of everybody the charts are assigned to.

    `with_suggestions` adds the pre-annotations with evidence, with everybody's verdict in their
    `meta` and the status ranked: nobody says that they apply. Notes then say who finished them and
    when.
    """
    row = find_project(connection, key)
    manifest = Manifest(
        **{k: v for k, v in row.manifest.items() if k in ("license", "source", "access")},
        name=row.name,
        description=row.about or row.manifest.get("description"),
    )
    notes: Iterable[Note] = notes_of(connection, key, charts)
    said: Iterable[Annotation] = annotations_of(
        connection, key, charts, finished_only=finished_only
    )
    if with_suggestions:
        notes = with_finish_times(connection, key, notes)
        said = chain(said, suggestions_of(connection, key, charts))
    return Corpus.of(notes, said, manifest=manifest)


def notes_of(
    connection: sa.Connection, key: int, charts: Collection[int] | None = None
) -> Iterator[Note]:
    """The notes of a project, in order."""
    query = (
        sa.select(note, chart.c.chart_id)
        .join(chart, chart.c.id == note.c.chart)
        .where(note.c.project == key)
        .order_by(note.c.position)
    )
    readers = _readers(connection, key)
    for row in connection.execute(query):
        if charts is None or row.chart in charts:
            yield Note(
                row.note_id,
                row.chart_id,
                row.subject_id,
                row.category,
                row.time,
                row.text,
                row.split,
                load_meta(row.meta),
                readers.get(row.chart, ()),
            )


def _readers(connection: sa.Connection, key: int) -> dict[int, tuple[str, ...]]:
    """Who finished each chart: those have read it, also where they found no code."""
    query = (
        sa.select(assignment.c.chart, person.c.name)
        .join(person, person.c.id == assignment.c.person)
        .where(assignment.c.project == key, assignment.c.finished)
        .order_by(assignment.c.chart, person.c.name)
    )
    found: dict[int, list[str]] = {}
    for chart_key, name in connection.execute(query):
        found.setdefault(chart_key, []).append(name)
    return {chart_key: tuple(names) for chart_key, names in found.items()}


def annotations_of(
    connection: sa.Connection,
    key: int,
    charts: Collection[int] | None = None,
    *,
    finished_only: bool = False,
    only: int | None = None,
) -> Iterator[Annotation]:
    """What people said, in the order of charts; `meta` says when and how it came about.

    `only` is one chart, which the database then looks for alone.
    """
    query = (
        sa.select(annotation, person.c.name, chart.c.chart_id, note.c.note_id, event.c.time)
        .join(person, person.c.id == annotation.c.person)
        .join(chart, chart.c.id == annotation.c.chart)
        .outerjoin(note, note.c.id == annotation.c.note)
        .join(
            event,
            sa.and_(event.c.project == annotation.c.project, event.c.seq == annotation.c.seq),
        )
        .outerjoin(
            assignment,
            sa.and_(
                assignment.c.chart == annotation.c.chart,
                assignment.c.person == annotation.c.person,
            ),
        )
        .where(annotation.c.project == key)
        .order_by(chart.c.position, note.c.position, annotation.c.seq, annotation.c.id)
    )
    if finished_only:
        query = query.where(assignment.c.finished)
    if only is not None:
        query = query.where(annotation.c.chart == only)
    for row in connection.execute(query):
        if charts is None or row.chart in charts:
            yield Annotation(
                row.name,
                Code(row.system, row.code),
                row.chart_id,
                row.note_id,
                tuple(Span(begin, end) for begin, end in row.spans),
                meta=_meta(row),
            )


def _meta(row: Any) -> dict[str, str]:
    meta = {"when": row.time.isoformat(timespec="seconds")}
    if row.comment:
        meta["comment"] = row.comment
    by = row.origin.get("by", "hand")
    if by != "hand":
        meta["origin"] = by
    if "rank" in row.origin:
        meta["rank"] = str(row.origin["rank"])
    return meta
