"""Read the queued moves of games, for lists and mails; `house_rules/queue.py` changes them."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from server.application.game import situation_statements as statements
from server.house_rules.standing import QueuedMove
from server.models import QueuedMove as QueuedRow
from server.models import rows

_OF_GAMES = select(QueuedRow.game_id, *statements.columns(QueuedRow, statements.QUEUED_COLUMNS))
_OF_GAMES = _OF_GAMES.where(QueuedRow.game_id.in_(bindparam("games", expanding=True)))


def of_game(game_id: str) -> list[QueuedMove]:
    """Return the queued moves of the game in the order in which they came."""
    return [QueuedMove(*tuple(row)) for row in rows(statements.QUEUE, game=game_id)]


def of_games(ids: Sequence[str]) -> dict[str, list[QueuedMove]]:
    """Return the queued moves of each of the games, in one statement."""
    found: dict[str, list[QueuedMove]] = {game_id: [] for game_id in ids}
    for row in rows(_OF_GAMES, games=ids) if ids else ():
        found[row.game_id].append(QueuedMove(*tuple(row)[1:]))
    return found
