"""Games that are broken are closed to moves; no mail tells of a repair any more."""

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None

BROKEN = sa.text("broken IS NOT NULL")


def upgrade() -> None:
    op.add_column("games", sa.Column("broken", sa.String(), nullable=True))
    op.create_index("ix_games_broken", "games", ["id"], sqlite_where=BROKEN, postgresql_where=BROKEN)
    op.execute("UPDATE outbox SET kind = 'reinstated' WHERE kind = 'repaired'")  # both say that the game goes on
