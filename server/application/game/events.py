"""The events of a game: public facts, numbered, timed and chained by the sealed log."""

from typing import Any

from server.application.game import webhook_rows
from server.house_rules.draft import next_event
from server.models import Event, Game, execute, insert
from server.runtime import now


def record_event(game: Game, kind: str, **data: Any) -> None:
    """Append an event to the game's public log, and to the webhooks of its people.

    `data` may hold public facts only. An event is never changed afterwards.
    """
    event = next_event(game, now(), kind, data)
    execute(insert(Event), {"game_id": game.id} | event._asdict())
    webhook_rows.insert_deliveries(game)
