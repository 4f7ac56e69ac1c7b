"""Leases are times, keys and their answers expire apart, and broken games are closed to moves.

Mail that was gathered over some minutes comes as usual or once a day. Devices call their players.
"""

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None

BROKEN = sa.text("broken IS NOT NULL")
UNFINISHED = sa.text("state = 'pending' OR state = 'dead'")
TOLD = sa.text("told_in IS NOT NULL")
HAS_TALK = sa.text("talk IS NOT NULL")
FINISHED = sa.text("visibility = 'public' AND status = 'over' AND turn IS NOT NULL")
RARE, LATE = sa.text("kind <> 'moved'"), sa.text("by = 'house'")
HAS_SESSION = sa.text("session IS NOT NULL")


def upgrade() -> None:
    _make_processes_again()
    _close_broken_games()
    _let_keys_expire()
    _index_fewer_mails()
    _gather_no_more()
    op.add_column("games", sa.Column("starts_when_full", sa.Boolean(), nullable=False, server_default=sa.false()))
    _keep_news()
    _mark_contestable_games()
    op.add_column("seats", sa.Column("replay", sa.String(4), nullable=True))
    _let_newcomers_hear_from_then_on()
    op.create_index(
        "ix_games_finished", "games", ["final", "ended_at", "id"], sqlite_where=FINISHED, postgresql_where=FINISHED
    )
    op.create_index("ix_events_rare", "events", ["game_id", "kind"], sqlite_where=RARE, postgresql_where=RARE)
    late = ["game_id", "pawn", "made_at"]
    op.create_index("ix_moves_late", "moves", late, sqlite_where=LATE, postgresql_where=LATE)
    _let_devices_call()
    op.add_column("players", sa.Column("closing_lines", sa.JSON(), nullable=True))
    op.add_column("players", sa.Column("language", sa.String(8), nullable=False, server_default="en"))
    op.add_column("reply_tokens", sa.Column("talk", sa.LargeBinary(), nullable=True))
    op.create_index(
        "ix_reply_tokens_talk", "reply_tokens", ["created_at"], sqlite_where=HAS_TALK, postgresql_where=HAS_TALK
    )


def _make_processes_again() -> None:
    """Make the table of processes again; those that live write their rows every other second."""
    op.drop_table("processes")
    op.create_table(
        "processes",
        sa.Column("name", sa.String(8), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("host", sa.String(64), nullable=False),
        sa.Column("ahead", sa.Double(), nullable=False),
        sa.Column("connections", sa.Integer(), nullable=False),
        sa.Column("settings", sa.String(80), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_processes")),
    )


def _keep_news() -> None:
    """Keep for some seconds what streams are told of, for processes that hear no notifications."""
    op.create_table(
        "news",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("topics", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_news")),
    )
    op.create_index("ix_news_at", "news", ["at"])


def _mark_contestable_games() -> None:
    """Mark the games in which a deadline was missed, or a guest's seat was opened by a link."""
    op.add_column("games", sa.Column("is_contestable", sa.Boolean(), nullable=False, server_default=sa.false()))
    games, rows = sa.table("games", sa.column("id"), sa.column("is_contestable")), []
    for table, column, values in (
        ("events", "kind", ("late", "granted")),
        ("events", "kind", ("regained",)),
        ("moves", "by", ("house",)),
        ("motions", "kind", ("claim",)),
    ):
        each = sa.table(table, sa.column("game_id"), sa.column(column))
        rows.append(sa.select(each.c.game_id).where(each.c[column].in_(values)))
    op.execute(sa.update(games).where(games.c.id.in_(sa.union(*rows))).values(is_contestable=True))


def _let_newcomers_hear_from_then_on() -> None:
    """Note behind which event each message was written, and since which the player of each seat hears the team."""
    op.add_column("messages", sa.Column("event", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("seats", sa.Column("team_since", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("former_holders", sa.Column("team_since", sa.Integer(), nullable=True))
    messages = sa.table("messages", sa.column("game_id"), sa.column("at"), sa.column("event"))
    seats = sa.table("seats", sa.column("game_id"), sa.column("number"), sa.column("team_since"))
    names = ("game_id", "number", "kind", "at")
    events = sa.table("events", *map(sa.column, names), sa.column("data", sa.JSON))
    reason = events.c.data["reason"].as_string()
    is_taken = (events.c.kind == "substituted") & (reason != "its player, a guest, goes on with an account")
    is_of_seat = is_taken & (events.c.data["seat"].as_integer() == seats.c.number)
    for table, column, which in ((messages, "event", events.c.at < messages.c.at), (seats, "team_since", is_of_seat)):
        newest = sa.select(sa.func.max(events.c.number)).where(events.c.game_id == table.c.game_id, which)
        op.execute(sa.update(table).values({column: sa.func.coalesce(newest.scalar_subquery(), 0)}))
    # Who left a running game has a number.
    started = "FROM games WHERE games.id = former_holders.game_id AND started_at IS NOT NULL"
    op.execute(f"UPDATE former_holders SET team_since = (SELECT games.events {started})")  # noqa: S608 constants


def _close_broken_games() -> None:
    op.add_column("games", sa.Column("broken", sa.String(), nullable=True))
    op.create_index("ix_games_broken", "games", ["id"], sqlite_where=BROKEN, postgresql_where=BROKEN)
    op.execute("UPDATE outbox SET kind = 'reinstated' WHERE kind = 'repaired'")  # both say that the game goes on


def _let_keys_expire() -> None:
    """Keep the answer under an Idempotency-Key for a day, and its key as long as its game."""
    is_sqlite = op.get_context().dialect.name == "sqlite"
    with op.batch_alter_table("answered") as answered:
        answered.drop_index("ix_answered_look_at")
        answered.alter_column("look_at", new_column_name="expires_at")
        answered.alter_column("answer", existing_type=sa.LargeBinary(), nullable=True)
        answered.add_column(sa.Column("game_id", sa.String(32), nullable=True))
    op.create_index("ix_answered_expires_at", "answered", ["expires_at"])
    # A request that opened a game names it in its encrypted answer alone; its key is kept for 30 days.
    find = "instr" if is_sqlite else "strpos"
    rest = f"substr(route, {find}(route, '/games/') + 7) || '/'"
    op.execute(f"UPDATE answered SET game_id = substr({rest}, 1, {find}({rest}, '/') - 1) WHERE route LIKE '%/games/%'")  # noqa: S608 constants
    tomorrow = "strftime('%Y-%m-%d %H:%M:%S.000000', created_at, '+1 day')"
    tomorrow = tomorrow if is_sqlite else "created_at + interval '1 day'"
    op.execute(f"UPDATE answered SET expires_at = {tomorrow}")  # noqa: S608 constants


def _index_fewer_mails() -> None:
    """Index fewer mails that were sent, and keep what the relay said."""
    op.add_column("outbox", sa.Column("refusal", sa.LargeBinary(), nullable=True))
    for name, columns, where in (("waiting", ["state", "not_before"], UNFINISHED), ("told_in", ["told_in"], TOLD)):
        op.drop_index(f"ix_outbox_{name}", "outbox")
        op.create_index(f"ix_outbox_{name}", "outbox", columns, sqlite_where=where, postgresql_where=where)


def _gather_no_more() -> None:
    """Make of `gathered N` the usual mails, or one a day if N was more than 60 minutes.

    What is held comes in the digest that is scheduled for it.
    """
    for table in ("players", "mail_wishes"):
        gathered = sa.table(table, sa.column("mail", sa.String))
        minutes = sa.cast(sa.func.substr(gathered.c.mail, len("gathered ") + 1), sa.Integer)
        is_gathered = gathered.c.mail.like("gathered %")
        choice = sa.case((minutes > 60, "daily 18:00"), else_="usual")
        op.execute(sa.update(gathered).where(is_gathered).values(mail=choice))


def _let_devices_call() -> None:
    op.add_column("webhooks", sa.Column("device", sa.String(60), nullable=True))
    op.add_column("webhooks", sa.Column("games", sa.String(), nullable=True))
    op.add_column("webhooks", sa.Column("session", sa.String(64), nullable=True))
    op.add_column("webhooks", sa.Column("format", sa.String(8), nullable=False, server_default="json"))
    name, where = "ix_webhooks_session", HAS_SESSION
    op.create_index(name, "webhooks", ["session"], sqlite_where=where, postgresql_where=where)
    op.add_column("webhook_deliveries", sa.Column("mail", sa.String(32), nullable=True))
    op.create_table(
        "push_keys",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_push_keys")),
    )
