"""The part of an event that the sealed log adds: commitments of a move, openings, and the hash that chains the event.

The format is that of docs/seal-format.md; `server/sealing/` computes its hashes. The
secrets are those of `Situation.log_secrets`, null before the start.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple, TypedDict

from server import engine
from server.house_rules.standing import Standing
from server.sealing import commitments, hash_chain
from server.vocabulary.durations import rfc3339

Secrets = commitments.Secrets | None


class Published(TypedDict):
    """A public event, as programs read it and as it is hashed."""

    number: int
    kind: str
    at: str
    data: Mapping[str, object]


class Header(TypedDict):
    """The beginning of the chain of a game; `first` is the number of the first event in it."""

    format: str
    game: str
    edition: str
    options: engine.Options
    board: str
    seats: list[list[str]]
    starts: dict[str, int]
    position: engine.PlainPosition | None
    start: str
    deck: str | None
    first: int


class OfMove(TypedDict, total=False):
    """The part of the event of a move that the sealed log adds."""

    sealed: list[commitments.Sealed]
    opened: list[commitments.Opened]


class OfEnd(TypedDict, total=False):
    """The part of the event that makes the result final that the sealed log adds."""

    opening: commitments.Opening


class _Begun(NamedTuple):
    """The beginning of a chain: the secrets of the game, the header, and the head of the chain behind that."""

    secrets: commitments.Secrets
    header: Header
    head: str


def begin_chain(game: Standing, state: engine.Game, key: bytes, commit: Callable[..., str]) -> _Begun:
    """Begin the chain: commit the server to Mr. X's start, the deck and the rules.

    `key` is the secret of the game, from which all salts follow.
    """
    deck = [list(cards) for cards in state.deck] if state.deck else None
    secrets: commitments.Secrets = {"key": key.hex(), "deck": deck}
    header: Header = {
        "format": commitments.FORMAT,
        "game": game.id,
        "edition": game.edition,
        "options": game.options,
        "board": _board_digest(state.edition.board.name),
        "seats": [list(pawns) for pawns in state.seats],
        "starts": {pawn: station for pawn, station in state.starts.items() if pawn != "mr_x"},
        "position": state.start.public() if state.is_set_up else None,
        "start": commitment_to_start(game.id, secrets, state, commit),
        "deck": commit(key, game.id, commitments.DECK, 0, [card for cards in deck for card in cards]) if deck else None,
        "first": game.events + 1,
    }
    return _Begun(secrets, header, hash_chain.first_link(header))


def commitment_to_start(game_id: str, secrets: Secrets, state: engine.Game, commit: Callable[..., str]) -> str:
    """Return the commitment to the station Mr. X began on."""
    return commit(_key(secrets), game_id, commitments.STATION, 0, state.starts["mr_x"])


@cache
def _board_digest(name: str) -> str:
    board = engine.Board.named(name)
    passes_over = ((transport, a, b, over) for (transport, a, b), over in board.passes_over.items() if a < b)
    return commitments.board_digest(board.lines, passes_over)


def link(head: str | None, number: int, kind: str, at: datetime, data: Mapping[str, object]) -> str | None:
    """Return the head of the chain after an event; None before the start, when there is no chain."""
    return None if head is None else hash_chain.link(head, facts(number, kind, at, data))


def facts(number: int, kind: str, at: datetime, data: Mapping[str, object]) -> Published:
    """Return an event as it is hashed and published."""
    return {"number": number, "kind": kind, "at": rfc3339(at), "data": data}


def facts_of_move(
    game_id: str, secrets: Secrets, state: engine.Game, windows: Sequence[engine.Window], commit: Callable[..., str]
) -> OfMove:
    """Return the part of the newest move's event for the sealed log: commitments to `windows`, and what is opened."""
    sealed: list[commitments.Sealed] = [
        {
            "window": window.number,
            "station": commit(_key(secrets), game_id, commitments.STATION, window.number, window.station),
            "transport": commit(_key(secrets), game_id, commitments.TRANSPORT, window.number, window.transport),
        }
        for window in windows
    ]
    shown = {window.number: window.station for window in windows if window.surfaced}
    if state.outcome is not None and state.outcome.reason == "captured":
        shown[state.log[-1].number if state.log else 0] = state.station("mr_x")
    opened: list[commitments.Opened] = [
        {
            "window": number,
            "station": station,
            "salt": commitments.salt(_key(secrets), commitments.STATION, number).hex(),
        }
        for number, station in shown.items()
    ]
    added: OfMove = {}
    if sealed:
        added["sealed"] = sealed
    if opened:
        added["opened"] = opened
    return added


def opening(secrets: Secrets, state: engine.Game) -> OfEnd:
    """Return everything that was sealed, for the event that makes the result final."""
    if secrets is None:
        return {}
    return {
        "opening": {
            "key": secrets["key"],
            "stations": [state.starts["mr_x"], *(window.station for window in state.log)],
            "transports": [window.transport for window in state.log],
            "deck": secrets["deck"],
        }
    }


def _key(secrets: Secrets) -> bytes:
    assert secrets is not None
    return bytes.fromhex(secrets["key"])
