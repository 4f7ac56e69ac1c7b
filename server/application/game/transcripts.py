"""The chain of public events as it is stored, and the transcript of a game, which holds all of it.

The format is that of docs/seal-format.md; `server/sealing/` computes its hashes.
"""

from collections.abc import Sequence
from functools import cache
from typing import TypedDict

from sqlalchemy import bindparam, select

from server import engine
from server.application.errors import Problem
from server.house_rules import sealed_log
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import Standing
from server.models import Event, Game, session
from server.runtime import runtime
from server.sealing import commitments, hash_chain

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


def begin_chain(game: Game, state: engine.Game) -> None:
    """Begin the chain: commit the server to Mr. X's start, the deck and the rules."""
    deck = [list(cards) for cards in state.deck] if state.deck else None
    secrets: commitments.Secrets = {"key": runtime().rng("seal").randbytes(32).hex(), "deck": deck}
    game.log_secrets = secrets
    header: sealed_log.Header = {
        "format": commitments.FORMAT,
        "game": game.id,
        "edition": game.edition,
        "options": game.options,
        "board": _board_digest(state.edition.board.name),
        "seats": [list(pawns) for pawns in state.seats],
        "starts": game.starts,
        "position": state.start.public() if state.is_set_up else None,
        "start": commitment_to_start(game, state),
        "deck": _commitment(game, commitments.DECK, 0, [card for cards in deck for card in cards]) if deck else None,
        "first": game.events + 1,
    }
    game.header, game.head = header, hash_chain.first_link(header)


def commitment_to_start(game: Game, state: engine.Game) -> str:
    """Return the commitment to the station Mr. X began on."""
    return _commitment(game, commitments.STATION, 0, state.starts["mr_x"])


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
        raise Problem("game-not-running", "This game has not begun; there is no transcript of it.")
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


def _commitment(game: Game, field: str, window: int, value: int | Sequence[int]) -> str:
    return runtime().commit(_key(game), game.id, field, window, value)


def _key(game: Game) -> bytes:
    assert game.log_secrets is not None
    return bytes.fromhex(game.log_secrets["key"])


@cache
def _board_digest(name: str) -> str:
    board = engine.Board.named(name)
    passes_over = ((transport, a, b, over) for (transport, a, b), over in board.passes_over.items() if a < b)
    return commitments.board_digest(board.lines, passes_over)
