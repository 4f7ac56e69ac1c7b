"""Read the queued moves of a game, for views, pages and mails; `decisions/queue.py` changes them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, bindparam, select

from server.application.game.access import seat_of
from server.models import Game, Player, QueuedMove, rows, table_of

_OF_GAME = select(table_of(QueuedMove)).where(QueuedMove.game_id == bindparam("game"))
_OF_GAME = _OF_GAME.order_by(QueuedMove.kept_at, QueuedMove.pawn)
_OF_GAMES = select(table_of(QueuedMove)).where(QueuedMove.game_id.in_(bindparam("games", expanding=True)))
QueuedRow = Row[Any]
"""A row of the table of `QueuedMove`, read without its class."""


def of_game(game_id: str) -> list[QueuedRow]:
    """Return the queued moves of the game in the order in which they came."""
    return list(rows(_OF_GAME, game=game_id))


def of_games(ids: Sequence[str]) -> dict[str, list[QueuedRow]]:
    """Return the queued moves of each of the games, in one statement."""
    found: dict[str, list[QueuedRow]] = {game_id: [] for game_id in ids}
    for row in rows(_OF_GAMES, games=ids) if ids else ():
        found[row.game_id].append(row)
    return found


def of_player(game: Game, player: Player) -> list[dict[str, str]]:
    """Return the queued moves of `player`, as `facts`."""
    own = seat_of(game, player).number
    return [facts(row) for row in of_game(game.id) if row.seat == own]


def facts(row: Any) -> dict[str, str]:
    """Return a queued move as the team sees it."""
    return {"pawn": row.pawn, "notation": row.notation}
