"""Feeds: the events of one game, or of all games of a player, in pages."""

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Integer, bindparam, select

from server.application.errors import Problem
from server.application.game.access import CLOSED_TO_PLAYER, GAMES_OF_PLAYER
from server.application.game.sealed_log import facts
from server.models import Event, Game, Player, session
from server.models.types import UtcTime

_OPEN = (Game.id.in_(GAMES_OF_PLAYER), Game.id.not_in(CLOSED_TO_PLAYER))
_FIRST, _MOST = bindparam("first", type_=UtcTime), bindparam("most", type_=Integer)
# The time of a game's newest event leaves out the games without news; the events of a game are in the order of time.
_NEWS = select(Game.id).where(*_OPEN, Game.happened_at >= _FIRST)
_OF_PLAYER = select(Event).where(Event.game_id.in_(_NEWS), Event.at >= _FIRST)
_OF_PLAYER = _OF_PLAYER.order_by(Event.at, Event.game_id, Event.number).limit(_MOST)
_ONE = select(Event).join(Game, Game.id == Event.game_id)
_ONE = _ONE.where(Event.game_id == bindparam("game"), Event.number == bindparam("number"), *_OPEN)
# An event is timed before it is committed, so it may become visible after a later one, by less than this.
LATEST = timedelta(minutes=1)


def of_game(game: Game, after: int = 0, limit: int = 100) -> dict[str, Any]:
    """Return at most `limit` events of `game` after number `after`; `next` is the `after` of the next page."""
    query = select(Event).where(Event.game_id == game.id, Event.number > after).order_by(Event.number).limit(limit)
    events = [facts(event) for event in session.scalars(query)]
    return {"events": events, "next": events[-1]["number"] if events else after}


def of_player(player: Player, after: str | None = None, limit: int = 100) -> dict[str, Any]:
    """Return at most `limit` events of the games of `player`, by time; `next` is the `after` of the next page."""
    place = _Place.read(after)
    wanted = {"player": player.id, "first": place.at - LATEST, "most": limit + len(place.seen)}
    events = [event for event in session.scalars(_OF_PLAYER, wanted) if _key(event) not in place.seen]
    return {"events": [_entry(event) for event in events[:limit]], "next": place.beyond(events[:limit]).written()}


def event_for(player: Player, game_id: str, number: int) -> dict[str, Any] | None:
    """Return one event as the feed of `player` has it; None if it is not in the feed."""
    event = session.scalar(_ONE, {"player": player.id, "game": game_id, "number": number})
    return None if event is None else _entry(event)


def _entry(event: Event) -> dict[str, Any]:
    return {"game": event.game_id, **facts(event)}


class _Place(NamedTuple):
    """The place of a reader: the time of their newest event, and the events they have of the time just before."""

    at: datetime
    seen: frozenset[tuple[str, int]]

    @staticmethod
    def read(text: str | None) -> "_Place":
        if text is None:
            return _Place(datetime(1970, 1, 2, tzinfo=UTC), frozenset())
        try:
            at, seen = json.loads(base64.urlsafe_b64decode(text.encode("ascii")))
            return _Place(_time(at), frozenset((str(game), int(number)) for game, number in seen))
        except (ValueError, TypeError, OverflowError):
            raise Problem("form", "after: take the `next` of an earlier answer as it is.") from None

    def beyond(self, events: Sequence[Event]) -> "_Place":
        at = max([self.at, *(event.at for event in events)])
        # Older events count as seen by their time.
        seen = self.seen if at - self.at <= LATEST else frozenset()
        return _Place(at, seen | {_key(event) for event in events if event.at >= at - LATEST})

    def written(self) -> str:
        data = [self.at.isoformat(), sorted(self.seen)]
        return base64.urlsafe_b64encode(json.dumps(data, separators=(",", ":")).encode()).decode()


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None or time.year < 1970:
        raise ValueError("not a time of ours")
    return time


def _key(event: Event) -> tuple[str, int]:
    return event.game_id, event.number
