"""The queue: disagreements of annotators on charts that all of them have finished.

Annotators who share charts are a group, so that of each disagreement the first annotator is A and
the second B. What each has seen is known from the assignments, so an annotator who found nothing in
a chart counts as one who said so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import sqlalchemy as sa

from auscult.agreement.adjudication import Decision, Queue
from auscult.agreement.adjudication.queue import queue_of
from auscult.agreement.annotation_table import AnnotationTable, with_statements
from auscult.agreement.disagreements import Statement
from auscult.core import Annotation, Code, Span
from auscult.corpus import Corpus
from auscult.server.database.tables import assignment, chart, decision, note, person
from auscult.server.projects.as_corpus import annotations_of

_NO_ROWS = {
    "annotator": pl.Int64,
    "chart": pl.Int64,
    "note": pl.Int64,
    "code": pl.Int64,
    "place": pl.String,
}


@dataclass(frozen=True, slots=True)
class Review:
    """The queues of a project's groups of annotators, and the decisions made so far."""

    queues: tuple[Queue, ...]
    decisions: tuple[Decision, ...]
    stale: int
    """Decisions about what was said before and is not said any more."""
    waiting: int
    """Charts that not all of their annotators have finished."""
    charts: dict[str, int] = field(repr=False)
    notes: dict[str, int] = field(repr=False)

    def decisions_of(self, queue: Queue) -> list[Decision]:
        """The decisions about a queue's items."""
        known = queue.by_id()
        return [one for one in self.decisions if one.item_id in known]


def open_review(connection: sa.Connection, project: int, only: int | None = None) -> Review:
    """What there is to review, from what is in the database now; or of one chart alone."""
    annotators: dict[int, list[tuple[str, bool]]] = {}
    for key, name, finished in connection.execute(
        sa.select(assignment.c.chart, person.c.name, assignment.c.finished)
        .join(person)
        .where(assignment.c.project == project, _of(assignment.c.chart, only))
        .order_by(person.c.name)
    ):
        annotators.setdefault(key, []).append((name, finished))
    several = {key: of for key, of in annotators.items() if len(of) > 1}
    groups: dict[tuple[str, ...], list[int]] = {}
    for key, of in several.items():
        if all(finished for _, finished in of):
            groups.setdefault(tuple(name for name, _ in of), []).append(key)
    ready = {key for keys in groups.values() for key in keys}
    said: dict[str, list[Annotation]] = {}
    for one in annotations_of(connection, project, ready, finished_only=True, only=only):
        said.setdefault(one.chart_id, []).append(one)
    chart_ids = _chart_ids(connection, project, ready, only)
    notes = _notes(connection, project, ready, only)
    queues = tuple(
        _queue(names, [chart_ids[key] for key in sorted(keys)], said, notes)
        for names, keys in sorted(groups.items())
    )
    note_ids = {key: text for key, (text, _) in notes.items()}
    made = read_decisions(connection, project, note_ids, only)
    known = {item.item_id for queue in queues for item in queue.items}
    return Review(
        queues,
        tuple(one for one in made if one.item_id in known),
        sum(one.item_id not in known for one in made),
        len(several) - len(ready),
        {chart_id: key for key, chart_id in chart_ids.items()},
        {text: key for key, (text, _) in notes.items()},
    )


def read_decisions(
    connection: sa.Connection, project: int, note_ids: dict[int, str], only: int | None = None
) -> list[Decision]:
    """All decisions of a project, or of one chart of it, in the order they were made."""
    rows = connection.execute(
        sa.select(decision, person.c.name)
        .join(person)
        .where(decision.c.project == project, _of(decision.c.chart, only))
        .order_by(decision.c.seq)
    )
    return [
        Decision(
            row.item,
            row.choice,
            row.name,
            row.time.isoformat(),
            row.why,
            row.round,
            row.is_supervisor,
            tuple(_statement(one, note_ids) for one in row.edit),
        )
        for row in rows
    ]


def _statement(one: dict[str, Any], note_ids: dict[int, str]) -> Statement:
    key = one["note"]
    spans = tuple(Span(begin, end) for begin, end in one["spans"])
    note_id = None if key is None else note_ids.get(key, str(key))
    return Statement(Code(one["system"], one["code"]), note_id, spans)


def _queue(
    names: Sequence[str],
    chart_ids: Sequence[str],
    said: dict[str, list[Annotation]],
    notes: dict[int, tuple[str, str]],
) -> Queue:
    mine = set(chart_ids)
    numbers = {chart_id: at for at, chart_id in enumerate(chart_ids)}
    listed = [(text, numbers[of]) for text, of in notes.values() if of in mine]
    empty = AnnotationTable(
        tuple(names),
        tuple(chart_ids),
        (),
        np.ones((len(chart_ids), len(names)), dtype=bool),
        pl.DataFrame(
            [(at, text, number) for at, (text, number) in enumerate(listed)],
            schema={"note": pl.Int64, "note_id": pl.String, "chart": pl.Int64},
            orient="row",
        ),
        pl.DataFrame(schema=_NO_ROWS),
        Corpus.of(),
    )
    return queue_of(with_statements(empty, _statements(names, chart_ids, said)))


def _statements(
    names: Sequence[str], chart_ids: Iterable[str], said: dict[str, list[Annotation]]
) -> Iterable[tuple[int, str, Code, str | None, Sequence[Span]]]:
    place = {name: at for at, name in enumerate(names)}
    for chart_id in chart_ids:
        for one in said.get(chart_id, ()):
            if one.annotator in place:
                yield place[one.annotator], chart_id, one.code, one.note_id, one.spans


def _chart_ids(
    connection: sa.Connection, project: int, ready: set[int], only: int | None
) -> dict[int, str]:
    """The ids of charts in the corpus."""
    rows = connection.execute(
        sa.select(chart.c.id, chart.c.chart_id).where(
            chart.c.project == project, _of(chart.c.id, only)
        )
    )
    return {row.id: row.chart_id for row in rows if row.id in ready}


def _notes(
    connection: sa.Connection, project: int, ready: set[int], only: int | None
) -> dict[int, tuple[str, str]]:
    """The notes of charts: their ids in the corpus, and their charts'."""
    rows = connection.execute(
        sa.select(note.c.id, note.c.note_id, chart.c.chart_id, note.c.chart)
        .join(chart, chart.c.id == note.c.chart)
        .where(note.c.project == project, _of(note.c.chart, only))
        .order_by(note.c.position)
    )
    return {row.id: (row.note_id, row.chart_id) for row in rows if row.chart in ready}


def _of(column: sa.ColumnElement[int], only: int | None) -> sa.ColumnElement[bool]:
    return sa.true() if only is None else column == only
