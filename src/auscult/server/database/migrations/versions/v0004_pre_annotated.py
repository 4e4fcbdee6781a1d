"""Which model pre-annotates a project, and the notes it is done with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column and the table."""
    op.add_column("project", sa.Column("pre_annotator", sa.Text(), nullable=True))
    op.create_table(
        "pre_annotated",
        sa.Column("note", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=200), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("annotations", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["note"], ["note.id"], name=op.f("fk_pre_annotated_note")),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name=op.f("fk_pre_annotated_project")),
        sa.PrimaryKeyConstraint("note", "source", name=op.f("pk_pre_annotated")),
    )
    op.create_index(op.f("ix_pre_annotated_project"), "pre_annotated", ["project"], unique=False)


def downgrade() -> None:
    """Remove them."""
    op.drop_table("pre_annotated")
    op.drop_column("project", "pre_annotator")
