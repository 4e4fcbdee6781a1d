"""One person's sheets as they stand: annotations, verdicts and versions."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import sqlalchemy as sa

from auscult.corpus.schema import load_meta
from auscult.server.access import Viewer
from auscult.server.coding.names import CodeNames
from auscult.server.database.tables import annotation, given, person, sheet, verdict
from auscult.server.shapes.coding import AnnotationOut, GivenOut, SheetOut

WHOLE = 0
"""How a sheet of the chart as a whole is kept, where a note's would have its id."""
Place = tuple[int, int]
"""Chart, and note or `WHOLE`."""
_AT_ONCE = 400
"""Values in one `IN`, well below what SQLite takes."""


def versions(
    connection: sa.Connection, person_id: int, places: Collection[Place]
) -> dict[Place, int]:
    """The versions of a person's sheets; 0 where nothing was ever done."""
    found = dict.fromkeys(places, 0)
    for some in _parts(sorted({chart for chart, _ in places})):
        rows = connection.execute(
            sa.select(sheet.c.chart, sheet.c.note, sheet.c.version).where(
                sheet.c.person == person_id, sheet.c.chart.in_(some)
            )
        )
        found.update({(c, n): v for c, n, v in rows if (c, n) in found})
    return found


def sheets(
    connection: sa.Connection,
    viewer: Viewer,
    places: Collection[Place],
    names: CodeNames,
) -> list[SheetOut]:
    """A person's sheets, as they stand."""
    current = versions(connection, viewer.person, places)
    said: dict[Place, list[AnnotationOut]] = {place: [] for place in places}
    offered: dict[Place, list[GivenOut]] = {place: [] for place in places}
    for some in _parts(sorted({chart for chart, _ in places})):
        notes = sorted({note for chart, note in places if chart in set(some) and note})
        whole = any(note == WHOLE for _, note in places)
        mine = (
            annotation.c.chart.in_(some),
            annotation.c.person == viewer.person,
            _on(annotation, notes, whole),
        )
        for one in read_annotations(connection, *mine, names=names):
            if (place := (one.chart, one.note or WHOLE)) in said:
                said[place].append(one)
        for two in _given(connection, viewer, some, notes, whole, names):
            if (place := (two.chart, two.note or WHOLE)) in offered:
                offered[place].append(two)
    return [
        SheetOut(
            chart=place[0],
            note=place[1] or None,
            version=current[place],
            annotations=said[place],
            given=offered[place],
        )
        for place in sorted(places)
    ]


def read_annotations(
    connection: sa.Connection,
    *conditions: sa.ColumnElement[bool],
    names: CodeNames,
) -> list[AnnotationOut]:
    """Annotations that fit, by where they begin."""
    query = sa.select(annotation, person.c.name.label("annotator")).join(person).where(*conditions)
    found = [
        AnnotationOut(
            id=row["id"],
            person=row["person"],
            annotator=row["annotator"],
            chart=row["chart"],
            note=row["note"],
            spans=row["spans"],
            system=row["system"],
            code=row["code"],
            comment=row["comment"],
            origin=row["origin"],
            version=row["version"],
            seq=row["seq"],
            **names.about(row["system"], row["code"]),
        )
        for row in connection.execute(query).mappings()
    ]
    return sorted(found, key=lambda one: (one.note or 0, one.spans, one.system, one.code, one.id))


def _given(
    connection: sa.Connection,
    viewer: Viewer,
    charts: Collection[int],
    notes: Collection[int],
    whole: bool,
    names: CodeNames,
) -> Iterable[GivenOut]:
    query = (
        sa.select(given, verdict.c.verdict)
        .outerjoin(
            verdict, sa.and_(verdict.c.given == given.c.id, verdict.c.person == viewer.person)
        )
        .where(given.c.chart.in_(charts), _on(given, notes, whole))
        .order_by(given.c.id)
    )
    for row in connection.execute(query).mappings():
        yield GivenOut(
            id=row["id"],
            source=row["source"],
            chart=row["chart"],
            note=row["note"],
            spans=row["spans"],
            system=row["system"],
            code=row["code"],
            score=row["score"],
            why=load_meta(row["meta"]).get("why"),
            verdict=row["verdict"],
            **names.about(row["system"], row["code"]),
        )


def _on(table: sa.Table, notes: Collection[int], whole: bool) -> sa.ColumnElement[bool]:
    """What is said of some notes, or also of charts as a whole."""
    on = table.c.note.in_(notes)
    return sa.or_(on, table.c.note.is_(None)) if whole else on


def _parts(keys: list[int]) -> Iterable[list[int]]:
    return (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE))
