"""The code box: codes as they are typed, suggestions, and what came of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import sqlalchemy as sa
from fastapi import APIRouter, Query

from auscult.core import Code
from auscult.core.span import Span
from auscult.server.access import Role, Viewer, enter_project, find_note
from auscult.server.coding.shown import answer_shown, list_shown, log_shown
from auscult.server.database.tables import given
from auscult.server.errors import RefusedError
from auscult.server.projects.charts import note_quoted
from auscult.server.projects.settings import find_project
from auscult.server.server import Who
from auscult.server.shapes.common import InPath, Offset, problems
from auscult.server.shapes.search import Choice, CodeQuery, CodesOut, ShownOut, SuggestQuery

router = APIRouter(prefix="/projects/{project}", tags=["codes"], responses=problems())


@router.post("/codes")
def codes(project: InPath, body: CodeQuery, who: Who) -> CodesOut:
    """Codes of the project's systems as they are typed: by code, or by words of the name.

    What was typed comes last as a free code, when it is in no table.
    """
    with who.database.reading() as connection:
        enter_project(connection, who.session, project)
        row = find_project(connection, project)
    found = who.box(row.systems, row.vocabulary).search(body.words, body.systems, body.limit)
    return CodesOut(shown=None, words=body.words, codes=found)


@router.post("/suggest")
def suggest(project: InPath, body: SuggestQuery, who: Who) -> CodesOut:
    """Codes for words that were marked, each with the reason it is there.

    Those called exactly so come first, then the nearest. Where the project logs suggestions,
    `shown` names this list: tell what came of it with `POST …/shown/{shown}`.
    """
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        row = find_project(connection, project)
        marked = _marked(connection, viewer, body)
    if body.note is not None and marked.chart is not None:
        note_quoted(who.database, viewer, marked.chart, body.note, who.address)
    box = who.box(row.systems, row.vocabulary)
    found = box.suggest(marked.words, marked.text, body.limit, marked.billed)
    shown = None
    if row.logs_suggestions:
        shown = log_shown(who.database, viewer, body, found)
    return CodesOut(shown=shown, words=marked.words, codes=found)


@router.get("/shown")
def log(
    project: InPath,
    who: Who,
    after: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=5000)] = 1000,
) -> list[ShownOut]:
    """The log of suggestions, for the study of bias; `after` is the id to go on from."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
        return list_shown(connection, viewer, after, limit)


@router.post("/shown/{shown}", status_code=204)
def chose(project: InPath, shown: InPath, body: Choice, who: Who) -> None:
    """Say what came of a list of suggestions: the rank that was chosen, or none, and how long."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
    answer_shown(who.database, viewer, shown, body)


@dataclass(frozen=True, slots=True)
class _Marked:
    """Words that were marked, the note they are in, and its chart with the billed codes."""

    words: str = field(repr=False)
    chart: int | None = None
    text: str | None = field(default=None, repr=False)
    billed: frozenset[Code] = frozenset()


def _marked(connection: sa.Connection, viewer: Viewer, body: SuggestQuery) -> _Marked:
    if body.note is None:
        return _Marked(body.words or "")
    row = find_note(connection, viewer, body.note)
    text = row.text or ""
    billed = connection.execute(
        sa.select(given.c.system, given.c.code).where(
            given.c.chart == row.chart, given.c.note.is_(None)
        )
    )
    codes = frozenset(Code(system, value) for system, value in billed)
    if body.words is not None:
        return _Marked(body.words, row.chart, text, codes)
    for begin, end in body.spans:
        if not begin <= end <= len(text):
            raise RefusedError(
                f"The span {begin}–{end} is not within the note's {len(text)} characters."
            )
    words = " ".join(Span(*edges).of(text) for edges in body.spans)
    return _Marked(words, row.chart, text, codes)
