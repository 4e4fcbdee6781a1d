"""What identifies people: findings and what was decided about them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables of the de-identification review."""
    op.create_table(
        "finding",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("note", sa.Integer(), nullable=False),
        sa.Column("begins", sa.Integer(), nullable=False),
        sa.Column("ends", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("doubt", sa.Text(), nullable=False),
        sa.Column("hides", sa.Boolean(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["note"], ["note.id"], name=op.f("fk_finding_note")),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_finding_person")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_finding_project")),
        sa.PrimaryKeyConstraint("project", "item", name=op.f("pk_finding")),
    )
    op.create_index(op.f("ix_finding_note"), "finding", ["note"], unique=False)
    op.create_index(op.f("ix_finding_person"), "finding", ["person"], unique=False)
    op.create_table(
        "finding_decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("choice", sa.String(length=20), nullable=False),
        sa.Column("replacement", sa.Text(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name=op.f("fk_finding_decision_person")),
        sa.ForeignKeyConstraint(
            ["project", "item"],
            ["finding.project", "finding.item"],
            name=op.f("fk_finding_decision_project"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding_decision")),
        sa.UniqueConstraint(
            "project", "client_id", name=op.f("uq_finding_decision_project_client_id")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_finding_decision_person"), "finding_decision", ["person"], unique=False
    )
    op.create_index(
        op.f("ix_finding_decision_project_item"),
        "finding_decision",
        ["project", "item"],
        unique=False,
    )


def downgrade() -> None:
    """Remove them."""
    op.drop_table("finding_decision")
    op.drop_table("finding")
