"""Players have several addresses and are asked first if they like; seats offer a draw, and are late since a time."""

import base64
import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "addresses",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_addresses_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint("email", name=op.f("uq_addresses_email")),
    )
    op.create_index(op.f("ix_addresses_player_id"), "addresses", ["player_id"])
    _take_over_addresses()
    with op.batch_alter_table("sign_ups") as sign_ups:
        sign_ups.add_column(sa.Column("player_id", sa.String(length=32), nullable=True))
        sign_ups.create_foreign_key(op.f("fk_sign_ups_player_id_players"), "players", ["player_id"], ["id"])
        sign_ups.create_index(op.f("ix_sign_ups_player_id"), ["player_id"], unique=False)
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("late_since", sa.DateTime(timezone=True), nullable=True))
    _add_flag("players", "asks_first")
    _add_flag("seats", "wants_draw")


def _take_over_addresses() -> None:
    """Give each existing player their address as the first one; former players have none."""
    connection = op.get_bind()
    players: Any = sa.table("players", *map(sa.column, ("id", "email", "created_at", "gone_at")))
    addresses = sa.table("addresses", *map(sa.column, ("id", "email", "player_id", "confirmed_at")))
    rows = connection.execute(sa.select(players).where(players.c.gone_at.is_(None))).all()
    for row in rows:
        values = {"email": row.email, "player_id": row.id, "confirmed_at": row.created_at, "id": _new_id()}
        connection.execute(sa.insert(addresses).values(values))


def _new_id() -> str:
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


def _add_flag(table: str, name: str) -> None:
    """Add a column that is false in all existing rows."""
    with op.batch_alter_table(table) as altered:
        altered.add_column(sa.Column(name, sa.Boolean(), nullable=True))
    op.execute(sa.update(sa.table(table, sa.column(name, sa.Boolean()))).values({name: False}))
    with op.batch_alter_table(table) as altered:
        altered.alter_column(name, existing_type=sa.Boolean(), nullable=False)
