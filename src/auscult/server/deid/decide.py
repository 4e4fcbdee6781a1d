"""The queue of findings, and decisions about them: appended, the last one holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from auscult.deid.phi_span import PhiKind
from auscult.deid.review import added, item_id
from auscult.server.access import Viewer, find_note
from auscult.server.accounts.secrets import now
from auscult.server.audit import Action, record_of
from auscult.server.database.engine import Database, Row
from auscult.server.database.tables import chart, finding, finding_decision, note, person
from auscult.server.errors import ConflictError, NotFoundError, RefusedError
from auscult.server.events.append import lock_project
from auscult.server.shapes.deid import (
    FindingDecisionIn,
    FindingDecisionOut,
    FindingIn,
    FindingOut,
    FindingsOut,
    FindingState,
    FindingStates,
)

_AROUND = 60


def list_findings(
    database: Database,
    viewer: Viewer,
    *,
    state: FindingState | None,
    kind: PhiKind | None,
    doubtful: bool,
    offset: int,
    limit: int,
    address: str = "",
) -> FindingsOut:
    """A page of the queue. Whose words are read is in the audit log."""
    wanted = [finding.c.project == viewer.project]
    if doubtful:
        wanted.append(sa.or_(finding.c.doubt != "", finding.c.person.is_not(None)))
    with database.writing() as connection:
        rows = connection.execute(
            sa.select(finding.c.kind, _decided().label("decided"), sa.func.count().label("number"))
            .where(*wanted)
            .group_by(finding.c.kind, "decided")
        ).all()
        states = Counter[bool]()
        kinds: dict[str, int] = {}
        for row in rows:
            states[bool(row.decided)] += row.number
            kinds[row.kind] = kinds.get(row.kind, 0) + row.number
        if kind is not None:
            wanted.append(finding.c.kind == kind.value)
        if state is not None:
            wanted.append(_decided() if state == "decided" else sa.not_(_decided()))
        count = sa.select(sa.func.count()).select_from(finding).where(*wanted)
        page = _query(*wanted).order_by(note.c.position, finding.c.begins).offset(offset)
        items = list(_outs(connection, page.limit(limit)))
        total = connection.execute(count).scalar() or 0
        for chart_key in sorted({item.chart for item in items}):
            record_of(connection, viewer, Action.DEID, chart=chart_key, address=address)
    return FindingsOut(
        total=total,
        states=FindingStates(open=states[False], decided=states[True]),
        kinds=dict(sorted(kinds.items())),
        items=items,
    )


def decide_finding(
    database: Database, viewer: Viewer, body: FindingDecisionIn, address: str = ""
) -> FindingOut:
    """Decide on a finding, unless somebody else has in the meantime."""
    with database.writing() as connection:
        lock_project(connection, viewer.project)
        before = _one(connection, viewer, body.item_id)
        is_repeated = _is_repeated(connection, viewer, body.client_id, body.item_id)
        last = None if before.decision is None else before.decision.id
        is_unseen = not is_repeated and body.seen != last
        if not is_repeated and not is_unseen:
            _append(connection, viewer, body.item_id, body)
        found = _read(connection, viewer, body.item_id, address)
    if is_unseen:
        raise ConflictError(
            "Somebody else has decided on this finding in the meantime. Nothing was overwritten.",
            item=found.model_dump(mode="json"),
        )
    return found


def add_finding(
    database: Database, viewer: Viewer, body: FindingIn, address: str = ""
) -> FindingOut:
    """Add a span that no recognizer found, with a decision about it."""
    with database.writing() as connection:
        lock_project(connection, viewer.project)
        row = find_note(connection, viewer, body.note)
        if body.end > row.characters or row.text is None:
            raise RefusedError(f"The note has {row.characters} characters; got {body.end}.")
        key = item_id(row.note_id, added(row.note_id, body.begin, body.end, body.kind))
        if not _is_repeated(connection, viewer, body.client_id, key):
            there = sa.select(finding.c.item).where(
                finding.c.project == viewer.project, finding.c.item == key
            )
            if connection.execute(there).first() is not None:
                raise ConflictError("This span is already in the queue.", item_id=key)
            connection.execute(
                sa.insert(finding).values(
                    project=viewer.project,
                    item=key,
                    note=body.note,
                    begins=body.begin,
                    ends=body.end,
                    kind=body.kind.value,
                    doubt="",
                    hides=True,
                    person=viewer.person,
                )
            )
            _append(connection, viewer, key, body)
        return _read(connection, viewer, key, address)


def all_findings(connection: sa.Connection, project: int) -> list[FindingOut]:
    """Every finding of a project, in the order of the notes."""
    query = _query(finding.c.project == project).order_by(note.c.position, finding.c.begins)
    return list(_outs(connection, query))


def _append(
    connection: sa.Connection, viewer: Viewer, item: str, body: FindingDecisionIn | FindingIn
) -> None:
    connection.execute(
        sa.insert(finding_decision).values(
            project=viewer.project,
            item=item,
            person=viewer.person,
            client_id=body.client_id,
            choice=body.choice.value,
            replacement=body.replacement,
            why=body.why,
            time=now(),
        )
    )


def _is_repeated(connection: sa.Connection, viewer: Viewer, client_id: str, item: str) -> bool:
    """Whether a decision came before; an error when it was about something else."""
    query = sa.select(finding_decision.c.item, finding_decision.c.person).where(
        finding_decision.c.project == viewer.project, finding_decision.c.client_id == client_id
    )
    row = connection.execute(query).first()
    if row is not None and (row.item, row.person) != (item, viewer.person):
        raise ConflictError("This client_id was already used for another request.")
    return row is not None


def _one(connection: sa.Connection, viewer: Viewer, item: str) -> FindingOut:
    query = _query(finding.c.project == viewer.project, finding.c.item == item)
    for found in _outs(connection, query):
        return found
    raise NotFoundError("Finding not found in this project.")


def _read(connection: sa.Connection, viewer: Viewer, item: str, address: str) -> FindingOut:
    """A finding that goes out, with words of its note: that somebody read them is written down."""
    found = _one(connection, viewer, item)
    record_of(connection, viewer, Action.DEID, chart=found.chart, note=found.note, address=address)
    return found


def _decided() -> sa.ColumnElement[bool]:
    return sa.exists().where(
        finding_decision.c.project == finding.c.project, finding_decision.c.item == finding.c.item
    )


def _query(*conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
    finder, decider = person.alias(), person.alias()
    of_item = (
        finding_decision.c.project == finding.c.project,
        finding_decision.c.item == finding.c.item,
    )
    last = sa.select(sa.func.max(finding_decision.c.id)).where(*of_item).scalar_subquery()
    count = sa.select(sa.func.count()).where(*of_item).scalar_subquery()
    held = finding_decision.alias()
    return (
        sa.select(
            finding,
            note.c.text,
            note.c.note_id,
            note.c.chart,
            chart.c.chart_id,
            finder.c.name.label("finder"),
            held.c.id.label("decision"),
            held.c.choice,
            held.c.replacement,
            held.c.why,
            held.c.time,
            decider.c.name.label("decider"),
            count.label("decisions"),
        )
        .join(note, note.c.id == finding.c.note)
        .join(chart, chart.c.id == note.c.chart)
        .outerjoin(finder, finder.c.id == finding.c.person)
        .outerjoin(held, held.c.id == last)
        .outerjoin(decider, decider.c.id == held.c.person)
        .where(*conditions)
    )


def _outs(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[FindingOut]:
    for row in connection.execute(query):
        yield FindingOut(
            item_id=row.item,
            chart=row.chart,
            chart_id=row.chart_id,
            note=row.note,
            note_id=row.note_id,
            span=(row.begins, row.ends),
            kind=PhiKind(row.kind),
            before=row.text[max(0, row.begins - _AROUND) : row.begins],
            words=row.text[row.begins : row.ends],
            after=row.text[row.ends : row.ends + _AROUND],
            doubt=row.doubt,
            hides=row.hides,
            found_by=row.finder,
            decision=_decision(row),
            decisions=row.decisions,
        )


def _decision(row: Row) -> FindingDecisionOut | None:
    if row.decision is None:
        return None
    return FindingDecisionOut(
        id=row.decision,
        person=row.decider,
        choice=row.choice,
        replacement=row.replacement,
        why=row.why,
        time=row.time.isoformat(),
    )
