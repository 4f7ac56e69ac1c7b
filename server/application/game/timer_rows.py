"""The timers and the queued moves of games, for lists and mails."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import BindParameter, Executable, bindparam, select

from server.application.game import situation_statements as statements
from server.house_rules.standing import QueuedMove, Timer
from server.models import ARMED, Deadline, rows
from server.models import QueuedMove as QueuedRow

Value = TypeVar("Value")
_GAMES: BindParameter[list[str]] = bindparam("games", expanding=True)
_TIMEOUTS = select(Deadline.game_id, *statements.columns(Deadline, statements.TIMER_COLUMNS))
_TIMEOUTS = _TIMEOUTS.where(Deadline.game_id.in_(_GAMES), Deadline.kind == "timeout", Deadline.state == ARMED)
_TIMEOUTS = _TIMEOUTS.order_by(Deadline.due_at, Deadline.seat)
_QUEUES = select(QueuedRow.game_id, *statements.columns(QueuedRow, statements.QUEUED_COLUMNS))
_QUEUES = _QUEUES.where(QueuedRow.game_id.in_(_GAMES))


def timeouts_of(ids: Sequence[str]) -> dict[str, list[Timer]]:
    """Return the timeouts of the current turns of each of the games, the earliest first, in one statement."""
    return _by_game(Timer, _TIMEOUTS, ids)


def queues_of(ids: Sequence[str]) -> dict[str, list[QueuedMove]]:
    """Return the queued moves of each of the games, in one statement."""
    return _by_game(QueuedMove, _QUEUES, ids)


def queue_of(game_id: str) -> list[QueuedMove]:
    """Return the queued moves of the game in the order in which they came."""
    return [QueuedMove(*tuple(row)) for row in rows(statements.QUEUE, game=game_id)]


def _by_game(kind: Callable[..., Value], query: Executable, ids: Sequence[str]) -> dict[str, list[Value]]:
    found: dict[str, list[Value]] = {game_id: [] for game_id in ids}
    for row in rows(query, games=ids) if ids else ():
        found[row.game_id].append(kind(*tuple(row)[1:]))
    return found
