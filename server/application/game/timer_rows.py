"""The rows of timers: those of a game for pages and mails, and those of invitations, which belong to no turn."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from server.application.decisions.timers import SHARED, is_in_grace, role_of_phase
from server.models import ARMED, Deadline, Game, Seat, insert, session
from server.runtime import runtime

_TIMEOUTS = (Deadline.game_id == bindparam("game"), Deadline.kind == "timeout", Deadline.state == ARMED)
_RUNNING_OF = select(Deadline).where(Deadline.game_id.in_(bindparam("games", expanding=True)), *_TIMEOUTS[1:])
_RUNNING_OF = _RUNNING_OF.order_by(Deadline.due_at, Deadline.seat)
_RUNNING = select(Deadline).where(*_TIMEOUTS).order_by(Deadline.due_at, Deadline.seat)


def running(game: Game) -> Sequence[Deadline]:
    """Return the timeouts of the current turns, the earliest first."""
    return session.scalars(_RUNNING, {"game": game.id}).all()


def running_of(ids: Sequence[str]) -> dict[str, list[Deadline]]:
    """Return the timeouts of the current turns of each of the games, the earliest first, in one statement."""
    found: dict[str, list[Deadline]] = {game_id: [] for game_id in ids}
    for row in session.scalars(_RUNNING_OF, {"games": ids}) if ids else ():
        found[row.game_id].append(row)
    return found


def timer_of(game: Game, seat: Seat, timeouts: Sequence[Deadline] | None = None) -> Deadline | None:
    """Return the timeout of the seat, its own or the shared one; None if none runs. `timeouts` saves reading them."""
    mine = (SHARED, seat.number)
    found = running(game) if timeouts is None else timeouts
    return next((row for row in found if seat.role == role_of_phase(game) and row.seat in mine), None)


def own_or_earliest(timeouts: Sequence[Deadline], seat: Seat | None) -> Deadline | None:
    """Return the seat's timeout, or else the earliest one; `timeouts` has the earliest first."""
    own = (row for row in timeouts if seat is not None and row.seat in (SHARED, seat.number))
    return next(own, next(iter(timeouts), None))


def has_grace(game: Game, seat: Seat) -> bool:
    """Return True if the seat's time is up and its grace period runs."""
    return is_in_grace(running(game), seat.number)


def schedule(game: Game, kind: str, due_at: datetime, serial: int = 1, **of: Any) -> None:
    """Insert a timer that fires at `due_at`."""
    row = {"id": runtime().new_id("deadline"), "game_id": game.id, "kind": kind, "serial": serial}
    turn = {"side": game.side, "round": game.round, "seat": SHARED, "step": 0}
    insert(Deadline, row | turn | {"due_at": due_at, "try_at": due_at} | of)
