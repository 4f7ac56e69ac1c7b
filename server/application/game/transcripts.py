"""The chain of public events as it is stored, and the transcript of a game, which holds all of it.

The format is that of docs/seal-format.md; `server/sealing/` computes its hashes.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from sqlalchemy import bindparam, select

from server import clock as clocks
from server.house_rules import sealed_log
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import Standing
from server.models import Event, Game, rows, session
from server.sealing import commitments, hash_chain
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import parse_duration
from server.vocabulary.errors import refusal
from server.vocabulary.events import EVENT_KINDS

_HEADER = select(Game.header).where(Game.id == bindparam("game"))


class Head(TypedDict):
    """The number of the newest event, and the head of the chain after it."""

    event: int
    head: str


class Transcript(TypedDict):
    """All public facts of a game since its start, with the chain over them."""

    format: str
    name: str
    header: sealed_log.Header
    events: list[sealed_log.Published]
    event: int
    head: str | None


class Result(TypedDict):
    """The result of a game by its public events; `status` is open, running or over."""

    status: str
    winner: str | None
    reason: str | None
    final: bool
    final_at: datetime | None


def events_of(game_id: str, until: int | None = None) -> list[PublicEvent]:
    """Return the public events of a game in their order, until that number or the newest."""
    columns = (Event.number, Event.kind, Event.moves, Event.data, Event.head, Event.at)
    query = select(*columns).where(Event.game_id == game_id).order_by(Event.number)
    return [PublicEvent(*tuple(row)) for row in rows(query if until is None else query.where(Event.number <= until))]


def result_of(events: Sequence[PublicEvent], clock: Clock) -> Result:
    """Return the result of a game after these events, the first ones of it."""
    result: Result = {"status": "open", "winner": None, "reason": None, "final": False, "final_at": None}
    for event in events:
        data = event.data
        match EVENT_KINDS[event.kind].result:
            case "none":
                result = {"status": "running", "winner": None, "reason": None, "final": False, "final_at": None}
            case "closed":
                result = {"status": "over", "winner": "draw", "reason": "expired", "final": True, "final_at": None}
            case "given":
                final_at = None if data["final"] else event.at + clocks.provisional_period(clock)
                result["winner"], result["reason"], result["final"] = data["winner"], data["reason"], data["final"]
                result["status"], result["final_at"] = "over", final_at
            case "for good":
                result |= {"final": True, "final_at": None}
            case "put off" if result["final_at"] is not None:
                result["final_at"] += parse_duration(data["by"])
            case "set" if result["final_at"] is not None:
                result["final_at"] = datetime.fromisoformat(data["final_at"])
    return result


def first_head(game: Game) -> str:
    """Return the head of the chain before its first event, from what the game began with."""
    assert game.header is not None
    return hash_chain.first_link(game.header)


def head_after(head: str, event: Event | PublicEvent) -> str:
    """Return the head of the chain after an event, given the head before it."""
    return hash_chain.link(head, facts(event))


def of_game(game: Standing, until: int | None = None) -> Transcript:
    """Return all public facts of a game since its start, with the chain over them, until event `until` or the newest.

    Raises:
        Problem: `game-not-running` before the start.
    """
    header = session.scalar(_HEADER, {"game": game.id})
    if header is None:
        raise refusal("game-not-running", "This game has not begun; there is no transcript of it.")
    numbers = Event.number.between(header["first"], until or game.events)
    query = select(Event).where(Event.game_id == game.id, numbers)
    events = session.scalars(query.order_by(Event.number)).all()
    return {
        "format": commitments.FORMAT,
        "name": game.name,
        "header": header,
        "events": [facts(event) for event in events],
        "event": events[-1].number,
        "head": events[-1].head,
    }


def head(game: Standing) -> Head | None:
    """Return the newest event and the head of the chain after it, as every view has them."""
    return {"event": game.events, "head": game.head} if game.head else None


def facts(event: Event | PublicEvent) -> sealed_log.Published:
    """Return an event as it is hashed and published."""
    return sealed_log.facts(event.number, event.kind, event.at, event.data)
