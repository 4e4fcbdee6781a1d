"""The tables. `event` and its `change` rows are only ever appended; `audit`, `decision`, `finding`
and `finding_decision` too. Triggers, which the migrations make, refuse anything else.

`annotation`, `sheet`, `verdict`, `history` and `assignment.finished` say what the events come to.
They are kept in the same transaction as the event, so that reading is quick, and can be made again
from the events at any time.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = sa.MetaData(naming_convention=NAMES)


class UtcTime(sa.types.TypeDecorator[datetime]):
    """A moment, in UTC, with its zone whatever the database makes of zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """On the way in."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:
        """On the way out: SQLite forgets the zone."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _key() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _time(name: str = "time", *, optional: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, UtcTime, nullable=optional)


def _of(table: str, name: str | None = None, *, optional: bool = False) -> sa.Column[int]:
    return sa.Column(
        name or table, sa.Integer, sa.ForeignKey(f"{table}.id"), nullable=optional, index=True
    )


workbench = sa.Table(
    "workbench",
    metadata,
    # One row: what tells this workbench from others that were served at the same address.
    sa.Column("id", sa.String(40), primary_key=True),
)

person = sa.Table(
    "person",
    metadata,
    _key(),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("name_key", sa.String(200), nullable=False, unique=True),
    sa.Column("is_admin", sa.Boolean, nullable=False, default=False),
    sa.Column("is_active", sa.Boolean, nullable=False, default=True),
    # None: the one person of a workbench without accounts, or somebody yet to take an invitation.
    sa.Column("password", sa.String(300), nullable=True),
    _time("created"),
)

session = sa.Table(
    "session",
    metadata,
    # A digest: who reads the database cannot take over a session.
    sa.Column("digest", sa.String(64), primary_key=True),
    _of("person"),
    sa.Column("csrf", sa.String(64), nullable=False),
    _time("created"),
    _time("used"),
    _time("expires"),
)

invitation = sa.Table(
    "invitation",
    metadata,
    _key(),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),
    sa.Column("name", sa.String(100), nullable=True),
    sa.Column("is_admin", sa.Boolean, nullable=False),
    _of("project", optional=True),
    sa.Column("role", sa.String(20), nullable=True),
    _of("person", "invited_by", optional=True),
    _of("person", "taken_by", optional=True),
    _time("created"),
    _time("expires"),
    _time("taken", optional=True),
)

login_failure = sa.Table(
    "login_failure",
    metadata,
    _key(),
    sa.Column("key", sa.String(300), nullable=False, index=True),
    _time(),
)

project = sa.Table(
    "project",
    metadata,
    _key(),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("about", sa.Text, nullable=False, default=""),
    sa.Column("systems", sa.JSON, nullable=False),
    sa.Column("evidence", sa.String(20), nullable=False),
    sa.Column("coders_per_chart", sa.Integer, nullable=False),
    sa.Column("guidelines", sa.Text, nullable=False, default=""),
    sa.Column("logs_suggestions", sa.Boolean, nullable=False, default=False),
    sa.Column("vocabulary", sa.Text, nullable=True),
    # The model that pre-annotates the notes: a ready-made one or the folder of one; None: none.
    sa.Column("pre_annotator", sa.Text, nullable=True),
    sa.Column("manifest", sa.JSON, nullable=False),
    sa.Column("is_sample", sa.Boolean, nullable=False, default=False),
    sa.Column("is_archived", sa.Boolean, nullable=False, default=False),
    # The number of the last event. Whoever appends one locks the row, so that there are no gaps
    # and nobody sees a later event before an earlier one.
    sa.Column("last_seq", sa.Integer, nullable=False, default=0),
    _time("created"),
)

member = sa.Table(
    "member",
    metadata,
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), primary_key=True),
    sa.Column("person", sa.Integer, sa.ForeignKey("person.id"), primary_key=True, index=True),
    sa.Column("role", sa.String(20), nullable=False),
    _time("since"),
)

chart = sa.Table(
    "chart",
    metadata,
    _key(),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False),
    sa.Column("chart_id", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("notes", sa.Integer, nullable=False),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.UniqueConstraint("project", "chart_id"),
    sa.Index(None, "project", "position"),
)

note = sa.Table(
    "note",
    metadata,
    _key(),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False),
    _of("chart"),
    sa.Column("note_id", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("subject_id", sa.Text, nullable=True),
    sa.Column("category", sa.Text, nullable=True),
    sa.Column("time", sa.Text, nullable=True),
    sa.Column("split", sa.Text, nullable=True),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=True),
    sa.Column("meta", sa.Text, nullable=True),
    sa.UniqueConstraint("project", "note_id"),
)

given = sa.Table(
    "given",
    metadata,
    _key(),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False, index=True),
    sa.Column("source", sa.String(200), nullable=False),
    _of("chart"),
    _of("note", optional=True),
    sa.Column("system", sa.String(100), nullable=False),
    sa.Column("code", sa.String(200), nullable=False),
    sa.Column("spans", sa.JSON, nullable=False),
    sa.Column("score", sa.Float, nullable=True),
    sa.Column("meta", sa.Text, nullable=True),
)

pre_annotated = sa.Table(
    "pre_annotated",
    metadata,
    # Notes that a model is done with, so that none is pre-annotated twice.
    sa.Column("note", sa.Integer, sa.ForeignKey("note.id"), primary_key=True),
    sa.Column("source", sa.String(200), primary_key=True),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False, index=True),
    sa.Column("outcome", sa.String(20), nullable=False),
    sa.Column("annotations", sa.Integer, nullable=False),
)

assignment = sa.Table(
    "assignment",
    metadata,
    _key(),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False),
    _of("chart"),
    _of("person"),
    sa.Column("batch", sa.String(100), nullable=False),
    sa.Column("finished", sa.Boolean, nullable=False, default=False),
    _time(),
    sa.UniqueConstraint("chart", "person"),
    sa.Index(None, "project", "person"),
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    _of("person"),
    sa.Column("client_id", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    # The event that an undo or a redo is about.
    sa.Column("of", sa.Integer, nullable=True),
    sa.Column("payload", sa.JSON, nullable=False),
    # What a retry under the same id must be the same as.
    sa.Column("digest", sa.String(64), nullable=False),
    _time(),
    sa.UniqueConstraint("person", "client_id"),
)

change = sa.Table(
    "change",
    metadata,
    sa.Column("project", sa.Integer, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("what", sa.String(20), nullable=False),
    sa.Column("key", sa.String(64), nullable=False),
    sa.Column("chart", sa.Integer, sa.ForeignKey("chart.id"), nullable=False),
    sa.Column("note", sa.Integer, sa.ForeignKey("note.id"), nullable=True),
    # The versions of the sheet that the change was made on, and that it made.
    sa.Column("base", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("before", sa.JSON(none_as_null=True), nullable=True),
    sa.Column("after", sa.JSON(none_as_null=True), nullable=True),
    sa.ForeignKeyConstraint(["project", "seq"], ["event.project", "event.seq"]),
)

annotation = sa.Table(
    "annotation",
    metadata,
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), primary_key=True),
    sa.Column("id", sa.String(64), primary_key=True),
    _of("person"),
    _of("chart"),
    _of("note", optional=True),
    sa.Column("system", sa.String(100), nullable=False),
    sa.Column("code", sa.String(200), nullable=False),
    sa.Column("spans", sa.JSON, nullable=False),
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("origin", sa.JSON, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Index(None, "project", "person"),
)

sheet = sa.Table(
    "sheet",
    metadata,
    sa.Column("person", sa.Integer, sa.ForeignKey("person.id"), primary_key=True),
    sa.Column("chart", sa.Integer, sa.ForeignKey("chart.id"), primary_key=True),
    # 0 stands for the chart as a whole: a key may not be null.
    sa.Column("note", sa.Integer, primary_key=True),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
)

verdict = sa.Table(
    "verdict",
    metadata,
    sa.Column("person", sa.Integer, sa.ForeignKey("person.id"), primary_key=True),
    sa.Column("given", sa.Integer, sa.ForeignKey("given.id"), primary_key=True),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False),
    sa.Column("verdict", sa.String(20), nullable=False),
)

history = sa.Table(
    "history",
    metadata,
    sa.Column("project", sa.Integer, primary_key=True),
    sa.Column("person", sa.Integer, sa.ForeignKey("person.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("state", sa.String(10), nullable=False),
    sa.ForeignKeyConstraint(["project", "seq"], ["event.project", "event.seq"]),
)

shown = sa.Table(
    "shown",
    metadata,
    _key(),
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), nullable=False, index=True),
    _of("person"),
    _of("note", optional=True),
    sa.Column("spans", sa.JSON, nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("listed", sa.JSON, nullable=False),
    _time(),
    sa.Column("chosen", sa.Integer, nullable=True),
    sa.Column("elapsed_ms", sa.Integer, nullable=True),
    _time("answered", optional=True),
)

decision = sa.Table(
    "decision",
    metadata,
    sa.Column("project", sa.Integer, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    _of("person"),
    _of("chart"),
    sa.Column("item", sa.String(40), nullable=False),
    sa.Column("choice", sa.String(100), nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("is_supervisor", sa.Boolean, nullable=False),
    sa.Column("edit", sa.JSON, nullable=False),
    _time(),
    sa.ForeignKeyConstraint(["project", "seq"], ["event.project", "event.seq"]),
)

finding = sa.Table(
    "finding",
    metadata,
    sa.Column("project", sa.Integer, sa.ForeignKey("project.id"), primary_key=True),
    sa.Column("item", sa.String(40), primary_key=True),
    _of("note"),
    sa.Column("begins", sa.Integer, nullable=False),
    sa.Column("ends", sa.Integer, nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("doubt", sa.Text, nullable=False),
    sa.Column("hides", sa.Boolean, nullable=False),
    # Who found it, where no recognizer did.
    _of("person", optional=True),
)

finding_decision = sa.Table(
    "finding_decision",
    metadata,
    _key(),
    sa.Column("project", sa.Integer, nullable=False),
    sa.Column("item", sa.String(40), nullable=False),
    _of("person"),
    sa.Column("client_id", sa.String(64), nullable=False),
    sa.Column("choice", sa.String(20), nullable=False),
    sa.Column("replacement", sa.Text, nullable=True),
    sa.Column("why", sa.Text, nullable=False),
    _time(),
    sa.ForeignKeyConstraint(["project", "item"], ["finding.project", "finding.item"]),
    sa.UniqueConstraint("project", "client_id"),
    sa.Index(None, "project", "item"),
    sqlite_autoincrement=True,
)

audit = sa.Table(
    "audit",
    metadata,
    _key(),
    _time(),
    _of("person", optional=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("action", sa.String(40), nullable=False),
    sa.Column("project", sa.Integer, nullable=True, index=True),
    sa.Column("chart", sa.Integer, nullable=True),
    sa.Column("note", sa.Integer, nullable=True),
    sa.Column("detail", sa.String(300), nullable=False, default=""),
    sa.Column("address", sa.String(100), nullable=False, default=""),
    sa.Index(None, "person", "note"),
    sqlite_autoincrement=True,
)
