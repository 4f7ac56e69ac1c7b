"""Names that are kept apart, networks of sign-ups, guests of invitations, blocks, and what the operator was told."""

import sqlalchemy as sa
from alembic import op

from server.lookalikes import digest
from server.models.types import Encrypted, UtcTime

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("players") as batch:
        batch.add_column(sa.Column("skeleton", sa.String(length=64), nullable=True))
    _fill_skeletons()
    with op.batch_alter_table("players") as batch:
        batch.create_unique_constraint(op.f("uq_players_skeleton"), ["skeleton"])
    with op.batch_alter_table("sign_ups") as batch:
        batch.add_column(sa.Column("network", sa.String(length=64), nullable=True))
    with op.batch_alter_table("invitations") as batch:
        batch.add_column(sa.Column("guest_id", sa.String(length=32), nullable=True))
        batch.create_foreign_key(op.f("fk_invitations_guest_id_players"), "players", ["guest_id"], ["id"])
        batch.create_index(op.f("ix_invitations_guest_id"), ["guest_id"])
    op.create_table(
        "blocks",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("blocked_id", sa.String(length=32), nullable=True),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("email", Encrypted("blocks.email", 320), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("ended_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_blocks_player_id_players")),
        sa.ForeignKeyConstraint(["blocked_id"], ["players.id"], name=op.f("fk_blocks_blocked_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blocks")),
    )
    with op.batch_alter_table("blocks") as batch:
        batch.create_index(op.f("ix_blocks_player_id"), ["player_id"])
        batch.create_index(op.f("ix_blocks_blocked_id"), ["blocked_id"])
    op.create_table(
        "alerts",
        sa.Column("cause", sa.String(length=32), nullable=False),
        sa.Column("told_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("cause", name=op.f("pk_alerts")),
    )


def _fill_skeletons() -> None:
    """Give each name to its first player; others whose names look like it keep theirs without being kept apart."""
    connection = op.get_bind()
    query = sa.text("SELECT id, name FROM players WHERE gone_at IS NULL ORDER BY created_at, id")
    given: dict[str, str] = {}
    for player_id, name in connection.execute(query).all():
        given.setdefault(digest(name), player_id)
    statement = sa.text("UPDATE players SET skeleton = :skeleton WHERE id = :id")
    for skeleton, player_id in given.items():
        connection.execute(statement, {"skeleton": skeleton, "id": player_id})
