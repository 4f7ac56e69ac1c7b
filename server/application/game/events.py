"""The events of a game: public facts, numbered, timed and chained by the sealed log."""

from typing import Any

from server.application.decisions import seal
from server.application.game import webhook_rows
from server.models import Event, Game, insert
from server.runtime import now


def record_event(game: Game, kind: str, **data: Any) -> None:
    """Append an event to the game's public log, and to the webhooks of its people.

    `data` may hold public facts only. An event is never changed afterwards.
    """
    game.events += 1
    # A clock that is set right may go back; the events of a game do not.
    at = game.happened_at = max(now(), game.happened_at or now())
    game.head = seal.link(game.head, game.events, kind, at, data)
    moves = (game.turn or 1) - 1
    row = {"game_id": game.id, "number": game.events, "kind": kind, "moves": moves, "data": data, "at": at}
    insert(Event, row | {"head": game.head})
    webhook_rows.insert_deliveries(game)
