"""The tables of 0.2.0, the first release whose databases later ones upgrade. This file does not change any more."""

import sqlalchemy as sa
from alembic import op

# Databases of before it are at r0001, or at a revision without a letter.
revision = "r0002"
down_revision = None
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ARMED = sa.text("state = 'armed'")
HELD = sa.text("state = 'held'")
LATE = sa.text("status = 'running' AND late_seats > 0")
GUEST = sa.text("network IS NOT NULL")
JOINABLE = sa.text("visibility = 'public' AND status = 'open' AND free_seats > 0")
IS_OVER = sa.text("status = 'over'")
UNSTARTED = sa.text("status = 'open'")
WAITING = sa.text("state = 'new'")
ASIDE = sa.text("state = 'aside'")
DEAD = sa.text("state = 'dead'")
UNFINISHED_MAIL = sa.text("state = 'pending' OR state = 'dead'")
OFF = sa.text("off_because IS NOT NULL")
LEASED = sa.text("fence IS NOT NULL")
UNFINISHED = sa.text("status <> 'over'")
REMATCH = sa.text("rematch_id IS NOT NULL")
ENDED = sa.text("ended_at IS NOT NULL")
OPEN = sa.text("state = 'open'")
UNSEALED = sa.text("head IS NULL")
WITH_BYTES = sa.text("raw IS NOT NULL")
TO_AN_ADDRESS = sa.text("player_id IS NULL")
PENDING = sa.text("state = 'pending'")
ROTATED = sa.text("former_secret IS NOT NULL")
SOFT = sa.text("soft_since IS NOT NULL")
# Each change of a row writes a new one and new entries in all indexes, as it changes a column by which rows are found.
CHANGED_OFTEN = ("deadlines", "games", "inbox", "outbox", "webhook_deliveries")
REFUSED = sa.text("refused_at IS NOT NULL")


def upgrade() -> None:
    _create_people()
    _create_games()
    _create_mail()
    _create_server()
    if op.get_context().dialect.name == "postgresql":
        # By default PostgreSQL cleans a table up only when a fifth of all its rows, old ones too, have changed.
        for table in CHANGED_OFTEN:
            op.execute(f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02)")


def _create_people() -> None:
    """Create the tables about players."""
    op.create_table(
        "players",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("skeleton", sa.String(64), nullable=True),
        sa.Column("taken_skeletons", sa.JSON(), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("mail", sa.String(16), nullable=False),
        sa.Column("picture", sa.String(8), nullable=False),
        sa.Column("station", sa.String(8), nullable=False),
        sa.Column("bounces", sa.Boolean(), nullable=False),
        sa.Column("hold", sa.String(8), nullable=False),
        sa.Column("night", sa.String(11), nullable=True),
        sa.Column("spends_vacation", sa.Boolean(), nullable=False),
        sa.Column("is_operator", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("gone_at", TIME, nullable=True),
        sa.Column("network", sa.String(64), nullable=True),
        sa.Column("provider", sa.String(64), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("email", name=op.f("uq_players_email")),
        sa.UniqueConstraint("skeleton", name=op.f("uq_players_skeleton")),
    )
    op.create_index("ix_players_guests", "players", ["network", "provider"], sqlite_where=GUEST, postgresql_where=GUEST)
    op.create_table(
        "absences",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("begin", TIME, nullable=False),
        sa.Column("end", TIME, nullable=False),
        sa.Column("is_automatic", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_absences_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_absences")),
    )
    op.create_index(op.f("ix_absences_player_id"), "absences", ["player_id"])
    op.create_table(
        "addresses",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("confirmed_at", TIME, nullable=False),
        sa.Column("bounced_at", TIME, nullable=True),
        sa.Column("soft_since", TIME, nullable=True),
        sa.Column("soft_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_addresses_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint("email", name=op.f("uq_addresses_email")),
    )
    op.create_index("ix_addresses_soft", "addresses", ["soft_since"], sqlite_where=SOFT, postgresql_where=SOFT)
    op.create_index(op.f("ix_addresses_player_id"), "addresses", ["player_id"])
    op.create_table(
        "answered",
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("route", sa.String(120), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("look_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_answered_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "route", "key", name=op.f("pk_answered")),
    )
    op.create_index(op.f("ix_answered_look_at"), "answered", ["look_at"])
    op.create_table(
        "blocks",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("blocked_id", sa.String(32), nullable=True),
        sa.Column("address", sa.String(64), nullable=True),
        sa.Column("email", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["blocked_id"], ["players.id"], name=op.f("fk_blocks_blocked_id_players")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_blocks_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blocks")),
    )
    op.create_index(op.f("ix_blocks_blocked_id"), "blocks", ["blocked_id"])
    op.create_index(op.f("ix_blocks_player_id"), "blocks", ["player_id"])
    op.create_table(
        "browser_sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("browser", sa.String(60), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("used_on", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_browser_sessions_player_id_players")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_browser_sessions")),
        sa.UniqueConstraint("id", name=op.f("uq_browser_sessions_id")),
    )
    op.create_index(op.f("ix_browser_sessions_expires_at"), "browser_sessions", ["expires_at"])
    op.create_index(op.f("ix_browser_sessions_player_id"), "browser_sessions", ["player_id"])
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("host_id", sa.String(32), nullable=False),
        sa.Column("guest_id", sa.String(32), nullable=True),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("email", sa.LargeBinary(), nullable=True),
        sa.Column("digest", sa.String(64), nullable=True),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("words", sa.LargeBinary(), nullable=True),
        sa.Column("reminded_at", TIME, nullable=True),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["guest_id"], ["players.id"], name=op.f("fk_invitations_guest_id_players")),
        sa.ForeignKeyConstraint(["host_id"], ["players.id"], name=op.f("fk_invitations_host_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitations_digest")),
    )
    op.create_index(op.f("ix_invitations_address"), "invitations", ["address"])
    op.create_index(op.f("ix_invitations_created_at"), "invitations", ["created_at"])
    op.create_index(op.f("ix_invitations_guest_id"), "invitations", ["guest_id"])
    op.create_index(op.f("ix_invitations_host_id"), "invitations", ["host_id"])
    op.create_index(op.f("ix_invitations_nonce"), "invitations", ["nonce"])
    op.create_table(
        "sign_ups",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("network", sa.String(64), nullable=True),
        sa.Column("player_id", sa.String(32), nullable=True),
        sa.Column("digest", sa.String(64), nullable=True),
        sa.Column("purpose", sa.String(8), nullable=False),
        sa.Column("wanted", sa.LargeBinary(), nullable=True),
        sa.Column("pin", sa.String(64), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_sign_ups_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_ups")),
        sa.UniqueConstraint("digest", name=op.f("uq_sign_ups_digest")),
    )
    op.create_index(op.f("ix_sign_ups_address"), "sign_ups", ["address"])
    op.create_index(op.f("ix_sign_ups_created_at"), "sign_ups", ["created_at"])
    op.create_index(op.f("ix_sign_ups_player_id"), "sign_ups", ["player_id"])
    op.create_table(
        "tokens",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("scopes", sa.String(40), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=True),
        sa.Column("used_on", sa.Date(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_tokens_player_id_players")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_tokens")),
        sa.UniqueConstraint("id", name=op.f("uq_tokens_id")),
    )
    op.create_index(op.f("ix_tokens_player_id"), "tokens", ["player_id"])
    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("url", sa.LargeBinary(), nullable=False),
        sa.Column("target", sa.String(64), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("former_secret", sa.LargeBinary(), nullable=True),
        sa.Column("rotated_at", TIME, nullable=True),
        sa.Column("off_because", sa.String(8), nullable=True),
        sa.Column("fence", sa.String(32), nullable=True),
        sa.Column("not_before", TIME, nullable=False),
        sa.Column("retry_at", TIME, nullable=True),
        sa.Column("failing_since", TIME, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_webhooks_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_index(op.f("ix_webhooks_player_id"), "webhooks", ["player_id"])
    op.create_index("ix_webhooks_rotated", "webhooks", ["rotated_at"], sqlite_where=ROTATED, postgresql_where=ROTATED)
    op.create_index("ix_webhooks_off", "webhooks", ["off_because"], sqlite_where=OFF, postgresql_where=OFF)
    op.create_index("ix_webhooks_leased", "webhooks", ["not_before"], sqlite_where=LEASED, postgresql_where=LEASED)
    op.create_index(op.f("ix_webhooks_target"), "webhooks", ["target"])


def _create_games() -> None:
    """Create the tables about games."""
    op.create_table(
        "games",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("host_id", sa.String(32), nullable=False),
        sa.Column("edition", sa.String(40), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("clock", sa.JSON(), nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("label", sa.String(80), nullable=True),
        sa.Column("seating", sa.String(8), nullable=False),
        sa.Column("guests", sa.JSON(), nullable=True),
        sa.Column("seed", sa.String(40), nullable=True),
        sa.Column("rematch_id", sa.String(32), nullable=True),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("position", sa.LargeBinary(), nullable=True),
        sa.Column("free_seats", sa.Integer(), nullable=False),
        sa.Column("late_seats", sa.Integer(), nullable=False),
        sa.Column("starts", sa.JSON(), nullable=False),
        sa.Column("mr_x_start", sa.LargeBinary(), nullable=True),
        sa.Column("seal", sa.LargeBinary(), nullable=True),
        sa.Column("header", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("head", sa.String(52), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("side", sa.String(10), nullable=True),
        sa.Column("round", sa.Integer(), nullable=True),
        sa.Column("due_at", TIME, nullable=True),
        sa.Column("pauses", sa.JSON(), nullable=False),
        sa.Column("warned_at", TIME, nullable=True),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("happened_at", TIME, nullable=True),
        sa.Column("outages", sa.Integer(), nullable=False),
        sa.Column("mr_x_misses", sa.Integer(), nullable=False),
        sa.Column("winner", sa.String(10), nullable=True),
        sa.Column("reason", sa.String(40), nullable=True),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("final_at", TIME, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("started_at", TIME, nullable=True),
        sa.Column("ended_at", TIME, nullable=True),
        sa.Column("repaired", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["players.id"], name=op.f("fk_games_host_id_players")),
        sa.ForeignKeyConstraint(["rematch_id"], ["games.id"], name=op.f("fk_games_rematch_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sa.UniqueConstraint("code", name=op.f("uq_games_code")),
    )
    op.create_index("ix_games_ended", "games", ["ended_at"], sqlite_where=ENDED, postgresql_where=ENDED)
    op.create_index(op.f("ix_games_host_id"), "games", ["host_id"])
    op.create_index("ix_games_joinable", "games", ["id"], sqlite_where=JOINABLE, postgresql_where=JOINABLE)
    op.create_index("ix_games_late", "games", ["visibility", "id"], sqlite_where=LATE, postgresql_where=LATE)
    op.create_index("ix_games_name", "games", ["name", "ended_at"])
    op.create_index(
        "ix_games_quiet", "games", ["status", "happened_at"], sqlite_where=UNFINISHED, postgresql_where=UNFINISHED
    )
    op.create_index(
        "ix_games_unstarted", "games", ["warned_at", "happened_at"], sqlite_where=UNSTARTED, postgresql_where=UNSTARTED
    )
    op.create_index("ix_games_label", "games", ["label", "id"])
    op.create_index("ix_games_over", "games", ["status", "happened_at"], sqlite_where=IS_OVER, postgresql_where=IS_OVER)
    op.create_index("ix_games_rematch", "games", ["rematch_id"], sqlite_where=REMATCH, postgresql_where=REMATCH)
    op.create_index(
        "ix_games_unfinished", "games", ["status", "id"], sqlite_where=UNFINISHED, postgresql_where=UNFINISHED
    )
    op.create_index("ix_games_visibility", "games", ["visibility", "id"])
    op.create_index("ix_games_visibility_status", "games", ["visibility", "status", "id"])
    op.create_table(
        "deadlines",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("side", sa.String(10), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("began_at", TIME, nullable=True),
        sa.Column("more", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("steps", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("try_at", TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_deadlines_game_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deadlines")),
        sa.UniqueConstraint(
            "game_id",
            "kind",
            "round",
            "side",
            "seat",
            "step",
            "serial",
            name=op.f("uq_deadlines_game_id_kind_round_side_seat_step_serial"),
        ),
    )
    op.create_index(op.f("ix_deadlines_game_id"), "deadlines", ["game_id"])
    op.create_index("ix_deadlines_due", "deadlines", ["due_at"], sqlite_where=ARMED, postgresql_where=ARMED)
    op.create_index("ix_deadlines_waiting", "deadlines", ["try_at"], sqlite_where=ARMED, postgresql_where=ARMED)
    op.create_table(
        "events",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("head", sa.String(52), nullable=True),
        sa.Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_events_game_id_games")),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_events")),
    )
    op.create_index("ix_events_unsealed", "events", ["kind"], sqlite_where=UNSEALED, postgresql_where=UNSEALED)
    op.create_table(
        "former_holders",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_former_holders_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_former_holders_player_id_players")),
        sa.PrimaryKeyConstraint("game_id", "player_id", "role", name=op.f("pk_former_holders")),
    )
    op.create_index(op.f("ix_former_holders_player_id"), "former_holders", ["player_id"])
    op.create_table(
        "motions",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("wish", sa.JSON(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("closes_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_motions_game_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_motions")),
    )
    op.create_index(op.f("ix_motions_game_id"), "motions", ["game_id"])
    op.create_index("ix_motions_open", "motions", ["opened_at"], sqlite_where=OPEN, postgresql_where=OPEN)
    op.create_table(
        "moves",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("pawn", sa.String(8), nullable=False),
        sa.Column("notation", sa.LargeBinary(), nullable=False),
        sa.Column("by", sa.String(8), nullable=False),
        sa.Column("made_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_moves_game_id_games")),
        sa.PrimaryKeyConstraint("game_id", "turn", name=op.f("pk_moves")),
    )
    op.create_table(
        "muted",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_muted_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_muted_player_id_players")),
        sa.PrimaryKeyConstraint("game_id", "player_id", name=op.f("pk_muted")),
    )
    op.create_index(op.f("ix_muted_player_id"), "muted", ["player_id"])
    op.create_table(
        "seats",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("pawns", sa.JSON(), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=True),
        sa.Column("invited_id", sa.String(32), nullable=True),
        sa.Column("invitation_id", sa.String(32), nullable=True),
        sa.Column("bot", sa.String(16), nullable=True),
        sa.Column("level", sa.String(8), nullable=True),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("late_since", TIME, nullable=True),
        sa.Column("wants_draw", sa.Boolean(), nullable=False),
        sa.Column("bank", sa.Integer(), nullable=True),
        sa.Column("cover", sa.Integer(), nullable=True),
        sa.Column("is_offered", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_seats_game_id_games")),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitations.id"], name=op.f("fk_seats_invitation_id_invitations")),
        sa.ForeignKeyConstraint(["invited_id"], ["players.id"], name=op.f("fk_seats_invited_id_players")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_seats_player_id_players")),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_seats")),
        sa.UniqueConstraint("game_id", "player_id", name=op.f("uq_seats_game_id_player_id")),
        sa.UniqueConstraint("invitation_id", name=op.f("uq_seats_invitation_id")),
    )
    op.create_index(op.f("ix_seats_invited_id"), "seats", ["invited_id"])
    op.create_index(op.f("ix_seats_player_id"), "seats", ["player_id"])
    op.create_table(
        "ballots",
        sa.Column("motion_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("is_for", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["motion_id"], ["motions.id"], name=op.f("fk_ballots_motion_id_motions")),
        sa.PrimaryKeyConstraint("motion_id", "seat", name=op.f("pk_ballots")),
    )
    op.create_table(
        "messages",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("audience", sa.String(4), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id", "seat"], ["seats.game_id", "seats.number"], name=op.f("fk_messages_game_id_seats")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_messages_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_messages_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint("game_id", "serial", name=op.f("uq_messages_game_id_serial")),
    )
    op.create_index(op.f("ix_messages_player_id"), "messages", ["player_id"])
    op.create_table(
        "moves_ahead",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("pawn", sa.String(8), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("notation", sa.LargeBinary(), nullable=False),
        sa.Column("kept_at", TIME, nullable=False),
        sa.Column("otherwise", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["game_id", "seat"], ["seats.game_id", "seats.number"], name=op.f("fk_moves_ahead_game_id_seats")
        ),
        sa.PrimaryKeyConstraint("game_id", "pawn", name=op.f("pk_moves_ahead")),
    )
    op.create_table(
        "held_moves",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("pawn", sa.String(8), nullable=False),
        sa.Column("hold", sa.String(32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("notation", sa.LargeBinary(), nullable=False),
        sa.Column("held_at", TIME, nullable=False),
        sa.Column("plays_at", TIME, nullable=False),
        sa.Column("try_at", TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id", "seat"], ["seats.game_id", "seats.number"], name=op.f("fk_held_moves_game_id_seats")
        ),
        sa.PrimaryKeyConstraint("game_id", "pawn", name=op.f("pk_held_moves")),
    )
    op.create_index(op.f("ix_held_moves_hold"), "held_moves", ["hold"])
    op.create_index("ix_held_moves_waiting", "held_moves", ["try_at"])


def _create_mail() -> None:
    """Create the tables about mails and webhooks."""
    op.create_table(
        "inbox",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("sender", sa.String(320), nullable=False),
        sa.Column("recipient", sa.LargeBinary(), nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("game_id", sa.String(32), nullable=True),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("verdict", sa.String(40), nullable=True),
        sa.Column("peer", sa.String(45), nullable=True),
        sa.Column("network", sa.String(64), nullable=True),
        sa.Column("provider", sa.String(64), nullable=True),
        sa.Column("checked", sa.String(80), nullable=True),
        sa.Column("author", sa.String(64), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("postponed", sa.Integer(), nullable=False),
        sa.Column("not_before", TIME, nullable=True),
        sa.Column("received_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_inbox_game_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
    )
    op.create_index(op.f("ix_inbox_author"), "inbox", ["author"])
    op.create_index(op.f("ix_inbox_digest"), "inbox", ["digest"])
    op.create_index("ix_inbox_game_id", "inbox", ["game_id", "received_at"])
    op.create_index(op.f("ix_inbox_sender"), "inbox", ["sender"])
    op.create_index(
        "ix_inbox_aside", "inbox", ["state", "verdict", "received_at"], sqlite_where=ASIDE, postgresql_where=ASIDE
    )
    op.create_index(
        "ix_inbox_aside_in_order", "inbox", ["state", "received_at", "id"], sqlite_where=ASIDE, postgresql_where=ASIDE
    )
    op.create_index("ix_inbox_raw", "inbox", ["received_at"], sqlite_where=WITH_BYTES, postgresql_where=WITH_BYTES)
    op.create_index(
        "ix_inbox_waiting",
        "inbox",
        ["state", "received_at", "id", "game_id", "sender", "provider", "network", "not_before", "postponed"],
        sqlite_where=WAITING,
        postgresql_where=WAITING,
    )
    op.create_table(
        "mail_wishes",
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("mail", sa.String(16), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_mail_wishes_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_mail_wishes_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "game_id", name=op.f("pk_mail_wishes")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=True),
        sa.Column("event", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.String(32), nullable=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("cause", sa.String(32), nullable=False),
        sa.Column("details", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=True),
        sa.Column("fence", sa.String(32), nullable=True),
        sa.Column("not_before", TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(200), nullable=True),
        sa.Column("recipient", sa.String(64), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("sent_at", TIME, nullable=True),
        sa.Column("refused_at", TIME, nullable=True),
        sa.Column("told_in", sa.String(32), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_outbox_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_outbox_player_id_players")),
        sa.ForeignKeyConstraint(["told_in"], ["outbox.id"], name=op.f("fk_outbox_told_in_outbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint(
            "game_id", "event", "player_id", "kind", "cause", name=op.f("uq_outbox_game_id_event_player_id_kind_cause")
        ),
    )
    op.create_index("ix_outbox_cause", "outbox", ["cause"], sqlite_where=TO_AN_ADDRESS, postgresql_where=TO_AN_ADDRESS)
    op.create_index("ix_outbox_held", "outbox", ["player_id"], sqlite_where=HELD, postgresql_where=HELD)
    op.create_index("ix_outbox_player", "outbox", ["player_id", "created_at", "id"])
    op.create_index(
        "ix_outbox_unfinished",
        "outbox",
        ["state", "created_at", "id"],
        sqlite_where=UNFINISHED_MAIL,
        postgresql_where=UNFINISHED_MAIL,
    )
    op.create_index("ix_outbox_dead", "outbox", ["kind", "not_before"], sqlite_where=DEAD, postgresql_where=DEAD)
    op.create_index("ix_outbox_refused", "outbox", ["refused_at"], sqlite_where=REFUSED, postgresql_where=REFUSED)
    op.create_index("ix_outbox_told_in", "outbox", ["told_in"])
    op.create_index("ix_outbox_waiting", "outbox", ["state", "not_before"])
    op.create_table(
        "reply_tokens",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("go", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("question", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_reply_tokens_game_id_games")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_reply_tokens")),
    )
    op.create_index(op.f("ix_reply_tokens_game_id"), "reply_tokens", ["game_id"])
    op.create_table(
        "mail_answers",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("whom", sa.String(64), nullable=False),
        sa.Column("words", sa.String(64), nullable=True),
        sa.Column("kept", sa.LargeBinary(), nullable=True),
        sa.Column("send_at", TIME, nullable=False),
        sa.Column("is_held", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_answers")),
    )
    op.create_index("ix_mail_answers_held", "mail_answers", ["is_held", "created_at"])
    op.create_index("ix_mail_answers_kind", "mail_answers", ["kind", "created_at"])
    op.create_index("ix_mail_answers_whom", "mail_answers", ["whom", "created_at"])
    op.create_table(
        "told",
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("event", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_told_game_id_games")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_told_player_id_players")),
        sa.PrimaryKeyConstraint("player_id", "game_id", name=op.f("pk_told")),
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("webhook_id", sa.String(32), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=True),
        sa.Column("event", sa.Integer(), nullable=True),
        sa.Column("at", TIME, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("outcome", sa.String(12), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("tried_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_webhook_deliveries_game_id_games")),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name=op.f("fk_webhook_deliveries_webhook_id_webhooks")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
    )
    op.create_index("ix_webhook_deliveries_at", "webhook_deliveries", ["at"])
    op.create_index(
        "ix_webhook_deliveries_pending",
        "webhook_deliveries",
        ["state", "webhook_id"],
        sqlite_where=PENDING,
        postgresql_where=PENDING,
    )
    op.create_index("ix_webhook_deliveries_waiting", "webhook_deliveries", ["webhook_id", "state", "at"])
    op.create_table(
        "seen_mails",
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("inbox_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_seen_mails")),
    )


def _create_server() -> None:
    """Create the tables about the server itself."""
    op.create_table(
        "abuse_reports",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("reporter_id", sa.String(32), nullable=True),
        sa.Column("player_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("message_id", sa.String(32), nullable=True),
        sa.Column("mail_id", sa.String(32), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("settled_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_abuse_reports_game_id_games")),
        sa.ForeignKeyConstraint(["message_id"], ["messages.id"], name=op.f("fk_abuse_reports_message_id_messages")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_abuse_reports_player_id_players")),
        sa.ForeignKeyConstraint(["reporter_id"], ["players.id"], name=op.f("fk_abuse_reports_reporter_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_abuse_reports")),
        sa.UniqueConstraint("mail_id", name=op.f("uq_abuse_reports_mail_id")),
    )
    for column in ("game_id", "message_id", "player_id", "reporter_id"):
        op.create_index(op.f(f"ix_abuse_reports_{column}"), "abuse_reports", [column])
    op.create_index("ix_abuse_reports_settled", "abuse_reports", ["settled_at", "created_at"])
    op.create_index(
        "ix_abuse_reports_open",
        "abuse_reports",
        ["created_at", "id"],
        sqlite_where=sa.text("settled_at IS NULL"),
        postgresql_where=sa.text("settled_at IS NULL"),
    )
    op.create_table(
        "alerts",
        sa.Column("cause", sa.String(32), nullable=False),
        sa.Column("told_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("cause", name=op.f("pk_alerts")),
    )
    op.create_table(
        "blocked_networks",
        sa.Column("network", sa.String(43), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("ends_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("network", name=op.f("pk_blocked_networks")),
    )
    op.create_table(
        "quotas",
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("begin", TIME, nullable=False),
        sa.Column("branch", sa.String(64), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("branches", sa.Integer(), nullable=False),
        sa.Column("newest", TIME, nullable=False),
        sa.PrimaryKeyConstraint("purpose", "begin", "branch", name=op.f("pk_quotas")),
    )
    op.create_table(
        "key_checks",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_key_checks")),
    )
    op.create_table(
        "mailboxes",
        sa.Column("name", sa.String(400), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("last_uid", sa.BigInteger(), nullable=False),
        sa.Column("left", sa.JSON(), nullable=False),
        sa.Column("read_at", TIME, nullable=True),
        sa.Column("error", sa.String(200), nullable=True),
        sa.Column("holder", sa.String(32), nullable=True),
        sa.Column("held_until", TIME, nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_mailboxes")),
    )
    op.create_table(
        "tallies",
        sa.Column("name", sa.String(16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_tallies")),
    )
    op.create_table(
        "outages",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(8), nullable=False),
        sa.Column("begin", TIME, nullable=False),
        sa.Column("end", TIME, nullable=True),
        sa.Column("state", sa.String(8), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_outages")),
    )
    op.create_table(
        "provider_calls",
        sa.Column("mark", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("mark", name=op.f("pk_provider_calls")),
    )
    op.create_index(op.f("ix_provider_calls_created_at"), "provider_calls", ["created_at"])
    op.create_table(
        "pulses",
        sa.Column("name", sa.String(16), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_pulses")),
    )
    op.create_table(
        "processes",
        sa.Column("name", sa.String(8), nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("host", sa.String(64), nullable=False),
        sa.Column("ahead", sa.Double(), nullable=False),
        sa.Column("connections", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_processes")),
    )
