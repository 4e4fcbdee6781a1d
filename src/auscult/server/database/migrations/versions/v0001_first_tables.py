"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "login_failure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_failure")),
    )
    op.create_index(op.f("ix_login_failure_key"), "login_failure", ["key"], unique=False)
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("password", sa.String(length=300), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("name_key", name=op.f("uq_person_name_key")),
    )
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("systems", sa.JSON(), nullable=False),
        sa.Column("evidence", sa.String(length=20), nullable=False),
        sa.Column("coders_per_chart", sa.Integer(), nullable=False),
        sa.Column("guidelines", sa.Text(), nullable=False),
        sa.Column("logs_suggestions", sa.Boolean(), nullable=False),
        sa.Column("vocabulary", sa.Text(), nullable=True),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("is_sample", sa.Boolean(), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("project", sa.Integer(), nullable=True),
        sa.Column("chart", sa.Integer(), nullable=True),
        sa.Column("note", sa.Integer(), nullable=True),
        sa.Column("detail", sa.String(length=300), nullable=False),
        sa.Column("address", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_audit_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_person"), "audit", ["person"], unique=False)
    op.create_index(op.f("ix_audit_project"), "audit", ["project"], unique=False)
    op.create_table(
        "chart",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("chart_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("notes", sa.Integer(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_chart_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chart")),
        sa.UniqueConstraint("project", "chart_id", name=op.f("uq_chart_project_chart_id")),
    )
    op.create_index(
        op.f("ix_chart_project_position"), "chart", ["project", "position"], unique=False
    )
    op.create_table(
        "event",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("of", sa.Integer(), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_event_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_event_project")),
        sa.PrimaryKeyConstraint("project", "seq", name=op.f("pk_event")),
        sa.UniqueConstraint("person", "client_id", name=op.f("uq_event_person_client_id")),
    )
    op.create_index(op.f("ix_event_person"), "event", ["person"], unique=False)
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=True),
        sa.Column("role", sa.String(length=20), nullable=True),
        sa.Column("invited_by", sa.Integer(), nullable=True),
        sa.Column("taken_by", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["invited_by"], ["person.id"], name=op.f("fk_invitation_invited_by")
        ),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_invitation_project")),
        sa.ForeignKeyConstraint(["taken_by"], ["person.id"], name=op.f("fk_invitation_taken_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitation_digest")),
    )
    op.create_index(op.f("ix_invitation_invited_by"), "invitation", ["invited_by"], unique=False)
    op.create_index(op.f("ix_invitation_project"), "invitation", ["project"], unique=False)
    op.create_index(op.f("ix_invitation_taken_by"), "invitation", ["taken_by"], unique=False)
    op.create_table(
        "member",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_member_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_member_project")),
        sa.PrimaryKeyConstraint("project", "person", name=op.f("pk_member")),
    )
    op.create_index(op.f("ix_member_person"), "member", ["person"], unique=False)
    op.create_table(
        "session",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_session_person")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_session")),
    )
    op.create_index(op.f("ix_session_person"), "session", ["person"], unique=False)
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("chart", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("batch", sa.String(length=100), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["chart"], ["chart.id"], name=op.f("fk_assignment_chart")),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_assignment_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_assignment_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("chart", "person", name=op.f("uq_assignment_chart_person")),
    )
    op.create_index(op.f("ix_assignment_chart"), "assignment", ["chart"], unique=False)
    op.create_index(op.f("ix_assignment_person"), "assignment", ["person"], unique=False)
    op.create_index(
        op.f("ix_assignment_project_person"), "assignment", ["project", "person"], unique=False
    )
    op.create_table(
        "decision",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("chart", sa.Integer(), nullable=False),
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("choice", sa.String(length=100), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("is_supervisor", sa.Boolean(), nullable=False),
        sa.Column("edit", sa.JSON(), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["chart"], ["chart.id"], name=op.f("fk_decision_chart")),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_decision_person")),
        sa.ForeignKeyConstraint(
            ["project", "seq"], ["event.project", "event.seq"], name=op.f("fk_decision_project")
        ),
        sa.PrimaryKeyConstraint("project", "seq", name=op.f("pk_decision")),
    )
    op.create_index(op.f("ix_decision_chart"), "decision", ["chart"], unique=False)
    op.create_index(op.f("ix_decision_person"), "decision", ["person"], unique=False)
    op.create_table(
        "history",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_history_person")),
        sa.ForeignKeyConstraint(
            ["project", "seq"], ["event.project", "event.seq"], name=op.f("fk_history_project")
        ),
        sa.PrimaryKeyConstraint("project", "person", "seq", name=op.f("pk_history")),
    )
    op.create_table(
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("chart", sa.Integer(), nullable=False),
        sa.Column("note_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("time", sa.Text(), nullable=True),
        sa.Column("split", sa.Text(), nullable=True),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("meta", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["chart"], ["chart.id"], name=op.f("fk_note_chart")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_note_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note")),
        sa.UniqueConstraint("project", "note_id", name=op.f("uq_note_project_note_id")),
    )
    op.create_index(op.f("ix_note_chart"), "note", ["chart"], unique=False)
    op.create_table(
        "sheet",
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("chart", sa.Integer(), nullable=False),
        sa.Column("note", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["chart"], ["chart.id"], name=op.f("fk_sheet_chart")),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_sheet_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_sheet_project")),
        sa.PrimaryKeyConstraint("person", "chart", "note", name=op.f("pk_sheet")),
    )
    op.create_table(
        "annotation",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("chart", sa.Integer(), nullable=False),
        sa.Column("note", sa.Integer(), nullable=True),
        sa.Column("system", sa.String(length=100), nullable=False),
        sa.Column("code", sa.String(length=200), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("origin", sa.JSON(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["chart"], ["chart.id"], name=op.f("fk_annotation_chart")),
        sa.ForeignKeyConstraint(["note"], ["note.id"], name=op.f("fk_annotation_note")),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_annotation_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_annotation_project")),
        sa.PrimaryKeyConstraint("project", "id", name=op.f("pk_annotation")),
    )
    op.create_index(op.f("ix_annotation_chart"), "annotation", ["chart"], unique=False)
    op.create_index(op.f("ix_annotation_note"), "annotation", ["note"], unique=False)
    op.create_index(op.f("ix_annotation_person"), "annotation", ["person"], unique=False)
    op.create_index(
        op.f("ix_annotation_project_person"), "annotation", ["project", "person"], unique=False
    )
    op.create_table(
        "change",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(length=20), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("chart", sa.Integer(), nullable=False),
        sa.Column("note", sa.Integer(), nullable=True),
        sa.Column("base", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("before", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("after", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["chart"], ["chart.id"], name=op.f("fk_change_chart")),
        sa.ForeignKeyConstraint(["note"], ["note.id"], name=op.f("fk_change_note")),
        sa.ForeignKeyConstraint(
            ["project", "seq"], ["event.project", "event.seq"], name=op.f("fk_change_project")
        ),
        sa.PrimaryKeyConstraint("project", "seq", "position", name=op.f("pk_change")),
    )
    op.create_table(
        "given",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=200), nullable=False),
        sa.Column("chart", sa.Integer(), nullable=False),
        sa.Column("note", sa.Integer(), nullable=True),
        sa.Column("system", sa.String(length=100), nullable=False),
        sa.Column("code", sa.String(length=200), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("meta", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["chart"], ["chart.id"], name=op.f("fk_given_chart")),
        sa.ForeignKeyConstraint(["note"], ["note.id"], name=op.f("fk_given_note")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_given_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_given")),
    )
    op.create_index(op.f("ix_given_chart"), "given", ["chart"], unique=False)
    op.create_index(op.f("ix_given_note"), "given", ["note"], unique=False)
    op.create_index(op.f("ix_given_project"), "given", ["project"], unique=False)
    op.create_table(
        "shown",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("note", sa.Integer(), nullable=True),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("listed", sa.JSON(), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.Column("chosen", sa.Integer(), nullable=True),
        sa.Column("elapsed_ms", sa.Integer(), nullable=True),
        sa.Column("answered", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["note"], ["note.id"], name=op.f("fk_shown_note")),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_shown_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_shown_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shown")),
    )
    op.create_index(op.f("ix_shown_note"), "shown", ["note"], unique=False)
    op.create_index(op.f("ix_shown_person"), "shown", ["person"], unique=False)
    op.create_index(op.f("ix_shown_project"), "shown", ["project"], unique=False)
    op.create_table(
        "verdict",
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("given", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(["given"], ["given.id"], name=op.f("fk_verdict_given")),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_verdict_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_verdict_project")),
        sa.PrimaryKeyConstraint("person", "given", name=op.f("pk_verdict")),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("verdict")
    op.drop_index(op.f("ix_shown_project"), table_name="shown")
    op.drop_index(op.f("ix_shown_person"), table_name="shown")
    op.drop_index(op.f("ix_shown_note"), table_name="shown")
    op.drop_table("shown")
    op.drop_index(op.f("ix_given_project"), table_name="given")
    op.drop_index(op.f("ix_given_note"), table_name="given")
    op.drop_index(op.f("ix_given_chart"), table_name="given")
    op.drop_table("given")
    op.drop_table("change")
    op.drop_index(op.f("ix_annotation_project_person"), table_name="annotation")
    op.drop_index(op.f("ix_annotation_person"), table_name="annotation")
    op.drop_index(op.f("ix_annotation_note"), table_name="annotation")
    op.drop_index(op.f("ix_annotation_chart"), table_name="annotation")
    op.drop_table("annotation")
    op.drop_table("sheet")
    op.drop_index(op.f("ix_note_chart"), table_name="note")
    op.drop_table("note")
    op.drop_table("history")
    op.drop_index(op.f("ix_decision_person"), table_name="decision")
    op.drop_index(op.f("ix_decision_chart"), table_name="decision")
    op.drop_table("decision")
    op.drop_index(op.f("ix_assignment_project_person"), table_name="assignment")
    op.drop_index(op.f("ix_assignment_person"), table_name="assignment")
    op.drop_index(op.f("ix_assignment_chart"), table_name="assignment")
    op.drop_table("assignment")
    op.drop_index(op.f("ix_session_person"), table_name="session")
    op.drop_table("session")
    op.drop_index(op.f("ix_member_person"), table_name="member")
    op.drop_table("member")
    op.drop_index(op.f("ix_invitation_taken_by"), table_name="invitation")
    op.drop_index(op.f("ix_invitation_project"), table_name="invitation")
    op.drop_index(op.f("ix_invitation_invited_by"), table_name="invitation")
    op.drop_table("invitation")
    op.drop_index(op.f("ix_event_person"), table_name="event")
    op.drop_table("event")
    op.drop_index(op.f("ix_chart_project_position"), table_name="chart")
    op.drop_table("chart")
    op.drop_index(op.f("ix_audit_project"), table_name="audit")
    op.drop_index(op.f("ix_audit_person"), table_name="audit")
    op.drop_table("audit")
    op.drop_table("project")
    op.drop_table("person")
    op.drop_index(op.f("ix_login_failure_key"), table_name="login_failure")
    op.drop_table("login_failure")
