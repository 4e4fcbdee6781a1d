"""De-identification: findings and decisions about them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse

from auscult.deid.phi_span import PhiKind
from auscult.server.access import Role, enter_project
from auscult.server.audit import Action, record_of
from auscult.server.deid.decide import add_finding, decide_finding, list_findings
from auscult.server.deid.find import look
from auscult.server.deid.sheet import write_sheet
from auscult.server.server import Who
from auscult.server.shapes.common import InPath, Limit, Offset, problems
from auscult.server.shapes.deid import (
    FindingDecisionIn,
    FindingIn,
    FindingOut,
    FindingsOut,
    FindingState,
    Looked,
    LookIn,
)
from auscult.server.temporary_files import made_file

router = APIRouter(prefix="/projects/{project}/deid", tags=["deid"], responses=problems(409))


@router.get("")
def findings(
    project: InPath,
    who: Who,
    state: FindingState | None = None,
    kind: PhiKind | None = None,
    doubtful: Annotated[
        bool, Query(description="Only uncertain findings and those added by people.")
    ] = True,
    offset: Offset = 0,
    limit: Limit = 100,
) -> FindingsOut:
    """Possible identifiers with their context, in the order of the notes."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.REVIEWER)
    return list_findings(
        who.database,
        viewer,
        state=state,
        kind=kind,
        doubtful=doubtful,
        offset=offset,
        limit=limit,
        address=who.address,
    )


@router.post("/look", status_code=201)
def look_through(project: InPath, body: LookIn, who: Who) -> Looked:
    """Find identifiers in all notes of the project. Earlier findings and decisions are kept."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
    return look(who.database, viewer, day_first=body.day_first, address=who.address)


@router.post("/decisions", status_code=201)
def finding_decisions(project: InPath, body: FindingDecisionIn, who: Who) -> FindingOut:
    """Decide on a finding. The last decision counts; earlier ones are kept."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.REVIEWER)
    return decide_finding(who.database, viewer, body, who.address)


@router.post("/findings", status_code=201)
def new_finding(project: InPath, body: FindingIn, who: Who) -> FindingOut:
    """Add an identifier that no recognizer found."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.REVIEWER)
    return add_finding(who.database, viewer, body, who.address)


@router.get(
    "/queue",
    response_class=FileResponse,
    responses={200: {"content": {"text/csv": {}}, "description": "The file. It quotes notes."}},
)
def queue(project: InPath, who: Who) -> FileResponse:
    """The decisions as a CSV file for `auscult deid apply --decisions`. **It quotes the notes.**"""
    with who.database.writing() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
        detail = "decisions on what identifies people"
        record_of(connection, viewer, Action.EXPORT, detail=detail, address=who.address)

    def write(folder: Path) -> Path:
        file = folder / "deid-queue.csv"
        with who.database.reading() as connection:
            write_sheet(connection, project, file)
        return file

    return made_file(write, "text/csv; charset=utf-8")
