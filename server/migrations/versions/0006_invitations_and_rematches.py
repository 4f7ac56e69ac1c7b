"""Invitations by mail address, seats that are drawn, and rematches."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("host_id", sa.String(length=32), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("email", sa.LargeBinary(), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("nonce", sa.String(length=32), nullable=False),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["players.id"], name=op.f("fk_invitations_host_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitations_digest")),
    )
    for column in ("host_id", "address", "nonce"):
        op.create_index(op.f(f"ix_invitations_{column}"), "invitations", [column])
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("invitation_id", sa.String(length=32), nullable=True))
        seats.create_foreign_key(op.f("fk_seats_invitation_id_invitations"), "invitations", ["invitation_id"], ["id"])
        seats.create_unique_constraint(op.f("uq_seats_invitation_id"), ["invitation_id"])
    with op.batch_alter_table("games") as games:
        games.add_column(sa.Column("seating", sa.String(length=8), nullable=True))
        games.add_column(sa.Column("rematch_id", sa.String(length=32), nullable=True))
        games.create_foreign_key(op.f("fk_games_rematch_id_games"), "games", ["rematch_id"], ["id"])
    op.execute("UPDATE games SET seating = 'chosen'")
    with op.batch_alter_table("games") as games:
        games.alter_column("seating", existing_type=sa.String(length=8), nullable=False)
