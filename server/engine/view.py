"""The view of a game for one viewer, as plain data.

A view is built from public facts; secrets are added for Mr. X, and for everybody once the game is
opened. No view is made by removing secrets from a fuller one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NotRequired, Protocol, TypedDict

from server.engine.edition import Edition
from server.engine.errors import EngineError, shown
from server.engine.events import Outcome, Window
from server.engine.move import PAWNS, Move
from server.engine.options import Options
from server.engine.position import PlainPosition, Position, Sighting
from server.engine.seats import Pawns

VIEWERS = (*PAWNS, "spectator")


class ShownPawn(TypedDict):
    """A pawn in a view. Only Mr. X has `last_seen`, only a detective `state`; his station is null while it is hidden.

    seat: its number; the application has other numbers than the engine
    """

    station: int | None
    tickets: dict[str, int | None]
    seat: int
    last_seen: NotRequired[Sighting | None]
    state: NotRequired[str]


class LogEntry(TypedDict):
    """A window of the travel log in a view; `surfaced` is there if it is true."""

    window: int
    ticket: str
    station: int | None
    surfaced: NotRequired[bool]
    transport: NotRequired[str]


class Result(TypedDict):
    """The winner and the reason."""

    winner: str
    reason: str


class BoardView(TypedDict):
    """The part of a view that tells of the board and of what led there; `players` once the game has begun."""

    edition: str
    options: Options
    players: NotRequired[int]
    to_move: list[str]
    starts: dict[str, int]
    pawns: dict[str, ShownPawn]
    log: list[LogEntry]
    history: list[str]
    position: NotRequired[PlainPosition]


class View(BoardView):
    """A game as one viewer may see it; `build` says more. The application has an `outcome` of its own."""

    turn: int
    round: int
    outcome: NotRequired[Result | None]


class Shown(Protocol):
    """The facts of a game that a view is built from; see `server.engine.Game`, which has them."""

    edition: Edition
    seats: tuple[Pawns, ...]
    start: Position
    is_set_up: bool

    @property
    def players(self) -> int: ...
    @property
    def pawns(self) -> Pawns: ...
    @property
    def turn(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def to_move(self) -> Pawns: ...
    @property
    def outcome(self) -> Outcome | None: ...
    @property
    def history(self) -> tuple[Move, ...]: ...
    @property
    def log(self) -> tuple[Window, ...]: ...
    @property
    def log_used(self) -> int: ...
    def station(self, pawn: str) -> int: ...
    def tickets(self, pawn: str) -> dict[str, int | None]: ...
    def mobility(self, pawn: str) -> str: ...


def build(game: Shown, viewer: str, opened: bool) -> View:
    """Return the view. It has the fields of a game in the REST API that the rules know, and:

    players: number of people, Mr. X included; options: all of the edition's
    position: only in a game set up from one, without Mr. X's station
    log[].transport: the line taken, for Mr. X under a black ticket and for everybody once opened
    """
    if viewer not in VIEWERS:
        raise EngineError(f"There is no viewer {shown(viewer)}; they are {', '.join(VIEWERS)}.", "no-such-viewer")
    sees_all = opened or viewer == "mr_x"
    end = game.outcome
    view: View = {
        "edition": game.edition.name,
        "options": game.edition.options,
        "players": game.players,
        "turn": game.turn,
        "round": game.round,
        "to_move": list(game.to_move),
        "starts": _starts(game, sees_all),
        "pawns": {"mr_x": _mr_x(game, sees_all)} | {pawn: _detective(game, pawn) for pawn in game.pawns},
        "log": [_entry(game, window, sees_all, opened) for window in game.log],
        "history": history(game, sees_all),
        "outcome": {"winner": end.winner, "reason": end.reason} if end is not None else None,
    }
    if game.is_set_up:
        view["position"] = game.start.public()
    return view


def at(game: Shown, window: int) -> View:
    """Return a spectator's view of a game whose last move filled `window`, with no outcome.

    The first leg of a double move is seen as if the second had not been made.
    """
    view = build(game, "spectator", opened=False)
    view["log"] = [entry for entry in view["log"] if entry["window"] <= window]
    mr_x = view["pawns"]["mr_x"]
    mr_x["station"], mr_x["last_seen"] = view["log"][-1]["station"], _last_seen(game, window)
    view["outcome"] = None
    return view


def windows_used(view: Mapping[str, Any]) -> int:
    """Return how many windows of the travel log are filled, those of a position before the first move included."""
    if view["log"]:
        return int(view["log"][-1]["window"])
    return (view.get("position") or {}).get("log_used") or 0


def history(game: Shown, sees_all: bool) -> list[str]:
    """Return the moves in notation; for all but Mr. X with "?" for each station he did not show."""
    if sees_all:
        return [str(move) for move in game.history]
    windows = iter(game.log)
    return [redacted(game, move, windows) for move in game.history]


def redacted(game: Shown, move: Move, windows: Iterator[Window]) -> str:
    """Return a move in the notation that everybody may see; `windows` begins with those it filled."""
    if move.pawn != "mr_x":
        return str(move)
    shown = []
    for _ in move.legs:
        # A double move that ended the game with its first trip has no second window.
        window = next(windows, None)
        shown.append(window is not None and is_shown(game, window))
    return move.redacted(shown)


def is_shown(game: Shown, window: Window) -> bool:
    """Return True if everybody knows the station of a window: he surfaced, or was caught on it.

    Milton Bradley 1985, "The End of the Game": caught, he shows the last entry of the log.
    """
    return window.surfaced or (_is_caught(game) and window.number == game.log_used)


def _is_caught(game: Shown) -> bool:
    return game.outcome is not None and game.outcome.reason == "captured"


def _starts(game: Shown, sees_all: bool) -> dict[str, int]:
    starts = {"mr_x": game.start.stations["mr_x"]} if sees_all else {}
    return starts | {pawn: game.start.stations[pawn] for pawn in game.pawns}


def _mr_x(game: Shown, sees_all: bool) -> ShownPawn:
    seen = _last_seen(game)
    in_sight = _is_caught(game) or (seen is not None and seen["window"] == game.log_used)
    return {
        "station": game.station("mr_x") if sees_all or in_sight else None,
        "last_seen": seen,
        "tickets": game.tickets("mr_x"),
        "seat": 1,
    }


def _last_seen(game: Shown, until: int | None = None) -> Sighting | None:
    """Return where he was last seen; with `until`, on that window or before it."""
    for window in reversed(game.log):
        if window.surfaced and (until is None or window.number <= until):
            return {"window": window.number, "station": window.station}
    if game.start.last_seen is None:
        return None
    window_number, station = game.start.last_seen
    return {"window": window_number, "station": station}


def _detective(game: Shown, pawn: str) -> ShownPawn:
    seat = next(number for number, pawns in enumerate(game.seats, 1) if pawn in pawns)
    return {
        "station": game.station(pawn),
        "tickets": game.tickets(pawn),
        "state": game.mobility(pawn),
        "seat": seat,
    }


def _entry(game: Shown, window: Window, sees_all: bool, opened: bool) -> LogEntry:
    open_ = sees_all or is_shown(game, window)
    entry: LogEntry = {
        "window": window.number,
        "ticket": window.ticket,
        "station": window.station if open_ else None,
    }
    if window.surfaced:
        entry["surfaced"] = True
    if opened or (sees_all and window.ticket == "black"):
        entry["transport"] = window.transport
    return entry
