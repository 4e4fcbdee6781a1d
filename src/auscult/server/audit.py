"""The audit log: who read, changed or took out what, and when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from auscult.server.access import Viewer
from auscult.server.accounts.secrets import now
from auscult.server.database.tables import audit, chart, note
from auscult.server.database.tables import person as people


class Action(StrEnum):
    """What is written down. Changes to annotations are events, and are not repeated here."""

    LOGIN = "login"
    LOGIN_FAILED = "login failed"
    LOGOUT = "logout"
    PASSWORD = "password changed"
    INVITE = "invitation made"
    JOIN = "invitation taken"
    ACCOUNT = "account changed"
    MEMBER = "membership changed"
    ASSIGN = "charts assigned"
    PROJECT = "project made"
    SETTINGS = "project changed"
    IMPORT = "pre-annotations imported"
    READ_CHART = "chart read"
    READ_NOTE = "note read"
    SEARCH = "chart searched"
    REVIEW = "disagreements read"
    DEID = "de-identification reviewed"
    RELEASE = "challenge release taken"
    SUBMIT = "submission sent"
    PUBLISH = "challenge ranking published"
    REGISTER = "team registered for a challenge"
    DESCRIBE = "system described"
    CALENDAR = "challenge dates changed"
    EXPORT = "project exported"
    AUDIT = "audit log read"


def record(
    connection: sa.Connection,
    action: Action,
    *,
    person: int | None,
    name: str | None = None,
    project: int | None = None,
    chart: int | None = None,
    note: int | None = None,
    detail: str = "",
    address: str = "",
) -> None:
    """Append a row, in the transaction of what it tells of."""
    if name is None:
        query = sa.select(people.c.name).where(people.c.id == person)
        name = connection.execute(query).scalar() or ""
    connection.execute(
        sa.insert(audit).values(
            time=now(),
            person=person,
            name=name,
            action=action.value,
            project=project,
            chart=chart,
            note=note,
            detail=detail[:300],
            address=address[:100],
        )
    )


def record_of(
    connection: sa.Connection,
    viewer: Viewer,
    action: Action,
    *,
    chart: int | None = None,
    note: int | None = None,
    detail: str = "",
    address: str = "",
) -> None:
    """Append a row about what a member did in their project."""
    record(
        connection,
        action,
        person=viewer.person,
        name=viewer.name,
        project=viewer.project,
        chart=chart,
        note=note,
        detail=detail,
        address=address,
    )


def read_audit(
    connection: sa.Connection,
    *,
    project: int | None = None,
    person: int | None = None,
    chart_id: str | None = None,
    since: datetime | None = None,
    before: int | None = None,
    limit: int = 200,
) -> Iterator[dict[str, Any]]:
    """Rows of the log, the latest first; charts and notes under the ids of their corpus."""
    query = (
        sa.select(audit, chart.c.chart_id, note.c.note_id)
        .outerjoin(chart, chart.c.id == audit.c.chart)
        .outerjoin(note, note.c.id == audit.c.note)
        .order_by(audit.c.id.desc())
        .limit(limit)
    )
    if project is not None:
        query = query.where(audit.c.project == project)
    if person is not None:
        query = query.where(audit.c.person == person)
    if chart_id is not None:
        query = query.where(chart.c.chart_id == chart_id)
    if since is not None:
        query = query.where(audit.c.time >= since)
    if before is not None:
        query = query.where(audit.c.id < before)
    for row in connection.execute(query).mappings():
        yield {
            "id": row["id"],
            "time": row["time"].isoformat(),
            "person": row["name"],
            "action": row["action"],
            "project": row["project"],
            "chart_id": row["chart_id"],
            "note_id": row["note_id"],
            "detail": row["detail"],
            "address": row["address"],
        }
