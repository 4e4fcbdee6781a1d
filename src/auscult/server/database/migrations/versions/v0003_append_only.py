"""What is only ever appended refuses anything else; and a workbench has an identity."""

from __future__ import annotations

import uuid

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_APPENDED = ("event", "change", "decision", "finding", "finding_decision", "audit")
_SAYS = "is append-only"


def upgrade() -> None:
    """Make the triggers, an index for whether somebody has read a note, and the identity."""
    table = op.create_table(
        "workbench",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workbench")),
    )
    op.bulk_insert(table, [{"id": uuid.uuid4().hex}])
    op.create_index(op.f("ix_audit_person_note"), "audit", ["person", "note"], unique=False)
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '% {_SAYS}', TG_TABLE_NAME; END $$"
        )
        for name in _APPENDED:
            op.execute(
                f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {name} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
    else:
        for name in _APPENDED:
            for what in ("UPDATE", "DELETE"):
                op.execute(
                    f'CREATE TRIGGER {name}_no_{what.lower()} BEFORE {what} ON "{name}" '
                    f"BEGIN SELECT RAISE(ABORT, '{name} {_SAYS}'); END"
                )


def downgrade() -> None:
    """Remove them."""
    for name in _APPENDED:
        if op.get_bind().dialect.name == "postgresql":
            op.execute(f"DROP TRIGGER append_only ON {name}")
        else:
            for what in ("update", "delete"):
                op.execute(f"DROP TRIGGER {name}_no_{what}")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_change()")
    op.drop_index(op.f("ix_audit_person_note"), "audit")
    op.drop_table("workbench")
