"""The timers of a game as pages and mails read them, and those of invitations, which belong to no turn."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from server.application.decisions.timers import SHARED, is_in_grace, role_of_phase
from server.models import Deadline, Game, Seat, insert, session
from server.runtime import runtime

_TIMEOUTS = (Deadline.game_id == bindparam("game"), Deadline.kind == "timeout", Deadline.state == "armed")
_RUNNING = select(Deadline).where(*_TIMEOUTS).order_by(Deadline.due_at, Deadline.seat)


def running(game: Game) -> Sequence[Deadline]:
    """Return the timeouts of the current turns, the earliest first."""
    return session.scalars(_RUNNING, {"game": game.id}).all()


def timer_of(game: Game, seat: Seat) -> Deadline | None:
    """Return the timeout of the seat, its own or the shared one; None if none runs."""
    mine = (SHARED, seat.number)
    return next((row for row in running(game) if seat.role == role_of_phase(game) and row.seat in mine), None)


def has_grace(game: Game, seat: Seat) -> bool:
    """Return True if the seat's time is up and its grace period runs."""
    return is_in_grace(running(game), seat.number)


def schedule(game: Game, kind: str, due_at: datetime, serial: int = 1, **of: Any) -> None:
    """Insert a timer that fires at `due_at`."""
    row = {"id": runtime().new_id("deadline"), "game_id": game.id, "kind": kind, "serial": serial}
    turn = {"side": game.side, "round": game.round, "seat": SHARED, "step": 0}
    insert(Deadline, row | turn | {"due_at": due_at, "try_at": due_at} | of)
