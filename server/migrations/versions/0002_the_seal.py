"""The sealed log, and former holders of seats. Games that have begun without a seal go on without one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("games") as games:
        games.add_column(sa.Column("seal", sa.LargeBinary(), nullable=True))
        games.add_column(sa.Column("header", sa.JSON(), nullable=True))
        games.add_column(sa.Column("head", sa.String(length=52), nullable=True))
        games.add_column(sa.Column("happened_at", sa.DateTime(timezone=True), nullable=True))
    with op.batch_alter_table("events") as events:
        events.add_column(sa.Column("head", sa.String(length=52), nullable=True))
    op.create_table(
        "former_holders",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_former_holders_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_former_holders_player_id_players")),
        sa.PrimaryKeyConstraint("game_id", "player_id", "role", name=op.f("pk_former_holders")),
    )
