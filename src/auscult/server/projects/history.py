"""How a project's work came about: suggestions, verdicts on them, and when charts were finished."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import sqlalchemy as sa

from auscult.core import Annotation, Code, Note, Span, Status
from auscult.corpus.batches import FINISHED_BY, VERDICT_OF
from auscult.corpus.schema import load_meta
from auscult.server.database.tables import (
    assignment,
    change,
    chart,
    event,
    given,
    note,
    person,
    verdict,
)
from auscult.server.events.steps import FINISHED


def suggestions_of(
    connection: sa.Connection, key: int, charts: Collection[int] | None = None
) -> Iterator[Annotation]:
    """Pre-annotations with evidence. They are ranked, not given: nobody says that they apply."""
    verdicts: dict[int, dict[str, str]] = {}
    judged = (
        sa.select(verdict.c.given, person.c.name, verdict.c.verdict)
        .join(person, person.c.id == verdict.c.person)
        .where(verdict.c.project == key)
    )
    for one, name, said in connection.execute(judged):
        verdicts.setdefault(one, {})[f"{VERDICT_OF}{name}"] = said
    query = (
        sa.select(given, chart.c.chart_id, note.c.note_id)
        .join(chart, chart.c.id == given.c.chart)
        .join(note, note.c.id == given.c.note)
        .where(given.c.project == key)
        .order_by(chart.c.position, note.c.position, given.c.id)
    )
    for row in connection.execute(query):
        if charts is None or row.chart in charts:
            yield Annotation(
                row.source,
                Code(row.system, row.code),
                row.chart_id,
                row.note_id,
                tuple(Span(begin, end) for begin, end in row.spans),
                row.score,
                Status.RANKED,
                {**load_meta(row.meta), **verdicts.get(row.id, {})},
            )


def with_finish_times(connection: sa.Connection, key: int, notes: Iterable[Note]) -> Iterator[Note]:
    """The notes, each with who finished its chart and when."""
    query = (
        sa.select(chart.c.chart_id, person.c.name, sa.func.max(event.c.time))
        .join(change, sa.and_(change.c.project == event.c.project, change.c.seq == event.c.seq))
        .join(chart, chart.c.id == change.c.chart)
        .join(person, person.c.id == event.c.person)
        .join(
            assignment,
            sa.and_(assignment.c.chart == change.c.chart, assignment.c.person == event.c.person),
        )
        .where(event.c.project == key, change.c.what == FINISHED, assignment.c.finished)
        .group_by(chart.c.chart_id, person.c.name)
    )
    times: dict[str, dict[str, str]] = {}
    for chart_id, name, at in connection.execute(query):
        times.setdefault(chart_id, {})[f"{FINISHED_BY}{name}"] = at.isoformat()
    for one in notes:
        yield replace(one, meta={**one.meta, **times.get(one.chart_id, {})})
