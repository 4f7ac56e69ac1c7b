"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "players",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("wants_mail", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("email", name=op.f("uq_players_email")),
    )
    op.create_table(
        "answered",
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("route", sa.String(length=120), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("request", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_answered_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "route", "key", name=op.f("pk_answered")),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("host_id", sa.String(length=32), nullable=False),
        sa.Column("edition", sa.String(length=40), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("clock", sa.JSON(), nullable=False),
        sa.Column("visibility", sa.String(length=8), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=True),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("position", sa.LargeBinary(), nullable=True),
        sa.Column("starts", sa.JSON(), nullable=False),
        sa.Column("mr_x_start", sa.LargeBinary(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("side", sa.String(length=10), nullable=True),
        sa.Column("round", sa.Integer(), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("mr_x_misses", sa.Integer(), nullable=False),
        sa.Column("winner", sa.String(length=10), nullable=True),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("final_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["players.id"], name=op.f("fk_games_host_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sa.UniqueConstraint("code", name=op.f("uq_games_code")),
    )
    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_games_label"), ["label"], unique=False)
        batch_op.create_index(batch_op.f("ix_games_status"), ["status"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_tokens_player_id_players")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_tokens")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_player_id"), ["player_id"], unique=False)

    op.create_table(
        "deadlines",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("side", sa.String(length=10), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("try_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_deadlines_game_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deadlines")),
        sa.UniqueConstraint(
            "game_id", "kind", "round", "side", "serial", name=op.f("uq_deadlines_game_id_kind_round_side_serial")
        ),
    )
    with op.batch_alter_table("deadlines", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deadlines_game_id"), ["game_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_deadlines_try_at"), ["try_at"], unique=False)

    op.create_table(
        "events",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_events_game_id_games")),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_events")),
    )
    op.create_table(
        "inbox",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("sender", sa.String(length=320), nullable=False),
        sa.Column("recipient", sa.LargeBinary(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("game_id", sa.String(length=32), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("verdict", sa.String(length=40), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_inbox_game_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
    )
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_inbox_digest"), ["digest"], unique=False)
        batch_op.create_index(batch_op.f("ix_inbox_game_id"), ["game_id"], unique=False)
        batch_op.create_index("ix_inbox_waiting", ["state", "received_at"], unique=False)

    op.create_table(
        "moves",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("pawn", sa.String(length=8), nullable=False),
        sa.Column("notation", sa.LargeBinary(), nullable=False),
        sa.Column("by", sa.String(length=8), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_moves_game_id_games")),
        sa.PrimaryKeyConstraint("game_id", "turn", name=op.f("pk_moves")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=True),
        sa.Column("event", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.String(length=32), nullable=False),
        sa.Column("details", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=True),
        sa.Column("fence", sa.String(length=32), nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_outbox_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_outbox_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint(
            "game_id", "event", "player_id", "kind", "cause", name=op.f("uq_outbox_game_id_event_player_id_kind_cause")
        ),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index("ix_outbox_waiting", ["state", "not_before"], unique=False)

    op.create_table(
        "reply_tokens",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("go", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.String(length=32), nullable=False),
        sa.Column("question", sa.LargeBinary(), nullable=True),
        sa.Column("errors_told", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_reply_tokens_game_id_games")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_reply_tokens")),
    )
    with op.batch_alter_table("reply_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_reply_tokens_game_id"), ["game_id"], unique=False)

    op.create_table(
        "seats",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("pawns", sa.JSON(), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=True),
        sa.Column("invited_id", sa.String(length=32), nullable=True),
        sa.Column("nonce", sa.String(length=32), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_seats_game_id_games")),
        sa.ForeignKeyConstraint(["invited_id"], ["players.id"], name=op.f("fk_seats_invited_id_players")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_seats_player_id_players")),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_seats")),
        sa.UniqueConstraint("game_id", "player_id", name=op.f("uq_seats_game_id_player_id")),
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_seats_invited_id"), ["invited_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_seats_player_id"), ["player_id"], unique=False)

    op.create_table(
        "moves_ahead",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("pawn", sa.String(length=8), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("notation", sa.LargeBinary(), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id", "seat"], ["seats.game_id", "seats.number"], name=op.f("fk_moves_ahead_game_id_seats")
        ),
        sa.PrimaryKeyConstraint("game_id", "pawn", name=op.f("pk_moves_ahead")),
    )
    op.create_table(
        "seen_mails",
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("inbox_id", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_seen_mails_inbox_id_inbox")),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_seen_mails")),
    )


def downgrade() -> None:
    op.drop_table("seen_mails")
    op.drop_table("moves_ahead")
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_seats_player_id"))
        batch_op.drop_index(batch_op.f("ix_seats_invited_id"))

    op.drop_table("seats")
    with op.batch_alter_table("reply_tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reply_tokens_game_id"))

    op.drop_table("reply_tokens")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_index("ix_outbox_waiting")

    op.drop_table("outbox")
    op.drop_table("moves")
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_index("ix_inbox_waiting")
        batch_op.drop_index(batch_op.f("ix_inbox_game_id"))
        batch_op.drop_index(batch_op.f("ix_inbox_digest"))

    op.drop_table("inbox")
    op.drop_table("events")
    with op.batch_alter_table("deadlines", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_deadlines_try_at"))
        batch_op.drop_index(batch_op.f("ix_deadlines_game_id"))

    op.drop_table("deadlines")
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tokens_player_id"))

    op.drop_table("tokens")
    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_games_status"))
        batch_op.drop_index(batch_op.f("ix_games_label"))

    op.drop_table("games")
    op.drop_table("answered")
    op.drop_table("players")
