"""The version of a game, which shows if the game has changed since it was last read."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("games") as games:
        games.add_column(sa.Column("version", sa.String(length=32), nullable=False, server_default=""))
    with op.batch_alter_table("games") as games:
        games.alter_column("version", existing_type=sa.String(length=32), server_default=None)
