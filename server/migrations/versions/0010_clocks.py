"""Clocks of every kind, and time off."""

import re
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "absences",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("begin", TIME, nullable=False),
        sa.Column("end", TIME, nullable=False),
        sa.Column("is_automatic", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_absences_player_id_players")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_absences")),
    )
    op.create_index(op.f("ix_absences_player_id"), "absences", ["player_id"])
    op.create_table(
        "motions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("wish", sa.JSON(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("closes_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_motions_game_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_motions")),
    )
    op.create_index(op.f("ix_motions_game_id"), "motions", ["game_id"])
    op.create_table(
        "ballots",
        sa.Column("motion_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("is_for", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["motion_id"], ["motions.id"], name=op.f("fk_ballots_motion_id_motions")),
        sa.PrimaryKeyConstraint("motion_id", "seat", name=op.f("pk_ballots")),
    )
    _add("players", {}, sa.Column("night", sa.String(length=11)))
    _add("players", {"spends_vacation": False}, sa.Column("spends_vacation", sa.Boolean()))
    _add("games", {"pauses": []}, sa.Column("pauses", sa.JSON()))
    _add("games", {}, sa.Column("warned_at", TIME))
    _add("seats", {"is_offered": False}, sa.Column("is_offered", sa.Boolean()))
    _add("seats", {}, sa.Column("bank", sa.Integer()), sa.Column("cover", sa.Integer()))
    _add("deadlines", {"seat": 0, "step": 0}, sa.Column("seat", sa.Integer()), sa.Column("step", sa.Integer()))
    columns = (sa.Column("began_at", TIME), sa.Column("more", sa.JSON()), sa.Column("steps", sa.JSON()))
    _add("deadlines", {}, *columns)
    with op.batch_alter_table("deadlines") as deadlines:
        deadlines.drop_constraint(op.f("uq_deadlines_game_id_kind_round_side_serial"), type_="unique")
        deadlines.create_unique_constraint(
            op.f("uq_deadlines_game_id_kind_round_side_seat_step_serial"),
            ["game_id", "kind", "round", "side", "seat", "step", "serial"],
        )
    _explain_what_runs()


def _add(table: str, values: dict[str, Any], *columns: Any) -> None:
    """Add columns to a table; those in `values` get that value in all existing rows, and are never null."""
    with op.batch_alter_table(table) as altered:
        for column in columns:
            altered.add_column(column)
    if values:
        rows = sa.table(table, *(sa.column(column.name, column.type) for column in columns))
        op.execute(sa.update(rows).values(values))
        with op.batch_alter_table(table) as altered:
            for column in columns:
                altered.alter_column(column.name, existing_type=column.type, nullable=False)


def _explain_what_runs() -> None:
    """Keep the running deadlines as they were set: with days of 24 hours, and one for each side."""
    games = sa.table("games", sa.column("id"), sa.column("clock", sa.JSON()))
    texts = [sa.column(name, sa.String()) for name in ("id", "game_id", "kind", "side", "state")]
    times = [sa.column(name, TIME) for name in ("due_at", "began_at")]
    columns: Any = (*texts, *times, sa.column("more", sa.JSON()), sa.column("steps", sa.JSON()))
    deadlines: Any = sa.table("deadlines", *columns)
    running = sa.select(deadlines.c.id, deadlines.c.side, deadlines.c.due_at, games.c.clock)
    running = running.join(games, games.c.id == deadlines.c.game_id)
    running = running.where(deadlines.c.kind == "timeout", deadlines.c.state == "armed")
    for row in op.get_bind().execute(running).all():
        length = _length(row.clock[row.side])
        began = row.due_at - length
        who = "Mr. X has" if row.side == "mr_x" else "the detectives have"
        steps = [
            ["from", "from {}", _utc(began), None],
            ["given", f"{who} {length / timedelta(hours=1):g} hours", None, None],
            ["due", "due {}", _utc(row.due_at), None],
        ]
        mine = deadlines.c.id == row.id
        op.execute(sa.update(deadlines).where(mine).values(began_at=began, more=[], steps=steps))


def _utc(time: Any) -> str:
    """Return a time as it is stored in JSON; SQLite returns it without its zone."""
    return str(time.isoformat() if time.tzinfo else f"{time.isoformat()}+00:00")


def _length(text: str) -> timedelta:
    units = {"W": "weeks", "D": "days", "H": "hours", "M": "minutes", "S": "seconds"}
    return sum((timedelta(**{units[unit]: int(n)}) for n, unit in re.findall(r"(\d+)([WDHMS])", text)), timedelta())
