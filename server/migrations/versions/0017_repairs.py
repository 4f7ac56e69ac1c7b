"""The event with which the rows of a game were rebuilt: processes do not use what they cached before it."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("games") as games:
        games.add_column(sa.Column("repaired", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("games") as games:
        games.alter_column("repaired", existing_type=sa.Integer(), server_default=None)
