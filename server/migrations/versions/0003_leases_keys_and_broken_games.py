"""Leases are times, keys and their answers expire apart, and broken games are closed to moves.

Mail that was gathered over some minutes comes as usual or once a day.
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


def upgrade() -> None:
    _make_processes_again()
    _close_broken_games()
    _let_keys_expire()
    _index_fewer_mails()
    _gather_no_more()
    op.add_column("players", sa.Column("closing_lines", sa.JSON(), nullable=True))
    op.add_column("games", sa.Column("starts_when_full", sa.Boolean(), nullable=True))
    op.add_column("webhook_deliveries", sa.Column("notice", sa.String(32), nullable=True))


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
