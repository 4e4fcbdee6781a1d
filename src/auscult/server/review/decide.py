"""Showing the queue to reviewers, and taking their decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from auscult.agreement.adjudication import Decision, Queue, QueueItem, Resolution, State, resolve
from auscult.agreement.adjudication.decision import EDIT, moment, outcome, read_choice
from auscult.agreement.disagreements import Statement
from auscult.codes import normalize
from auscult.core import Code, Span
from auscult.server.access import Role, Viewer
from auscult.server.accounts.secrets import now
from auscult.server.audit import Action, record_of
from auscult.server.coding.names import CodeNames
from auscult.server.database.engine import Database
from auscult.server.database.tables import change, decision, note, project
from auscult.server.errors import ConflictError, RefusedError
from auscult.server.event_stream import DECIDE, last_seq
from auscult.server.events.append import append_other, lock_project
from auscult.server.review.queue import Review, open_review
from auscult.server.shapes.review import (
    DecisionIn,
    DecisionOut,
    ItemOut,
    ItemsOut,
    StatementIn,
    StatementOut,
    States,
)


def list_items(
    database: Database,
    viewer: Viewer,
    names: CodeNames,
    *,
    state: str | None = None,
    cause: str | None = None,
    chart: int | None = None,
    offset: int = 0,
    limit: int = 50,
    address: str = "",
) -> ItemsOut:
    """The disagreements, in the order of charts."""
    with database.writing() as connection:
        record_of(
            connection,
            viewer,
            Action.REVIEW,
            chart=chart,
            address=address,
        )
    with database.reading() as connection:
        review = open_review(connection, viewer.project)
    found = [(queue, one) for queue in review.queues for one in _settled(review, queue)]
    causes = Counter(one.item.cause.value for _, one in found)
    wanted = [
        (queue, one)
        for queue, one in found
        if state in (None, one.state.value)
        and cause in (None, one.item.cause.value)
        and chart in (None, review.charts[one.item.chart_id])
    ]
    return ItemsOut(
        total=len(wanted),
        states=states_of(one for _, one in found),
        causes=dict(causes),
        waiting=review.waiting,
        items=[_item(review, one, names) for _, one in wanted[offset : offset + limit]],
    )


def states_of(settled: Iterable[Resolution]) -> States:
    """How many disagreements are in which state."""
    counts = Counter(one.state for one in settled)
    return States(
        open=counts[State.OPEN], contested=counts[State.CONTESTED], settled=counts[State.SETTLED]
    )


def decide(database: Database, viewer: Viewer, taken: DecisionIn, names: CodeNames) -> ItemOut:
    """Write a decision down; an error when the item is not there (any more)."""
    while True:
        with database.reading() as connection:
            seq = last_seq(connection, viewer.project)
            review = open_review(connection, viewer.project, taken.chart)
            queue, item = _find(review, taken.item_id)
            chart = review.charts[item.chart_id]
            choice = read_choice(taken.choice, queue.annotators)
            if taken.edit and choice != EDIT:
                raise RefusedError(
                    f"Corrections are only allowed with the choice edit, not {choice}."
                )
            edit = [_checked(connection, viewer, one, chart) for one in taken.edit]
        made = _decision(review, viewer, taken, choice, edit)
        outcome(item, made)  # an error when it cannot be
        with database.writing() as connection:
            lock_project(connection, viewer.project)
            if _has_changed(connection, viewer.project, chart, seq):
                continue
            _write(connection, viewer, made, chart, taken.client_id, edit)
        with database.reading() as connection:
            after = open_review(connection, viewer.project, chart)
        return _item_of(after, taken.item_id, names)


def _find(review: Review, item_id: str) -> tuple[Queue, QueueItem]:
    for queue in review.queues:
        item = queue.by_id().get(item_id)
        if item is not None:
            return queue, item
    raise ConflictError(
        "This disagreement no longer exists: the annotations have changed. Reload the list."
    )


def _decision(
    review: Review, viewer: Viewer, taken: DecisionIn, choice: str, edit: Sequence[dict[str, Any]]
) -> Decision:
    note_ids = {key: note_id for note_id, key in review.notes.items()}
    earlier = [one for one in review.decisions if one.item_id == taken.item_id]
    return Decision(
        taken.item_id,
        choice,
        viewer.name,
        now().isoformat(),
        taken.why,
        1 + sum(one.who == viewer.name for one in earlier),
        viewer.role is Role.SUPERVISOR,
        tuple(
            Statement(
                Code(one["system"], one["code"]),
                None if one["note"] is None else note_ids[one["note"]],
                tuple(Span(begin, end) for begin, end in one["spans"]),
            )
            for one in edit
        ),
    )


def _write(
    connection: sa.Connection,
    viewer: Viewer,
    made: Decision,
    chart: int,
    client_id: str,
    edit: Sequence[dict[str, Any]],
) -> None:
    payload = {"item": made.item_id, "choice": made.choice, "edit": edit, "why": made.why}
    seq, is_new = append_other(connection, viewer, DECIDE, client_id, payload)
    if is_new:
        connection.execute(
            sa.insert(decision).values(
                project=viewer.project,
                seq=seq,
                person=viewer.person,
                chart=chart,
                item=made.item_id,
                choice=made.choice,
                why=made.why,
                round=made.round,
                is_supervisor=made.supervisor,
                edit=edit,
                time=moment(made.when),
            )
        )


def _has_changed(connection: sa.Connection, key: int, chart: int, since: int) -> bool:
    """Whether anything was said about a chart, or decided, while it was being looked at."""
    said = sa.select(change.c.seq).where(
        change.c.project == key, change.c.chart == chart, change.c.seq > since
    )
    decided = sa.select(decision.c.seq).where(
        decision.c.project == key, decision.c.chart == chart, decision.c.seq > since
    )
    return any(connection.execute(query.limit(1)).first() for query in (said, decided))


def _item_of(review: Review, item_id: str, names: CodeNames) -> ItemOut:
    for queue in review.queues:
        for settlement in _settled(review, queue):
            if settlement.item.item_id == item_id:
                return _item(review, settlement, names)
    raise ConflictError("The annotations have changed. Reload the list.")


def _settled(review: Review, queue: Queue) -> list[Resolution]:
    return resolve(queue, review.decisions_of(queue))


def _checked(
    connection: sa.Connection, viewer: Viewer, one: StatementIn, chart: int
) -> dict[str, Any]:
    """A statement of an edit as it is kept; its note must be of the chart, and reach so far."""
    systems = connection.execute(
        sa.select(project.c.systems).where(project.c.id == viewer.project)
    ).scalar_one()
    if one.system not in systems:
        raise RefusedError(f"This project uses the code systems {', '.join(systems)}.")
    spans = sorted([begin, end] for begin, end in one.spans)
    if one.note is None and spans:
        raise RefusedError("Spans refer to one note's text: give the note.")
    if one.note is not None:
        row = connection.execute(
            sa.select(note.c.characters).where(note.c.id == one.note, note.c.chart == chart)
        ).first()
        if row is None:
            raise RefusedError("The note does not belong to the chart of this disagreement.")
        if any(not begin < end <= row.characters for begin, end in spans):
            raise RefusedError(
                f"A span's begin must be before its end, within the note's {row.characters} "
                "characters."
            )
    code = normalize(one.system, one.code) or one.code
    return {"note": one.note, "spans": spans, "system": one.system, "code": code}


def _item(review: Review, settlement: Resolution, names: CodeNames) -> ItemOut:
    item = settlement.item

    def out(statements: Iterable[Statement]) -> list[StatementOut]:
        return [
            _statement(one, review, names) for one in sorted(statements, key=lambda one: one.order)
        ]

    is_settled = settlement.state.value == "settled"
    return ItemOut(
        item_id=item.item_id,
        chart=review.charts[item.chart_id],
        chart_id=item.chart_id,
        cause=item.cause.value,
        annotators=list(item.annotators),
        sides=[None if side is None else out(side) for side in item.disagreement.sides],
        state=settlement.state.value,
        outcome=out(settlement.outcome) if is_settled else None,
        decisions=[
            DecisionOut(
                person=one.who,
                choice=one.choice,
                why=one.why,
                round=one.round,
                is_supervisor=one.supervisor,
                time=one.when,
                edit=out(one.edit),
            )
            for one in review.decisions
            if one.item_id == item.item_id
        ],
    )


def _statement(one: Statement, review: Review, names: CodeNames) -> StatementOut:
    return StatementOut(
        note=None if one.note_id is None else review.notes[one.note_id],
        spans=[(span.begin, span.end) for span in one.spans],
        system=one.code.system,
        code=one.code.value,
        **names.about(one.code.system, one.code.value),
    )
