"""The starts of a game, and any position that is set up: reading and checking them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, NotRequired, TypedDict

from server.engine.board import Board
from server.engine.edition import Edition
from server.engine.errors import PositionError, shown
from server.engine.move import DETECTIVES
from server.engine.ticket_kinds import MR_X_TICKETS, PLAIN

Supply = dict[str, float]
# More than anybody needs, and short enough to print.
_MOST = 10**20
# The members of a position as plain data.
_NEEDED, _OPTIONAL = ("mr_x", "detectives"), ("log_used", "last_seen", "to_move", "moved", "dealt")
_OF_MR_X, _OF_DETECTIVE, _OF_SIGHTING = ("station", "tickets"), ("pawn", "station", "tickets"), ("window", "station")


class Sighting(TypedDict):
    """A window of the travel log, and the station where Mr. X was seen on it."""

    window: int
    station: int


class PlacedMrX(TypedDict):
    """Mr. X's place in a position. Everybody may know the tickets."""

    station: NotRequired[int]
    tickets: dict[str, int | None]


class PlacedDetective(TypedDict):
    """A detective's place in a position."""

    pawn: str
    station: int
    tickets: dict[str, int | None]


class PlainPosition(TypedDict):
    """A position as plain data, see `Position`."""

    mr_x: PlacedMrX
    detectives: list[PlacedDetective]
    log_used: int
    to_move: str
    moved: list[str]
    last_seen: Sighting | None
    dealt: NotRequired[bool]


@dataclass(frozen=True)
class Position:
    """A possible position. Of the edition, only the board and the length of the log restrict it.

    stations, tickets: by pawn, Mr. X first and the detectives in their order of play
    log_used: windows of the log filled before; last_seen: (window, station) or None
    moved: pawns that have moved in the round under way
    dealt: True if Mr. X stands on a start card, as after a deal
    """

    stations: dict[str, int]
    tickets: dict[str, Supply]
    log_used: int
    to_move: str
    moved: tuple[str, ...]
    last_seen: tuple[int, int] | None
    dealt: bool = False

    @property
    def pawns(self) -> tuple[str, ...]:
        """Return the detective pawns in their order of play."""
        return tuple(pawn for pawn in self.stations if pawn != "mr_x")

    def to_json(self) -> PlainPosition:
        public = self.public()
        return {**public, "mr_x": {"station": self.stations["mr_x"], **public["mr_x"]}}

    def public(self) -> PlainPosition:
        """Return the position as everybody may know it: without Mr. X's station."""
        position: PlainPosition = {
            "mr_x": {"tickets": plain(self.tickets["mr_x"])},
            "detectives": [
                {"pawn": pawn, "station": self.stations[pawn], "tickets": plain(self.tickets[pawn])}
                for pawn in self.pawns
            ],
            "log_used": self.log_used,
            "to_move": self.to_move,
            "moved": list(self.moved),
            "last_seen": self.last_seen and {"window": self.last_seen[0], "station": self.last_seen[1]},
        }
        if self.dealt:
            position["dealt"] = True
        return position


def supply(held: Mapping[str, int | None]) -> Supply:
    """Return tickets as the rules count them: unlimited is infinite, and stays so when one is spent."""
    return {kind: math.inf if number is None else number for kind, number in held.items()}


def plain(held: Supply) -> dict[str, int | None]:
    """Return tickets as plain data: unlimited is null."""
    return {kind: None if number == math.inf else int(number) for kind, number in held.items()}


def read_starts(edition: Edition, pawns: tuple[str, ...], starts: Mapping[str, int]) -> dict[str, int]:
    """Return the start station of every pawn, checked; PositionError if no deal could give it."""
    if not isinstance(starts, Mapping) or set(starts) != {"mr_x", *pawns}:
        _fault(f"The starts must name exactly mr_x, {', '.join(pawns)}.", "starts")
    his, theirs = edition.cards()
    found: dict[str, int] = {}
    for pawn in ("mr_x", *pawns):
        station = _station(edition.board, starts[pawn], f"starts.{pawn}")
        if station not in (his if pawn == "mr_x" else theirs):
            _fault(f"{pawn} cannot start at {station}: no start card names it.", f"starts.{pawn}")
        if station in found.values():
            _fault(f"Two pawns start at {station}; every pawn has its own card.", f"starts.{pawn}")
        found[pawn] = station
    return found


def read_position(edition: Edition, position: Mapping[str, object]) -> Position:
    """Read a position given as plain data; PositionError says what is wrong in it, and where.

    `moved`, `last_seen`, `log_used` (0), `to_move` (Mr. X) and `dealt` (false) may be left out; a kind of
    ticket that is not named is not held.
    """
    _keys(position, "position", _NEEDED)
    stations, tickets = _pawns(edition.board, position)
    log_used = _count(position.get("log_used", 0), "log_used")
    windows = edition.rules["log_windows"]
    if log_used > windows:
        _fault(f"The log has {windows} windows, so {log_used} of them cannot be used.", "log_used")
    to_move = position.get("to_move", "mr_x")
    if not isinstance(to_move, str) or to_move not in stations:
        _fault(f"{shown(to_move)} cannot be to move; it is not on the board.", "to_move")
    moved = _moved(position, stations, to_move)
    seen = _last_seen(edition.board, position.get("last_seen"), log_used, stations["mr_x"])
    dealt = _dealt(edition, position.get("dealt", False), log_used, stations["mr_x"])
    return Position(stations, tickets, log_used, to_move, moved, seen, dealt)


def check_members(position: Mapping[str, object]) -> None:
    """Refuse a position with a member that means nothing, which is probably a misspelt one; `PositionError`.

    `read_position` passes over them, as positions that were stored earlier may have some.
    """
    _known(position, "position", _NEEDED + _OPTIONAL)
    _known(position.get("mr_x"), "mr_x", _OF_MR_X)
    _known(position.get("last_seen"), "last_seen", _OF_SIGHTING)
    detectives = position.get("detectives")
    for number, entry in enumerate(detectives if isinstance(detectives, (list, tuple)) else ()):
        _known(entry, f"detectives[{number}]", _OF_DETECTIVE)


def _known(given: object, where: str, known: tuple[str, ...]) -> None:
    for key in given if isinstance(given, Mapping) else ():
        if key not in known:
            _fault(f"{shown(key)} is no member here; there are {', '.join(known)}.", where)


def _pawns(board: Board, position: Mapping[str, object]) -> tuple[dict[str, int], dict[str, Supply]]:
    his = _keys(position["mr_x"], "mr_x", _OF_MR_X)
    stations = {"mr_x": _station(board, his["station"], "mr_x.station")}
    tickets = {"mr_x": _tickets(his["tickets"], "mr_x.tickets", MR_X_TICKETS)}
    detectives = position["detectives"]
    if not isinstance(detectives, (list, tuple)) or not detectives:
        _fault("A position needs a list of at least one detective.", "detectives")
    for number, given in enumerate(detectives):
        where = f"detectives[{number}]"
        entry = _keys(given, where, _OF_DETECTIVE)
        pawn = entry["pawn"]
        if not isinstance(pawn, str) or pawn not in DETECTIVES:
            _fault(f"{shown(pawn)} is no detective pawn; they are {', '.join(DETECTIVES)}.", f"{where}.pawn")
        if pawn in stations:
            _fault(f"{pawn} is there twice; each pawn is there once.", f"{where}.pawn")
        station = _station(board, entry["station"], f"{where}.station")
        if station in stations.values():
            _fault(f"Two pawns stand on {station}; only one can.", f"{where}.station")
        stations[pawn] = station
        tickets[pawn] = _tickets(entry["tickets"], f"{where}.tickets", PLAIN)
    return stations, tickets


def _moved(position: Mapping[str, object], stations: Mapping[str, int], to_move: str) -> tuple[str, ...]:
    moved = position.get("moved")
    if moved is None:
        return ()
    if not isinstance(moved, (list, tuple)):
        _fault(f"The pawns that have moved are a list, not {shown(moved)}.", "moved")
    for pawn in moved:
        if not isinstance(pawn, str) or pawn not in stations or pawn == "mr_x":
            _fault(f"{shown(pawn)} cannot have moved; it is no detective on the board.", "moved")
        if pawn == to_move:
            _fault(f"{pawn} cannot be to move when it has moved.", "moved")
    return tuple(moved)


def _last_seen(board: Board, seen: object, log_used: int, now: int) -> tuple[int, int] | None:
    if seen is None:
        return None
    sighting = _keys(seen, "last_seen", _OF_SIGHTING)
    window = _count(sighting["window"], "last_seen.window")
    station = _station(board, sighting["station"], "last_seen.station")
    if not 1 <= window <= log_used:
        _fault(
            f"Mr. X cannot have been seen on window {window} when {log_used} are used.",
            "last_seen.window",
        )
    if window == log_used and station != now:
        _fault("Mr. X was seen on the last window, so he must stand there.", "last_seen.station")
    return window, station


def _dealt(edition: Edition, dealt: object, log_used: int, his: int) -> bool:
    if not isinstance(dealt, bool):
        _fault(f"A position is dealt or not, true or false, and not {shown(dealt)}.", "dealt")
    if dealt and log_used:
        _fault(f"After a deal no window is used, and here {log_used} are.", "dealt")
    if dealt and his not in edition.cards()[0]:
        _fault("After a deal Mr. X stands on a start card, and here he stands on none.", "dealt")
    return dealt


def _tickets(given: object, where: str, allowed: tuple[str, ...]) -> Supply:
    if not isinstance(given, Mapping):
        _fault(f"Tickets are an object such as {{'taxi': 4}}, not {shown(given)}.", where)
    for kind, number in given.items():
        if kind not in MR_X_TICKETS:
            _fault(f"{shown(kind)} is no ticket; they are {', '.join(allowed)}.", where)
        if number is not None:
            _count(number, f"{where}.{kind}")
        if kind not in allowed and number != 0:
            _fault(f"Only Mr. X holds {kind} tickets.", f"{where}.{kind}")
    return supply({kind: given.get(kind, 0) for kind in allowed})


def _station(board: Board, station: object, where: str) -> int:
    if not isinstance(station, int) or isinstance(station, bool) or station not in board.stations:
        _fault(f"{shown(station)} is no station of the {board.name} board.", where)
    return station


def _count(number: object, where: str) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < _MOST:
        _fault(f"{shown(number)} is no number of something; it must be a whole number from 0.", where)
    return number


def _keys(given: object, where: str, needed: tuple[str, ...]) -> Mapping[str, object]:
    """Return the object that is given, which has all members that are needed."""
    if not isinstance(given, Mapping):
        _fault(f"The {where} must be an object with {', '.join(needed)}, not {shown(given)}.", where)
    for key in needed:
        if key not in given:
            _fault(f"The {where} has no {key!r}.", where)
    return given


def _fault(sentence: str, where: str) -> NoReturn:
    raise PositionError(f"{where}: {sentence}", where)
