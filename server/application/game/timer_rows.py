"""The timers of games for lists and mails; and those of invitations, which belong to no turn."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, select

from server.application.game import situation_statements as statements
from server.house_rules.standing import QueuedMove, Timer
from server.house_rules.timers import SHARED
from server.models import ARMED, Deadline, Game, execute, insert, rows
from server.models import QueuedMove as QueuedRow
from server.runtime import runtime

_TIMEOUTS = select(Deadline.game_id, *statements.columns(Deadline, statements.TIMER_COLUMNS))
_TIMEOUTS = _TIMEOUTS.where(Deadline.game_id.in_(bindparam("games", expanding=True)))
_TIMEOUTS = _TIMEOUTS.where(Deadline.kind == "timeout", Deadline.state == ARMED)
_TIMEOUTS = _TIMEOUTS.order_by(Deadline.due_at, Deadline.seat)


def timeouts_of(ids: Sequence[str]) -> dict[str, list[Timer]]:
    """Return the timeouts of the current turns of each of the games, the earliest first, in one statement."""
    found: dict[str, list[Timer]] = {game_id: [] for game_id in ids}
    for row in rows(_TIMEOUTS, games=ids) if ids else ():
        found[row.game_id].append(Timer(*tuple(row)[1:]))
    return found


def schedule(game: Game, kind: str, due_at: datetime, serial: int = 1, **of: object) -> None:
    """Insert a timer that fires at `due_at`."""
    row = {"id": runtime().new_id("deadline"), "game_id": game.id, "kind": kind, "serial": serial}
    turn = {"side": game.side, "round": game.round, "seat": SHARED, "step": 0}
    execute(insert(Deadline), row | turn | {"due_at": due_at, "try_at": due_at} | of)


_OF_GAMES = select(QueuedRow.game_id, *statements.columns(QueuedRow, statements.QUEUED_COLUMNS))
_OF_GAMES = _OF_GAMES.where(QueuedRow.game_id.in_(bindparam("games", expanding=True)))


def queue_of(game_id: str) -> list[QueuedMove]:
    """Return the queued moves of the game in the order in which they came."""
    return [QueuedMove(*tuple(row)) for row in rows(statements.QUEUE, game=game_id)]


def queues_of(ids: Sequence[str]) -> dict[str, list[QueuedMove]]:
    """Return the queued moves of each of the games, in one statement."""
    found: dict[str, list[QueuedMove]] = {game_id: [] for game_id in ids}
    for row in rows(_OF_GAMES, games=ids) if ids else ():
        found[row.game_id].append(QueuedMove(*tuple(row)[1:]))
    return found
