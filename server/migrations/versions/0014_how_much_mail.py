"""The mail frequency of players, for all games and for one, and the digest watermarks."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("players") as batch:
        batch.add_column(sa.Column("mail", sa.String(length=16), nullable=False, server_default="usual"))
    op.execute("UPDATE players SET mail = 'off' WHERE NOT wants_mail")
    with op.batch_alter_table("players") as batch:
        batch.drop_column("wants_mail")
        batch.alter_column("mail", server_default=None)
    op.create_table(
        "mail_wishes",
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("mail", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_mail_wishes_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_mail_wishes_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "game_id", name=op.f("pk_mail_wishes")),
    )
    op.create_table(
        "told",
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("event", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_told_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_told_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "game_id", name=op.f("pk_told")),
    )
    with op.batch_alter_table("outbox") as batch:
        batch.add_column(sa.Column("told_in", sa.String(length=32), nullable=True))
        batch.create_foreign_key(op.f("fk_outbox_told_in_outbox"), "outbox", ["told_in"], ["id"])
        batch.create_index(
            "ix_outbox_held",
            ["player_id"],
            sqlite_where=sa.text("state = 'held'"),
            postgresql_where=sa.text("state = 'held'"),
        )
