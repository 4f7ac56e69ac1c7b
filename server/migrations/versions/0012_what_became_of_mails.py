"""The results of mails, and the mail frequency of each player."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _add("outbox", None, sa.Column("recipient", sa.String(length=64)))
    _add("addresses", None, sa.Column("bounced_at", sa.DateTime(timezone=True)))
    _add("addresses", 0, sa.Column("soft_bounces", sa.Integer()))
    _add("players", "off", sa.Column("picture", sa.String(length=8)))
    _add("players", False, sa.Column("bounces", sa.Boolean()))


def _add(table: str, value: Any, column: sa.Column[Any]) -> None:
    """Return a column with this value in all existing rows; if the value is None it may be null, else never."""
    with op.batch_alter_table(table) as altered:
        altered.add_column(column)
    if value is not None:
        op.execute(sa.update(sa.table(table, sa.column(column.name, column.type))).values({column.name: value}))
        with op.batch_alter_table(table) as altered:
            altered.alter_column(column.name, existing_type=column.type, nullable=False)
