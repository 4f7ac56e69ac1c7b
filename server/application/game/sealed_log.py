"""The sealed log of a game: what the game commits to, when each commitment is opened, and the transcript of it all.

The format is that of docs/seal-format.md; `server/commitments.py` computes its hashes.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import select

from server import commitments, engine
from server.application.errors import Problem
from server.durations import rfc3339
from server.models import Event, Game, session
from server.runtime import runtime


def begin(game: Game, state: engine.Game) -> None:
    """Begin the chain: commit the server to Mr. X's start, the deck and the rules."""
    deck = [list(cards) for cards in state.deck] if state.deck else None
    game.log_secrets = {"key": runtime().rng("seal").randbytes(32).hex(), "deck": deck}
    game.header = {
        "format": commitments.FORMAT,
        "game": game.id,
        "edition": game.edition,
        "options": game.options,
        "board": _board_digest(state.edition.board.name),
        "seats": [list(pawns) for pawns in state.seats],
        "starts": game.starts,
        "position": state.start.public() if state.is_set_up else None,
        "start": of_start(game, state),
        "deck": deck and _commitment(game, commitments.DECK, 0, [card for cards in deck for card in cards]),
        "first": game.events + 1,
    }
    game.head = commitments.first_link(game.header)


def link(game: Game, number: int, kind: str, at: datetime, data: Mapping[str, Any]) -> None:
    """Append a new event to the game's chain, which begins with the start."""
    if game.head is not None:
        game.head = commitments.link(game.head, _facts(number, kind, at, data))


def of_start(game: Game, state: engine.Game) -> str:
    """Return the commitment to the station Mr. X began on."""
    return _commitment(game, commitments.STATION, 0, state.starts["mr_x"])


def first_head(game: Game) -> str:
    """Return the head of the chain before its first event, from what the game began with."""
    assert game.header is not None
    return commitments.first_link(game.header)


def head_after(head: str, event: Any) -> str:
    """Return the head of the chain after an event, given the head before it."""
    return commitments.link(head, _facts(event.number, event.kind, event.at, event.data))


def of_move(game: Game, state: engine.Game, windows: tuple[engine.Window, ...]) -> dict[str, Any]:
    """Return the part of the newest move's event for the sealed log: commitments to `windows`, and what is opened."""
    sealed = [
        {
            "window": window.number,
            "station": _commitment(game, commitments.STATION, window.number, window.station),
            "transport": _commitment(game, commitments.TRANSPORT, window.number, window.transport),
        }
        for window in windows
    ]
    shown = {window.number: window.station for window in windows if window.surfaced}
    if state.outcome is not None and state.outcome.reason == "captured":
        shown[state.log[-1].number if state.log else 0] = state.station("mr_x")
    opened = [
        {"window": number, "station": station, "salt": commitments.salt(_key(game), commitments.STATION, number).hex()}
        for number, station in shown.items()
    ]
    return {name: value for name, value in (("sealed", sealed), ("opened", opened)) if value}


def opening(game: Game, state: engine.Game) -> dict[str, Any]:
    """Return everything that was sealed, for the event that makes the result final."""
    assert game.log_secrets is not None
    return {
        "opening": {
            "key": game.log_secrets["key"],
            "stations": [state.starts["mr_x"], *(window.station for window in state.log)],
            "transports": [window.transport for window in state.log],
            "deck": game.log_secrets["deck"],
        }
    }


def transcript(game: Game, until: int | None = None) -> dict[str, Any]:
    """Return all public facts of a game since its start, with the chain over them, until event `until` or the newest.

    Raises:
        Problem: `game-not-running` before the start.
    """
    if game.header is None:
        raise Problem("game-not-running", "This game has not begun; there is no transcript of it.")
    numbers = Event.number.between(game.header["first"], until or game.events)
    query = select(Event).where(Event.game_id == game.id, numbers)
    events = session.scalars(query.order_by(Event.number)).all()
    return {
        "format": commitments.FORMAT,
        "name": game.name,
        "header": game.header,
        "events": [facts(event) for event in events],
        "event": events[-1].number,
        "head": events[-1].head,
    }


def head(game: Game) -> dict[str, Any] | None:
    """Return the newest event and the head of the chain after it, as every view has them."""
    return {"event": game.events, "head": game.head} if game.head else None


def facts(event: Event) -> dict[str, Any]:
    """Return an event as it is hashed and published."""
    return _facts(event.number, event.kind, event.at, event.data)


def _facts(number: int, kind: str, at: datetime, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"number": number, "kind": kind, "at": rfc3339(at), "data": data}


def _commitment(game: Game, field: str, window: int, value: Any) -> str:
    return runtime().commit(_key(game), game.id, field, window, value)


def _key(game: Game) -> bytes:
    assert game.log_secrets is not None
    return bytes.fromhex(game.log_secrets["key"])


@cache
def _board_digest(name: str) -> str:
    board = engine.Board.named(name)
    passes_over = ((transport, a, b, over) for (transport, a, b), over in board.passes_over.items() if a < b)
    return commitments.board_digest(board.lines, passes_over)
