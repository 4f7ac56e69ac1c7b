"""Accounts: people sign up, tokens have names and scopes, and an account can be taken away."""

import base64
import secrets

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sign_ups",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("wanted", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_ups")),
        sa.UniqueConstraint("digest", name=op.f("uq_sign_ups_digest")),
    )
    with op.batch_alter_table("sign_ups") as sign_ups:
        sign_ups.create_index(op.f("ix_sign_ups_address"), ["address"], unique=False)
    with op.batch_alter_table("players") as players:
        players.add_column(sa.Column("gone_at", sa.DateTime(timezone=True), nullable=True))
    with op.batch_alter_table("outbox") as outbox:
        outbox.alter_column("player_id", existing_type=sa.String(length=32), nullable=True)
    _widen_tokens()


def _widen_tokens() -> None:
    """Keep the existing tokens as they are: each has all scopes."""
    with op.batch_alter_table("tokens") as tokens:
        tokens.add_column(sa.Column("id", sa.String(length=32), nullable=True))
        tokens.add_column(sa.Column("name", sa.String(length=40), nullable=True))
        tokens.add_column(sa.Column("scopes", sa.String(length=40), nullable=True))
        tokens.add_column(sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
        tokens.add_column(sa.Column("used_on", sa.Date(), nullable=True))
    table = sa.table("tokens", *(sa.column(name, sa.String()) for name in ("digest", "id", "name", "scopes")))
    connection = op.get_bind()
    for digest in connection.scalars(sa.select(table.c.digest)).all():
        token_id = base64.b32encode(secrets.token_bytes(10)).decode().lower()
        values = {"id": token_id, "name": "first", "scopes": "read play host admin"}
        connection.execute(sa.update(table).where(table.c.digest == digest).values(values))
    with op.batch_alter_table("tokens") as tokens:
        for name, length in (("id", 32), ("name", 40), ("scopes", 40)):
            tokens.alter_column(name, existing_type=sa.String(length=length), nullable=False)
        tokens.create_unique_constraint(op.f("uq_tokens_id"), ["id"])
