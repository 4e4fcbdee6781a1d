"""Charts and notes: reading, searching."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from auscult.server.access import enter_project
from auscult.server.projects.charts import list_charts, open_chart, open_note, search_chart
from auscult.server.projects.settings import names_of
from auscult.server.server import Who
from auscult.server.shapes.coding import ChartList, ChartOut, NoteOut
from auscult.server.shapes.common import InPath, Limit, Offset, Words, problems
from auscult.server.shapes.search import Hits, Search

router = APIRouter(prefix="/projects/{project}", tags=["charts"], responses=problems())


@router.get("/charts")
def charts(
    project: InPath,
    who: Who,
    state: Literal["assigned", "open", "finished"] | None = None,
    batch: Annotated[Words | None, Query(max_length=100)] = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> ChartList:
    """The charts you may see, in order. Coders see those assigned to them."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        return list_charts(connection, viewer, state=state, batch=batch, offset=offset, limit=limit)


@router.get("/charts/{chart}")
def chart(project: InPath, chart: InPath, who: Who) -> ChartOut:
    """A chart: its notes without text, its billed codes, and the evidence you gave for each."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        names = names_of(connection, who, project)
    return open_chart(who.database, viewer, chart, names, who.address)


@router.post("/charts/{chart}/search")
def search(project: InPath, chart: InPath, body: Search, who: Who) -> Hits:
    """Search all notes of a chart.

    Each hit has its span, ready to be annotated.
    """
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
    return search_chart(who.database, viewer, chart, body, who.address)


@router.get("/notes/{note}")
def note(project: InPath, note: InPath, who: Who) -> NoteOut:
    """A note with its text, your work on it and its pre-annotations.

    Reviewers and supervisors also get other people's annotations. Every read is in the audit log.
    """
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        names = names_of(connection, who, project)
    return open_note(who.database, viewer, note, names, who.address)
