"""The peer of a mail, the check of its sender, and mails from addresses that nobody has confirmed yet."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("inbox") as batch:
        batch.add_column(sa.Column("peer", sa.String(length=45), nullable=True))
        batch.add_column(sa.Column("checked", sa.String(length=80), nullable=True))
        batch.add_column(sa.Column("author", sa.String(length=64), nullable=True))
        batch.create_index(op.f("ix_inbox_author"), ["author"])
