"""The audit log."""

from __future__ import annotations

from auscult.server.shapes.common import Out


class AuditRow(Out):
    """A row of the log."""

    id: int
    time: str
    person: str
    action: str
    project: int | None
    chart_id: str | None
    note_id: str | None
    detail: str
    address: str


class AuditOut(Out):
    """The latest first."""

    rows: list[AuditRow]
