"""The code box: code search, suggestions, and their outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import sqlalchemy as sa
from fastapi import APIRouter, Query

from auscult.core import Code
from auscult.core.span import Span
from auscult.server.access import Role, Viewer, enter_project, find_note
from auscult.server.coding.suggestion_log import answer_shown, list_shown, log_shown
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
    """Search the project's code systems by code or by words of the description.

    The typed text comes last as a free code, if it is in no code table.
    """
    with who.database.reading() as connection:
        enter_project(connection, who.session, project)
        row = find_project(connection, project)
    found = who.box(row.systems, row.vocabulary).search(body.words, body.systems, body.limit)
    return CodesOut(shown=None, words=body.words, codes=found)


@router.post("/suggest")
def suggest(project: InPath, body: SuggestQuery, who: Who) -> CodesOut:
    """Suggest codes for selected text, each with a reason.

    The project's first code system leads, and the likeliest code is first. Where the project logs
    suggestions, `shown` identifies this list: report the outcome with `POST …/shown/{shown}`.
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
    """The suggestion log, for studies of automation bias; `after` is the id to continue from."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
        return list_shown(connection, viewer, after, limit)


@router.post("/shown/{shown}", status_code=204)
def chose(project: InPath, shown: InPath, body: Choice, who: Who) -> None:
    """Report the outcome of a suggestion list: the chosen rank or none, and the time taken."""
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
