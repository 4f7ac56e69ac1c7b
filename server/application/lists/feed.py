"""Feeds: the events of one game, or of all games of a player with what is told to that player alone, in pages."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, NotRequired, TypedDict, cast

from sqlalchemy import Integer, bindparam, select

from server.application.game.access import CLOSED_TO_PLAYER, GAMES_OF_PLAYER
from server.application.game.practice import purposes
from server.application.game.transcripts import facts
from server.application.lists import notices
from server.application.lists.notices import Notice
from server.bots.purpose import Purpose
from server.house_rules.sealed_log import Published
from server.house_rules.standing import Standing
from server.models import Event, Game, Player, Seat, WebhookDelivery, rows, session
from server.models.types import UtcTime
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem

_OPEN = (Game.id.in_(GAMES_OF_PLAYER), Game.id.not_in(CLOSED_TO_PLAYER))
_FIRST, _MOST = bindparam("first", type_=UtcTime), bindparam("most", type_=Integer)
# The time of a game's newest event leaves out the games without news; the events of a game are in the order of time.
_NEWS = select(Game.id).where(*_OPEN, Game.happened_at >= _FIRST)
_OF_PLAYER = select(Event).where(Event.game_id.in_(_NEWS), Event.at >= _FIRST)
_OF_PLAYER = _OF_PLAYER.order_by(Event.at, Event.game_id, Event.number).limit(_MOST)
_ONE = select(Event).join(Game, Game.id == Event.game_id)
_ONE = _ONE.where(Event.game_id == bindparam("game"), Event.number == bindparam("number"), *_OPEN)
_SEAT = select(Seat.game_id).where(Seat.player_id == bindparam("player")).limit(1)
# An event is timed before it is committed, and a bot's move by up to `deadlines.BOTS_EVERY` before, so it may become
# visible after a later one, by less than this.
LATEST = timedelta(minutes=1)
MOST_SEEN = 10_000  # events that a place may count as seen, as each request reads all of them again
YEARS = range(1970, 9999)  # within them, times can be computed without an overflow
_NO_PLACE = "after: take the `next` of an earlier answer as it is."


class EventOfPlayer(TypedDict):
    """An event of one of a player's games, or what they alone are told, which has no number: see `notices`."""

    game: str
    number: int | None
    kind: str
    at: str
    data: Mapping[str, object]


class EventOfGame(Published):
    """An event of a game; in a practice game `why` says what the move of a bot detective was for."""

    why: NotRequired[str]


class EventsOfGame(TypedDict):
    """Events of a game, and the `after` of the next page."""

    events: list[EventOfGame]
    next: int


class EventsOfPlayer(TypedDict):
    """Events of all games of a player, and the `after` of the next page."""

    events: list[EventOfPlayer]
    next: str


def of_game(game: Standing, say: Callable[[Purpose], str], after: int = 0, limit: int = 100) -> EventsOfGame:
    """Return at most `limit` events of `game` after number `after`; `next` is the `after` of the next page.

    `say` writes what the move of a bot was for.
    """
    query = select(Event).where(Event.game_id == game.id, Event.number > after).order_by(Event.number).limit(limit)
    events = session.scalars(query).all()
    why = {number: say(purpose) for number, purpose in purposes(game, events).items()}
    told = cast("list[EventOfGame]", [facts(event) for event in events])
    for each in told:
        if each["number"] in why:
            each["why"] = why[each["number"]]
    return {"events": told, "next": told[-1]["number"] if told else after}


def of_player(player: Player, after: str | None = None, limit: int = 100) -> EventsOfPlayer:
    """Return at most `limit` events of the games of `player`, by time; `next` is the `after` of the next page."""
    place = _Place.read(after)
    first, most = place.at - LATEST, limit + place.how_many
    events = session.scalars(_OF_PLAYER, {"player": player.id, "first": first, "most": most})
    found = [*events, *notices.since(player.id, first, most)]
    new = sorted((each for each in found if not place.has(each)), key=lambda each: each.at)[:limit]
    return {"events": [_entry(each) for each in new], "next": place.beyond(new).written()}


def has_seat(player: Player) -> bool:
    """Return True if the player has a seat in any game."""
    return bool(rows(_SEAT, player=player.id))


def event_for(player_id: str, delivery: WebhookDelivery) -> EventOfPlayer | None:
    """Return what a message is about as the feed of the player has it; None if that is not, or no more, in the feed."""
    event: Event | Notice | None
    if delivery.mail is not None:
        event = notices.one(player_id, delivery.mail)
    else:
        event = session.scalar(_ONE, {"player": player_id, "game": delivery.game_id, "number": delivery.event})
    return None if event is None else _entry(event)


def _entry(event: Event | Notice) -> EventOfPlayer:
    if isinstance(event, Notice):
        return {"game": event.game_id, "number": None, "kind": event.kind, "at": rfc3339(event.at), "data": event.data}
    return {"game": event.game_id, **facts(event)}


def _run_of(event: Event | Notice) -> "_Run":
    game, number = (event.id, 0) if isinstance(event, Notice) else (event.game_id, event.number)
    return _Run(game, number, number, event.at)


class _Run(NamedTuple):
    """Events of a game in a row, numbers `first` to `last`; `at` is the time of the newest.

    A notice is a run of its own, number 0, with its id in place of the game's.
    """

    game: str
    first: int
    last: int
    at: datetime


class _Place(NamedTuple):
    """The place of a reader: the time of their newest event, and the events they have of the time just before.

    These are runs, as many as games in which something happened then: the place is part of an address, which a proxy or
    the server itself refuses if it is long.
    """

    at: datetime
    seen: Sequence[_Run]

    @staticmethod
    def read(text: str | None) -> "_Place":
        if text is None:
            return _Place(datetime(1970, 1, 2, tzinfo=UTC), ())
        try:
            written, runs = json.loads(base64.urlsafe_b64decode(text.encode("ascii")))
            at = _time(written)
            place = _Place(at, [_run(at, *run) for run in runs])
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise Problem("form", _NO_PLACE) from None
        if place.how_many > MOST_SEEN:
            raise Problem("form", _NO_PLACE)
        return place

    @property
    def how_many(self) -> int:
        """Return how many events the reader has of the time just before."""
        return sum(run.last - run.first + 1 for run in self.seen)

    def has(self, event: Event | Notice) -> bool:
        """Return True if the reader has an event of the time just before."""
        one = _run_of(event)
        return any(run.game == one.game and run.first <= one.first <= run.last for run in self.seen)

    def beyond(self, events: Sequence[Event | Notice]) -> "_Place":
        at = max([self.at, *(event.at for event in events)])
        runs: list[_Run] = []
        for run in sorted([*self.seen, *map(_run_of, events)]):
            before = runs[-1] if runs else None
            if before and before.game == run.game and run.first <= before.last + 1:
                runs[-1] = before._replace(last=max(before.last, run.last), at=max(before.at, run.at))
            else:
                runs.append(run)
        # Older events count as seen by their time.
        return _Place(at, [run for run in runs if run.at >= at - LATEST])

    def written(self) -> str:
        seen = [(run.game, run.first, run.last, (self.at - run.at) // timedelta(microseconds=1)) for run in self.seen]
        data = [self.at.isoformat(), seen]
        return base64.urlsafe_b64encode(json.dumps(data, separators=(",", ":")).encode()).decode()


def _run(newest: datetime, game: str, first: int, last: int | None = None, age: int = 0) -> _Run:
    """Return a run as it is written; `age` is how many microseconds older it is than the newest event.

    A place of an earlier version has a game and a number for each event.
    """
    run = _Run(str(game), int(first), int(first if last is None else last), newest - timedelta(microseconds=int(age)))
    if run.last < run.first:
        raise ValueError("not a run of ours")
    return run


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None or time.astimezone(UTC).year not in YEARS:
        raise ValueError("not a time of ours")
    return time
