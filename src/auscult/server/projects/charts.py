"""Charts and notes as a person sees them. Every read is written down before it is answered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import sqlalchemy as sa

from auscult.server.access import Viewer, find_chart, find_note
from auscult.server.accounts.secrets import now
from auscult.server.audit import Action, record_of
from auscult.server.coding.names import CodeNames
from auscult.server.database.engine import Database, Row
from auscult.server.database.tables import (
    annotation,
    assignment,
    audit,
    chart,
    given,
    note,
    person,
    sheet,
)
from auscult.server.errors import RefusedError
from auscult.server.events.state import WHOLE, read_annotations, sheets
from auscult.server.shapes.coding import (
    ChartInList,
    ChartList,
    ChartOut,
    CodeCount,
    NoteInList,
    NoteOut,
)
from auscult.server.shapes.search import Hit, Hits, Search

_AROUND = 60
_LATELY = timedelta(hours=1)


def list_charts(
    connection: sa.Connection,
    viewer: Viewer,
    *,
    state: str | None = None,
    batch: str | None = None,
    offset: int = 0,
    limit: int = 50,
) -> ChartList:
    """The charts that a person may see, in the order of the corpus."""
    mine = sa.and_(assignment.c.chart == chart.c.id, assignment.c.person == viewer.person)
    found = (
        sa.select(
            chart, assignment.c.id.label("assigned"), assignment.c.finished, assignment.c.batch
        )
        .outerjoin(assignment, mine)
        .where(chart.c.project == viewer.project)
    )
    if not viewer.sees_all:
        found = found.where(assignment.c.id.is_not(None))
    if state == "assigned":
        found = found.where(assignment.c.id.is_not(None))
    elif state is not None:
        found = found.where(assignment.c.finished.is_(state == "finished"))
    if batch is not None:
        found = found.where(assignment.c.batch == batch)
    total = connection.execute(sa.select(sa.func.count()).select_from(found.subquery())).scalar()
    page = connection.execute(found.order_by(chart.c.position).offset(offset).limit(limit)).all()
    keys = [row.id for row in page]
    made = _counts(connection, viewer, keys)
    coders = _coders(connection, keys) if viewer.sees_all else None
    return ChartList(
        total=total or 0, charts=[_chart_in_list(row, made[row.id], coders) for row in page]
    )


def open_chart(
    database: Database, viewer: Viewer, key: int, names: CodeNames, address: str = ""
) -> ChartOut:
    """A chart: its notes, without their text, and the codes of it."""
    with database.reading() as connection:
        row = find_chart(connection, viewer, key)
        whole = sheets(connection, viewer, [(key, WHOLE)], names)[0]
        made, evidence = _given_codes(connection, viewer, key)
        billed = {(one.system, one.code) for one in whole.given}
        codes = dict.fromkeys([*sorted(billed), *sorted(made)])
        coders = _coders(connection, [key]) if viewer.sees_all else None
        at = connection.execute(
            sa.select(
                assignment.c.id.label("assigned"), assignment.c.finished, assignment.c.batch
            ).where(assignment.c.chart == key, assignment.c.person == viewer.person)
        ).first()
        found = ChartOut(
            chart=_chart_in_list(row, made.total(), coders, at),
            notes=list(_notes(connection, viewer, key)),
            whole=whole,
            codes=[
                CodeCount(
                    system=system,
                    code=code,
                    billed=(system, code) in billed,
                    evidence=evidence[system, code],
                    **names.about(system, code),
                )
                for system, code in codes
            ],
        )
    _note_read(database, viewer, Action.READ_CHART, key, None, address)
    return found


def open_note(
    database: Database, viewer: Viewer, key: int, names: CodeNames, address: str = ""
) -> NoteOut:
    """A note with its text and the person's work on it; for reviewers also that of others.

    A reviewer who codes the chart themselves sees the others' work once they have finished it.
    """
    with database.reading() as connection:
        row = find_note(connection, viewer, key)
        others = None
        if viewer.sees_all and not _is_coding(connection, viewer, row.chart):
            theirs = (annotation.c.note == key, annotation.c.person != viewer.person)
            others = read_annotations(connection, *theirs, names=names)
        found = NoteOut(
            id=row.id,
            chart=row.chart,
            note_id=row.note_id,
            category=row.category,
            time=row.time,
            text=row.text,
            sheet=sheets(connection, viewer, [(row.chart, key)], names)[0],
            others=others,
        )
    _note_read(database, viewer, Action.READ_NOTE, row.chart, key, address)
    return found


def search_chart(
    database: Database, viewer: Viewer, key: int, search: Search, address: str = ""
) -> Hits:
    """The places in a chart's notes that have the words, in the order of the notes."""
    pattern = _pattern(search)
    hits: list[Hit] = []
    total = 0
    with database.reading() as connection:
        find_chart(connection, viewer, key)
        rows = connection.execute(
            sa.select(note.c.id, note.c.text)
            .where(note.c.chart == key, note.c.text.is_not(None))
            .order_by(note.c.position)
        ).all()
    for note_key, text in rows:
        for found in pattern.finditer(text):
            begin, end = found.span()
            total += 1
            if len(hits) < search.limit:
                hits.append(
                    Hit(
                        note=note_key,
                        span=(begin, end),
                        before=text[max(0, begin - _AROUND) : begin],
                        text=text[begin:end],
                        after=text[end : end + _AROUND],
                    )
                )
    _note_read(database, viewer, Action.SEARCH, key, None, address)
    return Hits(total=total, hits=hits)


def note_quoted(
    database: Database, viewer: Viewer, chart_key: int, key: int, address: str = ""
) -> None:
    """Write down that somebody reads words of a note, unless they have just read all of it."""
    lately = now() - _LATELY
    query = sa.select(audit.c.id).where(
        audit.c.person == viewer.person,
        audit.c.note == key,
        audit.c.action == Action.READ_NOTE.value,
        audit.c.time > lately,
    )
    with database.reading() as connection:
        is_known = connection.execute(query.limit(1)).first() is not None
    if not is_known:
        _note_read(database, viewer, Action.READ_NOTE, chart_key, key, address)


def _note_read(
    database: Database,
    viewer: Viewer,
    action: Action,
    chart_key: int,
    key: int | None,
    address: str,
) -> None:
    """Write down that somebody read something, before they get it."""
    with database.writing() as connection:
        record_of(
            connection,
            viewer,
            action,
            chart=chart_key,
            note=key,
            address=address,
        )


def _is_coding(connection: sa.Connection, viewer: Viewer, key: int) -> bool:
    """Whether the chart is the viewer's own to code, and not finished: then they code it blind."""
    query = sa.select(assignment.c.id).where(
        assignment.c.chart == key,
        assignment.c.person == viewer.person,
        sa.not_(assignment.c.finished),
    )
    return connection.execute(query).first() is not None


def _pattern(search: Search) -> re.Pattern[str]:
    """The words with any white space between them, as whole words where they begin and end so."""
    words = [re.escape(word) for word in search.words.split()]
    if not words:
        raise RefusedError("Enter the words to search for.")
    pattern = r"\s+".join(words)
    if search.whole_words:
        pattern = rf"(?<!\w){pattern}(?!\w)"
    return re.compile(pattern, 0 if search.match_case else re.IGNORECASE)


def _notes(connection: sa.Connection, viewer: Viewer, key: int) -> Iterator[NoteInList]:
    def count(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> dict[int, int]:
        query = (
            sa.select(table.c.note, sa.func.count())
            .where(table.c.chart == key, table.c.note.is_not(None), *conditions)
            .group_by(table.c.note)
        )
        return {row[0]: row[1] for row in connection.execute(query)}

    mine = count(annotation, annotation.c.person == viewer.person)
    offered = count(given)
    current = {
        row[0]: row[1]
        for row in connection.execute(
            sa.select(sheet.c.note, sheet.c.version).where(
                sheet.c.chart == key, sheet.c.person == viewer.person
            )
        )
    }
    columns = (
        note.c.id,
        note.c.note_id,
        note.c.category,
        note.c.time,
        note.c.characters,
        note.c.text.is_not(None).label("has_text"),
    )
    for row in connection.execute(
        sa.select(*columns).where(note.c.chart == key).order_by(note.c.position)
    ):
        yield NoteInList(
            id=row.id,
            note_id=row.note_id,
            category=row.category,
            time=row.time,
            characters=row.characters,
            has_text=bool(row.has_text),
            annotations=mine.get(row.id, 0),
            given=offered.get(row.id, 0),
            version=current.get(row.id, 0),
        )


def _given_codes(
    connection: sa.Connection, viewer: Viewer, key: int
) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """How often the person gave each code in a chart, and how often with evidence."""
    has_spans = sa.cast(annotation.c.spans, sa.Text) != "[]"
    rows = connection.execute(
        sa.select(
            annotation.c.system,
            annotation.c.code,
            sa.func.count(),
            sa.func.sum(sa.case((has_spans, 1), else_=0)),
        )
        .where(annotation.c.chart == key, annotation.c.person == viewer.person)
        .group_by(annotation.c.system, annotation.c.code)
    ).all()
    made = Counter({(system, code): count for system, code, count, _ in rows})
    return made, Counter({(system, code): int(marked) for system, code, _, marked in rows})


def _counts(connection: sa.Connection, viewer: Viewer, keys: list[int]) -> Counter[int]:
    rows = connection.execute(
        sa.select(annotation.c.chart, sa.func.count())
        .where(annotation.c.person == viewer.person, annotation.c.chart.in_(keys))
        .group_by(annotation.c.chart)
    )
    return Counter({row[0]: row[1] for row in rows})


def _coders(connection: sa.Connection, keys: list[int]) -> dict[int, list[str]]:
    rows = connection.execute(
        sa.select(assignment.c.chart, person.c.name)
        .join(person)
        .where(assignment.c.chart.in_(keys))
        .order_by(person.c.name)
    )
    found: dict[int, list[str]] = {}
    for key, name in rows:
        found.setdefault(key, []).append(name)
    return found


def _chart_in_list(
    row: Row,
    made: int,
    coders: dict[int, list[str]] | None,
    at: Row | None = None,
) -> ChartInList:
    mine = at if at is not None else row if "assigned" in row._fields else None
    return ChartInList(
        id=row.id,
        chart_id=row.chart_id,
        position=row.position,
        notes=row.notes,
        characters=row.characters,
        annotations=made,
        assigned=mine is not None and mine.assigned is not None,
        finished=mine is not None and bool(mine.finished),
        batch=None if mine is None else mine.batch,
        coders=None if coders is None else coders.get(row.id, []),
    )
