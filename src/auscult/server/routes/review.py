"""Review: the disagreements of annotators, decisions, and agreement before and after."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from auscult.server.access import Role, enter_project
from auscult.server.projects.settings import names_of
from auscult.server.review.agreement import agreement as compute
from auscult.server.review.decide import decide, list_items
from auscult.server.server import Who
from auscult.server.shapes.common import InPath, Key, Limit, Offset, Words, problems
from auscult.server.shapes.review import AgreementOut, DecisionIn, ItemOut, ItemsOut, State

router = APIRouter(prefix="/projects/{project}", tags=["review"], responses=problems(409))


@router.get("/review")
def review(
    project: InPath,
    who: Who,
    state: State | None = None,
    cause: Annotated[Words | None, Query(max_length=40)] = None,
    chart: Key | None = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> ItemsOut:
    """Disagreements on charts that all assigned annotators have finished, each with its cause."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.REVIEWER)
        names = names_of(connection, who, project)
    return list_items(
        who.database,
        viewer,
        names,
        state=state,
        cause=cause,
        chart=chart,
        offset=offset,
        limit=limit,
        address=who.address,
    )


@router.post("/review/decisions", status_code=201)
def decisions(project: InPath, body: DecisionIn, who: Who) -> ItemOut:
    """Decide on a disagreement. A supervisor's decision overrides the others."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.REVIEWER)
        names = names_of(connection, who, project)
    found = decide(who.database, viewer, body, names)
    who.server.bell.ring(project)
    return found


@router.get("/agreement")
def agreement(project: InPath, who: Who) -> AgreementOut:
    """Inter-annotator agreement before and after review."""
    with who.database.reading() as connection:
        enter_project(connection, who.session, project, Role.REVIEWER)
        return compute(connection, project)
