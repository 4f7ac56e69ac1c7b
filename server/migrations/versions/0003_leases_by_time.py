"""Leases are times; the row of a process says when it began, and holds a fingerprint of its settings."""

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of processes again; those that live write their rows every other second."""
    op.drop_table("processes")
    op.create_table(
        "processes",
        sa.Column("name", sa.String(8), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("host", sa.String(64), nullable=False),
        sa.Column("ahead", sa.Double(), nullable=False),
        sa.Column("connections", sa.Integer(), nullable=False),
        sa.Column("settings", sa.String(80), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_processes")),
    )
