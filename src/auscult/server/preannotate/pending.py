"""What is left to pre-annotate in a project, and writing down what a model said.

A note is pre-annotated once: a row in `pre_annotated` says how that ended, so that after a restart
the work goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from auscult.core import Annotation, Note
from auscult.server.access import Role, Viewer
from auscult.server.audit import Action, record
from auscult.server.database.tables import (
    assignment,
    chart,
    given,
    member,
    note,
    pre_annotated,
    project,
    sheet,
)
from auscult.server.event_stream import GIVE
from auscult.server.events.append import append_other, lock_project
from auscult.server.preannotate.choice import source_of
from auscult.server.projects.create import add_given
from auscult.server.shapes.projects import PreAnnotationOut


class Outcome(StrEnum):
    """How the pre-annotation of a note ended."""

    DONE = "done"
    SKIPPED = "skipped"
    """Somebody worked on the note or had finished its chart, so it was left alone."""
    FAILED = "failed"
    """The model could not read it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A project that a model pre-annotates."""

    project: int
    choice: str
    systems: tuple[str, ...]

    @property
    def source(self) -> str:
        """The name under which the pre-annotations are shown."""
        return source_of(self.choice)


@dataclass(frozen=True, slots=True)
class PendingChart:
    """A chart with notes to pre-annotate. A model reads the whole chart: codes may combine."""

    chart: int
    chart_id: str
    notes: tuple[Note, ...]
    pending: Mapping[str, int]
    """The keys of the notes that are still to be done, by their ids."""


def wanted(connection: sa.Connection) -> list[Wanted]:
    """The projects to pre-annotate, the newest first: somebody is about to open it."""
    query = (
        sa.select(project.c.id, project.c.pre_annotator, project.c.systems)
        .where(project.c.pre_annotator.is_not(None), sa.not_(project.c.is_archived))
        .order_by(project.c.id.desc())
    )
    return [Wanted(key, name, tuple(systems)) for key, name, systems in connection.execute(query)]


def is_wanted(connection: sa.Connection, one: Wanted) -> bool:
    """Whether a project is still to be pre-annotated by the same model."""
    return one in wanted(connection)


def pending_charts(connection: sa.Connection, one: Wanted, limit: int) -> list[int]:
    """The next charts with notes to do: those that somebody is to code first, in their order."""
    left = _left(one).where(note.c.chart == chart.c.id)
    is_queued = sa.exists().where(assignment.c.chart == chart.c.id, sa.not_(assignment.c.finished))
    query = (
        sa.select(chart.c.id)
        .where(chart.c.project == one.project, left.exists())
        .order_by(sa.case((is_queued, 0), else_=1), chart.c.position)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def read_chart(connection: sa.Connection, one: Wanted, key: int) -> PendingChart:
    """The texts of a chart, and which of its notes are to be done."""
    chart_id = connection.execute(sa.select(chart.c.chart_id).where(chart.c.id == key)).scalar_one()
    columns = (
        note.c.note_id,
        note.c.subject_id,
        note.c.category,
        note.c.time,
        note.c.text,
    )
    rows = connection.execute(
        sa.select(*columns)
        .where(note.c.chart == key, note.c.text.is_not(None))
        .order_by(note.c.position)
    )
    notes = tuple(Note(n, chart_id, subject, kind, at, text) for n, subject, kind, at, text in rows)
    return PendingChart(key, chart_id, notes, pending_notes(connection, one, key))


def pending_notes(connection: sa.Connection, one: Wanted, key: int) -> dict[str, int]:
    """The notes of a chart that are still to be done."""
    left = _left(one).add_columns(note.c.note_id).where(note.c.chart == key)
    return {name: note_key for note_key, name in connection.execute(left)}


def untouched(connection: sa.Connection, one: Wanted, key: int) -> frozenset[int]:
    """The notes of a chart that nobody has worked on; none if somebody has finished the chart.

    Nor those that have pre-annotations of the same source: they were imported.
    """
    finished = sa.select(assignment.c.id).where(assignment.c.chart == key, assignment.c.finished)
    if connection.execute(finished.limit(1)).first() is not None:
        return frozenset()
    worked_on = sa.select(sheet.c.note).where(sheet.c.chart == key, sheet.c.version > 0)
    imported = sa.select(given.c.note).where(
        given.c.chart == key, given.c.source == one.source, given.c.note.is_not(None)
    )
    free = sa.select(note.c.id).where(
        note.c.chart == key, note.c.id.not_in(worked_on), note.c.id.not_in(imported)
    )
    return frozenset(connection.execute(free).scalars())


def write(
    connection: sa.Connection,
    one: Wanted,
    charts: Sequence[tuple[PendingChart, Sequence[Annotation] | None]],
) -> int:
    """Write down what a model said of charts, None where it failed; gives how many annotations.

    What people did while the model was reading counts: their notes are left alone.
    """
    # The lock that every change of a coder takes, too: between looking and writing nobody begins.
    lock_project(connection, one.project)
    added = 0
    for chart_now, said in charts:
        pending = pending_notes(connection, one, chart_now.chart)
        free = untouched(connection, one, chart_now.chart)
        fresh = {name: key for name, key in pending.items() if key in free}
        made: list[Annotation] = []
        if said is not None:
            made = sorted(
                (a for a in said if _is_suggestion(a, one) and a.note_id in fresh),
                key=lambda a: (a.note_id or "", a.spans, str(a.code)),  # as coders come upon them
            )
            keys = {chart_now.chart_id: chart_now.chart}
            added += add_given(connection, one.project, made, keys, fresh)
        _record(connection, one, pending, fresh, made, is_failed=said is None)
    if added:
        _announce(connection, one, added, [each.chart for each, _ in charts])
    return added


def log_added(connection: sa.Connection, one: Wanted, added: int) -> None:
    """Write down in the audit log what a model has added in its turn."""
    detail = f"{added} of {one.source}"
    record(
        connection, Action.IMPORT, person=None, name=one.source, project=one.project, detail=detail
    )


def progress(connection: sa.Connection, key: int, *, problem: str | None) -> PreAnnotationOut:
    """How far the pre-annotation of a project has come."""
    choice = connection.execute(
        sa.select(project.c.pre_annotator).where(project.c.id == key)
    ).scalar_one()
    source = None if choice is None else source_of(choice)
    notes = sa.select(sa.func.count()).where(note.c.project == key, note.c.text.is_not(None))
    ended = (
        sa.select(
            pre_annotated.c.outcome, sa.func.count(), sa.func.sum(pre_annotated.c.annotations)
        )
        .where(pre_annotated.c.project == key, pre_annotated.c.source == source)
        .group_by(pre_annotated.c.outcome)
    )
    counts = {outcome: (count, said) for outcome, count, said in connection.execute(ended)}
    return PreAnnotationOut(
        model=source,
        notes=connection.execute(notes).scalar_one(),
        done=counts.get(Outcome.DONE, (0, 0))[0],
        skipped=counts.get(Outcome.SKIPPED, (0, 0))[0],
        failed=counts.get(Outcome.FAILED, (0, 0))[0],
        suggestions=counts.get(Outcome.DONE, (0, 0))[1],
        problem=None if choice is None else problem,
    )


def _left(one: Wanted) -> sa.Select[Any]:
    """The notes with a text for which nothing says how their pre-annotation ended."""
    ended = sa.exists().where(
        pre_annotated.c.note == note.c.id, pre_annotated.c.source == one.source
    )
    return sa.select(note.c.id).where(
        note.c.project == one.project, note.c.text.is_not(None), sa.not_(ended)
    )


def _is_suggestion(said: Annotation, one: Wanted) -> bool:
    """Whether a coder could accept it. Codes of a whole chart would be shown as billed codes."""
    return said.note_id is not None and bool(said.spans) and said.code.system in one.systems


def _record(
    connection: sa.Connection,
    one: Wanted,
    pending: Mapping[str, int],
    fresh: Mapping[str, int],
    made: Iterable[Annotation],
    *,
    is_failed: bool,
) -> None:
    counts = dict.fromkeys(pending, 0)
    for said in made:
        assert said.note_id is not None  # codes of whole charts are none of them
        counts[said.note_id] += 1
    reached = Outcome.FAILED if is_failed else Outcome.DONE
    rows = [
        {
            "project": one.project,
            "note": key,
            "source": one.source,
            "outcome": (reached if name in fresh else Outcome.SKIPPED).value,
            "annotations": counts[name],
        }
        for name, key in pending.items()
    ]
    if rows:
        connection.execute(sa.insert(pre_annotated), rows)


def _announce(connection: sa.Connection, one: Wanted, added: int, charts: list[int]) -> None:
    """Tell open browsers.

    Events are signed by people: the supervisor who has been there longest stands for the model.
    """
    query = (
        sa.select(member.c.person)
        .where(member.c.project == one.project, member.c.role == Role.SUPERVISOR.value)
        .order_by(member.c.since, member.c.person)
    )
    person = connection.execute(query.limit(1)).scalar()
    if person is not None:
        viewer = Viewer(person, "", one.project, Role.SUPERVISOR)
        payload = {"sources": [one.source], "added": added, "charts": charts}
        append_other(connection, viewer, GIVE, str(uuid4()), payload)
