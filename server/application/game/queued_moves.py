"""Moves ahead: a detective's move that waits in a queue for its turn, at most one for each pawn."""

from typing import Any

from sqlalchemy import Row, bindparam, select

from server.application.game.access import seat_of
from server.models import Game, Player, QueuedMove, rows, table_of

_OF_GAME = select(table_of(QueuedMove)).where(QueuedMove.game_id == bindparam("game"))
_OF_GAME = _OF_GAME.order_by(QueuedMove.kept_at, QueuedMove.pawn)
QueuedRow = Row[Any]
"""A row of the table of `QueuedMove`, read without its class."""


def of_game(game_id: str) -> list[QueuedRow]:
    """Return the queued moves of the game in the order in which they came."""
    return list(rows(_OF_GAME, game=game_id))


def of_player(game: Game, player: Player) -> list[dict[str, str]]:
    """Return the queued moves of `player`, as `facts`."""
    own = seat_of(game, player).number
    return [facts(row) for row in of_game(game.id) if row.seat == own]


def facts(row: QueuedRow) -> dict[str, str]:
    """Return a queued move as the team sees it."""
    return {"pawn": row.pawn, "notation": row.notation}
