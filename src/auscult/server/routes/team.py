"""Members of a project, assignments, progress."""

from __future__ import annotations

from fastapi import APIRouter

from auscult.server.access import Role, enter_project, may_manage
from auscult.server.audit import Action, record_of
from auscult.server.errors import RefusedError
from auscult.server.event_stream import ASSIGN
from auscult.server.events.append import append_other
from auscult.server.projects.assign import share_out, withdraw, write_assignments
from auscult.server.projects.members import change_member, list_members
from auscult.server.projects.members import progress as how_far
from auscult.server.projects.settings import find_project
from auscult.server.server import Who
from auscult.server.shapes.common import InPath, problems
from auscult.server.shapes.people import MemberIn, MemberOut
from auscult.server.shapes.projects import AssignIn, AssignOut, ProgressOut, Unassign

router = APIRouter(prefix="/projects/{project}", tags=["team"], responses=problems(409))


@router.get("/members")
def members(project: InPath, who: Who) -> list[MemberOut]:
    """The members of the project: for its reviewers and supervisors, and admins."""
    with who.database.reading() as connection:
        if not who.session.is_admin:
            enter_project(connection, who.session, project, Role.REVIEWER)
        find_project(connection, project)
        return list_members(connection, project)


@router.put("/members/{person}")
def put_member(project: InPath, person: InPath, body: MemberIn, who: Who) -> list[MemberOut]:
    """Give somebody a role in the project."""
    with who.database.writing() as connection:
        may_manage(connection, who.session, project)
        change_member(connection, who.session, project, person, body.role)
        return list_members(connection, project)


@router.delete("/members/{person}")
def delete_member(project: InPath, person: InPath, who: Who) -> list[MemberOut]:
    """Remove somebody from the project. Their annotations are kept."""
    with who.database.writing() as connection:
        may_manage(connection, who.session, project)
        change_member(connection, who.session, project, person, None)
        return list_members(connection, project)


@router.post("/assignments", status_code=201)
def assign(project: InPath, body: AssignIn, who: Who) -> AssignOut:
    """Assign a batch of charts, in turn, `coders_per_chart` people a chart."""
    with who.database.writing() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
        row = find_project(connection, project)
        known = {one.person for one in list_members(connection, project)}
        if not known.issuperset(body.people):
            raise RefusedError("Some of these people are not members of the project.")
        payload = body.model_dump(mode="json", exclude={"client_id"})
        _, is_new = append_other(connection, viewer, ASSIGN, body.client_id, payload)
        if not is_new:
            return AssignOut(charts=0, assignments=0, batch=body.batch)
        pairs = share_out(
            connection, project, body.people, row.coders_per_chart, body.size, body.charts
        )
        made = write_assignments(connection, project, pairs, body.batch)
        record_of(
            connection,
            viewer,
            Action.ASSIGN,
            detail=f"{made} assignments, batch {body.batch}",
            address=who.address,
        )
    who.server.bell.ring(project)
    return AssignOut(charts=len({key for key, _ in pairs}), assignments=made, batch=body.batch)


@router.post("/assignments/withdraw", status_code=201)
def unassign(project: InPath, body: Unassign, who: Who) -> AssignOut:
    """Withdraw assignments. Annotations are kept in the database."""
    with who.database.writing() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
        payload = body.model_dump(mode="json", exclude={"client_id"})
        told = {**payload, "people": [body.person]}
        _, is_new = append_other(connection, viewer, ASSIGN, body.client_id, told)
        if not is_new:
            return AssignOut(charts=0, assignments=0, batch="")
        gone = withdraw(connection, project, body.person, body.charts)
        record_of(
            connection,
            viewer,
            Action.ASSIGN,
            detail=f"{gone} assignments withdrawn",
            address=who.address,
        )
    who.server.bell.ring(project)
    return AssignOut(charts=gone, assignments=gone, batch="")


@router.get("/progress")
def progress(project: InPath, who: Who) -> list[ProgressOut]:
    """The progress of each member. Coders see their own only."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        return how_far(connection, viewer)
