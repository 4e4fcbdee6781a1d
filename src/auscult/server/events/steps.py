"""What a step comes to: changes, each with what was there before and what is there after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from auscult.codes import normalize
from auscult.server.access import Viewer, check_may_code
from auscult.server.database.tables import annotation, decision, given, note, verdict
from auscult.server.errors import ConflictError, ForbiddenError, NotFoundError, RefusedError
from auscult.server.events.state import WHOLE, Place
from auscult.server.shapes.coding import (
    Add,
    Change,
    Finish,
    Judge,
    NewAnnotation,
    Operation,
    Remove,
)

ANNOTATION, VERDICT, FINISHED = "annotation", "verdict", "finished"


@dataclass(frozen=True, slots=True)
class Alteration:
    """One thing that a step alters. None is absence, so swapping the two sides undoes it."""

    what: str
    key: str
    chart: int
    note: int | None
    before: Any
    after: Any

    @property
    def place(self) -> Place:
        """The sheet it is on."""
        return self.chart, self.note or WHOLE

    def inverse(self) -> Alteration:
        """The alteration that undoes it."""
        return Alteration(self.what, self.key, self.chart, self.note, self.after, self.before)


class Draft:
    """The state as a step finds it and leaves it, before anything is written."""

    def __init__(self, connection: sa.Connection, viewer: Viewer, systems: Sequence[str]) -> None:
        self._connection = connection
        self._viewer = viewer
        self._systems = systems
        self._annotations: dict[str, dict[str, Any] | None] = {}
        self._lengths: dict[int, tuple[int, int | None]] = {}
        self._open: set[int] = set()
        self._foreign: set[str] = set()
        self._taken: dict[tuple[object, ...], dict[str, str]] = {}
        self.alterations: list[Alteration] = []

    def take(self, operation: Operation) -> None:
        """Add what an operation alters; an error when it cannot be done."""
        match operation:
            case Add():
                self._add(operation.annotation)
            case Change():
                self._change(operation.annotation)
            case Remove():
                self._remove(operation.id)
            case Judge():
                self._judge(operation.given, operation.verdict)
            case Finish():
                self._finish(operation.chart, operation.finished)

    def _add(self, new: NewAnnotation) -> None:
        if self._stored(new.id) is not None:
            raise ConflictError("An annotation with this id already exists.", id=new.id)
        if new.id in self._foreign:
            # Without a word on whose it is.
            raise ConflictError("This id is taken; generate a new one.", id=new.id)
        values = self._checked(new)
        self._alter(ANNOTATION, new.id, new.chart, new.note, None, values)
        self._annotations[new.id] = values
        if new.origin.given is not None:
            self._judge(new.origin.given, "accepted")

    def _change(self, new: NewAnnotation) -> None:
        before = self._stored(new.id)
        if before is None:
            raise ConflictError("This annotation no longer exists.", id=new.id)
        if (new.chart, new.note) != (before["chart"], before["note"]):
            raise RefusedError(
                "An annotation cannot move to another note; remove it and add a new one."
            )
        values = self._checked(new)
        if values != before:
            self._alter(ANNOTATION, new.id, new.chart, new.note, before, values)
            self._annotations[new.id] = values

    def _remove(self, key: str) -> None:
        before = self._stored(key)
        if before is None:
            raise ConflictError("This annotation no longer exists.", id=key)
        self._require_open(before["chart"])
        self._alter(ANNOTATION, key, before["chart"], before["note"], before, None)
        self._annotations[key] = None
        self._taken_by(before).pop(_words(before), None)
        origin = before["origin"].get("given")
        if origin is not None:
            self._judge(origin, None)

    def _judge(self, key: int, to: str | None) -> None:
        row = self._connection.execute(
            sa.select(given.c.chart, given.c.note, verdict.c.verdict)
            .outerjoin(
                verdict,
                sa.and_(verdict.c.given == given.c.id, verdict.c.person == self._viewer.person),
            )
            .where(given.c.id == key, given.c.project == self._viewer.project)
        ).first()
        if row is None:
            raise NotFoundError("Pre-annotation not found, or its chart is not assigned to you.")
        self._require_open(row.chart)
        before = row.verdict
        for one in self.alterations:
            if one.what == VERDICT and one.key == str(key):
                before = one.after
        if before != to:
            self._alter(VERDICT, str(key), row.chart, row.note, before, to)

    def _finish(self, chart: int, to: bool) -> None:
        before = check_may_code(self._connection, self._viewer, chart)
        if before is None:
            raise RefusedError("You can only finish charts that are assigned to you.")
        if not to:
            check_not_decided(self._connection, self._viewer, chart)
        for one in self.alterations:
            if one.what == FINISHED and one.key == str(chart):
                before = one.after
        if before != to:
            self._alter(FINISHED, str(chart), chart, None, before, to)
            self._open.discard(chart)

    def _alter(
        self, what: str, key: str, chart: int, note_key: int | None, before: Any, after: Any
    ) -> None:
        self.alterations.append(Alteration(what, key, chart, note_key, before, after))

    def _checked(self, new: NewAnnotation) -> dict[str, Any]:
        """The annotation as it is kept; an error for a system, note or span that cannot be."""
        self._require_open(new.chart)
        if new.system not in self._systems:
            raise RefusedError(
                f"This project uses the code systems {', '.join(self._systems)}; the annotation "
                "has another."
            )
        values = {
            "chart": new.chart,
            "note": new.note,
            "spans": self._checked_spans(new),
            "system": new.system,
            "code": normalize(new.system, new.code) or new.code,
            "comment": new.comment,
            "origin": new.origin.model_dump(exclude_none=True),
        }
        self._take_place(new.id, values)
        return values

    def _checked_spans(self, new: NewAnnotation) -> list[list[int]]:
        spans = sorted([begin, end] for begin, end in new.spans)
        if new.note is None:
            if spans:
                raise RefusedError("Spans refer to one note's text: give the note.")
            return []
        chart, length = self._length(new.note)
        if chart != new.chart:
            raise NotFoundError("Note not found in this chart.")
        reach = 0
        for at, (begin, end) in enumerate(spans):
            if begin >= end:
                raise RefusedError(f"A span's begin must be before its end; got {begin}–{end}.")
            if at and begin < reach:
                raise RefusedError(
                    f"The span {begin}–{end} overlaps another span of the annotation."
                )
            reach = end
        if length is None and spans:
            raise RefusedError("The corpus has no text for this note, so it cannot have spans.")
        if length is not None and reach > length:
            raise RefusedError(
                f"The span's end {reach} is past the note's {length} characters. Offsets count "
                "Unicode code points, not UTF-16 units."
            )
        return spans

    def _length(self, key: int) -> tuple[int, int | None]:
        if key not in self._lengths:
            row = self._connection.execute(
                sa.select(note.c.chart, note.c.characters, note.c.text.is_(None)).where(
                    note.c.id == key, note.c.project == self._viewer.project
                )
            ).first()
            if row is None:
                raise NotFoundError("Note not found, or its chart is not assigned to you.")
            self._lengths[key] = (row[0], None if row[2] else row[1])
        return self._lengths[key]

    def _require_open(self, chart: int) -> None:
        """An error unless the chart may be coded by the person and is not finished."""
        if chart in self._open:
            return
        finished = check_may_code(self._connection, self._viewer, chart)
        for one in self.alterations:
            if one.what == FINISHED and one.chart == chart:
                finished = one.after
        if finished:
            raise ConflictError("The chart is finished; reopen it first.", chart=chart)
        self._open.add(chart)

    def _stored(self, key: str) -> dict[str, Any] | None:
        """The person's annotation of an id; that of somebody else does not exist for them."""
        if key not in self._annotations:
            row = self._connection.execute(
                sa.select(annotation).where(
                    annotation.c.project == self._viewer.project, annotation.c.id == key
                )
            ).first()
            if row is not None and row.person != self._viewer.person:
                self._foreign.add(key)
                row = None
            self._annotations[key] = None if row is None else stored_values(row)
        return self._annotations[key]

    def _take_place(self, key: str, values: dict[str, Any]) -> None:
        """An error when the code is on those words already."""
        taken = self._taken_by(values)
        other = taken.get(_words(values))
        if other is not None and other != key:
            raise ConflictError("These words already have this code.", id=other)
        before = self._annotations.get(key)
        if before is not None:
            self._taken_by(before).pop(_words(before), None)
        taken[_words(values)] = key

    def _taken_by(self, values: dict[str, Any]) -> dict[str, str]:
        """The words of a sheet that a code is on already, and by which annotation."""
        place = (values["chart"], values["note"], values["system"], values["code"])
        if place not in self._taken:
            on = annotation.c.note.is_(None) if place[1] is None else annotation.c.note == place[1]
            rows = self._connection.execute(
                sa.select(annotation.c.id, annotation.c.spans).where(
                    annotation.c.person == self._viewer.person,
                    annotation.c.chart == place[0],
                    on,
                    annotation.c.system == place[2],
                    annotation.c.code == place[3],
                )
            )
            self._taken[place] = {str(spans): key for key, spans in rows}
        return self._taken[place]


def check_not_decided(connection: sa.Connection, viewer: Viewer, chart: int) -> None:
    """An error once a reviewer has decided on the chart: what was decided on must stay."""
    decided = connection.execute(
        sa.select(decision.c.seq)
        .where(decision.c.project == viewer.project, decision.c.chart == chart)
        .limit(1)
    ).first()
    if decided is not None:
        raise ForbiddenError("The chart has been reviewed and cannot be reopened.")


def stored_values(row: Any) -> dict[str, Any]:
    """An annotation's row, as events hold it."""
    return {
        "chart": row.chart,
        "note": row.note,
        "spans": row.spans,
        "system": row.system,
        "code": row.code,
        "comment": row.comment,
        "origin": row.origin,
    }


def _words(values: dict[str, Any]) -> str:
    return str(values["spans"])
