"""Project settings."""

from __future__ import annotations

import sqlalchemy as sa
from markdown_it import MarkdownIt

from auscult.server.access import Viewer
from auscult.server.accounts.sessions import Session
from auscult.server.audit import Action, record
from auscult.server.coding.names import CodeNames
from auscult.server.database.engine import Row
from auscult.server.database.tables import annotation, assignment, chart, member, project
from auscult.server.errors import NotFoundError, RefusedError
from auscult.server.preannotate.choice import named_choice, source_of
from auscult.server.server import Asking
from auscult.server.shapes.projects import ProjectChange, ProjectInList, ProjectOut

_MARKDOWN = MarkdownIt("js-default", {"html": False, "linkify": False})


def list_projects(connection: sa.Connection, session: Session) -> list[ProjectInList]:
    """The projects of a person; for admins all there are, those they are no member of by name."""
    mine = sa.and_(member.c.project == project.c.id, member.c.person == session.person)
    query = sa.select(project, member.c.role).outerjoin(member, mine).order_by(project.c.id)
    if not session.is_admin:
        query = query.where(member.c.role.is_not(None))
    charts = _count(connection, chart)
    own = assignment.c.person == session.person
    assigned = _count(connection, assignment, own)
    finished = _count(connection, assignment, own, assignment.c.finished)
    return [
        ProjectInList(
            id=row.id,
            name=row.name,
            about=row.about,
            role=row.role,
            charts=charts.get(row.id, 0),
            assigned=assigned.get(row.id, 0),
            finished=finished.get(row.id, 0),
            is_sample=row.is_sample,
            is_archived=row.is_archived,
        )
        for row in connection.execute(query)
    ]


def open_project(connection: sa.Connection, viewer: Viewer, *, has_default: bool) -> ProjectOut:
    """A project as a member sees it."""
    row = find_project(connection, viewer.project)
    return ProjectOut(
        id=row.id,
        name=row.name,
        about=row.about,
        role=viewer.role,
        systems=row.systems,
        evidence=row.evidence,
        coders_per_chart=row.coders_per_chart,
        guidelines=row.guidelines,
        guidelines_html=_MARKDOWN.render(row.guidelines),
        logs_suggestions=row.logs_suggestions,
        has_vocabulary=has_default or row.vocabulary is not None,
        pre_annotator=None if row.pre_annotator is None else source_of(row.pre_annotator),
        corpus=row.manifest,
        charts=_count(connection, chart, chart.c.project == row.id).get(row.id, 0),
        is_sample=row.is_sample,
        is_archived=row.is_archived,
        seq=row.last_seq,
    )


def change_project(
    connection: sa.Connection, session: Session, key: int, to: ProjectChange
) -> None:
    """Change a project's settings. A code system that is in use cannot be taken away."""
    values = to.model_dump(exclude_none=True, mode="json")
    if to.pre_annotate is not None:
        values["pre_annotator"] = named_choice(values.pop("pre_annotate"))
    if to.systems is not None:
        used = connection.execute(
            sa.select(annotation.c.system).where(annotation.c.project == key).distinct()
        ).scalars()
        lost = sorted(set(used) - set(to.systems))
        if lost:
            raise RefusedError(
                f"Cannot remove {', '.join(lost)}: there are annotations with its codes."
            )
    if values:
        connection.execute(sa.update(project).where(project.c.id == key).values(values))
    record(
        connection,
        Action.SETTINGS,
        person=session.person,
        name=session.name,
        project=key,
        detail=", ".join(sorted(values)),
    )


def find_project(connection: sa.Connection, key: int) -> Row:
    """The row of a project."""
    row = connection.execute(sa.select(project).where(project.c.id == key)).first()
    if row is None:
        raise NotFoundError("Project not found, or you are not a member of it.")
    return row


def names_of(connection: sa.Connection, who: Asking, key: int) -> CodeNames:
    """The names of codes in a project."""
    vocabulary = connection.execute(
        sa.select(project.c.vocabulary).where(project.c.id == key)
    ).scalar()
    return who.names(vocabulary)


def _count(
    connection: sa.Connection, table: sa.Table, *conditions: sa.ColumnElement[bool]
) -> dict[int, int]:
    query = sa.select(table.c.project, sa.func.count()).where(*conditions).group_by(table.c.project)
    return {row[0]: row[1] for row in connection.execute(query)}
