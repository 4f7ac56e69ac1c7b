"""A game as everybody knows it, turn by turn of Mr. X: what stood on the board before his move, and what he laid down.

Everything here is hashable plain data built from a public view, so that what follows from it can be kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from server.bots.journeys import Kinds, journeys, kinds_held, stops
from server.engine import Board, BoardView, LogEntry, deduce
from server.engine.ticket_kinds import MR_X_TICKETS

# The ticket that was laid, and the station if everybody saw it.
Trip = tuple[str, int | None]


@dataclass(frozen=True, eq=True)
class Scene:
    """The public facts when Mr. X is to move, without where he may be.

    pawns: station and kinds of ticket of each detective
    tickets: how many he holds of each of `MR_X_TICKETS`; None is unlimited
    windows: the windows of the log that are filled, and how many there are; shown: those that show him
    was_seen: whether the last window showed him; cut_off: whether detectives cut lines off
    """

    board_name: str
    pawns: tuple[tuple[int, Kinds], ...]
    tickets: tuple[int | None, ...]
    windows: tuple[int, int]
    shown: tuple[int, ...]
    was_seen: bool
    cut_off: bool

    @cached_property
    def board(self) -> Board:
        return Board.named(self.board_name)

    @cached_property
    def standing(self) -> frozenset[int]:
        """Return the stations of the detectives."""
        return frozenset(station for station, _ in self.pawns)

    @cached_property
    def away(self) -> list[bytes]:
        """Return for each detective the number of moves to every station."""
        return [journeys(self.board, kinds, station) for station, kinds in self.pawns]

    @cached_property
    def nearest(self) -> bytes:
        """Return the number of moves of the nearest detective to every station."""
        return bytes(min(moves) for moves in zip(*self.away, strict=True))

    @cached_property
    def held(self) -> dict[str, int | None]:
        """Return Mr. X's tickets by kind."""
        return dict(zip(MR_X_TICKETS, self.tickets, strict=True))

    @cached_property
    def kinds(self) -> Kinds:
        return kinds_held(self.held)

    @property
    def windows_left(self) -> int:
        return self.windows[1] - self.windows[0]

    @property
    def may_double(self) -> bool:
        return self.windows_left > 1 and self.held["double"] != 0

    def is_shown(self, trip: int = 1) -> bool:
        """Return whether the next trip, or the one after it, shows him."""
        return self.windows[0] + trip in self.shown

    def exits(self, station: int) -> frozenset[int]:
        """Return the stations that his tickets lead to from a station, whoever stands there."""
        return stops(self.board, self.kinds, station)

    @cached_property
    def _trips(self) -> dict[int, tuple[tuple[str, int], ...]]:
        return {}

    def trips(self, station: int) -> tuple[tuple[str, int], ...]:
        """Return the trips (ticket, stop) that are open to him from a station, without those onto a detective."""
        known = self._trips.get(station)
        if known is None:
            known = self._trips[station] = tuple(self._open_trips(station))
        return known

    def _open_trips(self, station: int) -> Iterator[tuple[str, int]]:
        for ticket in self.kinds:
            for stop in self.board.reach[ticket][station]:
                if stop in self.standing:
                    continue
                if self.cut_off and self.board.transport(ticket, station, stop, self.standing) is None:
                    continue
                yield ticket, stop

    def after_trip(self, ticket: str) -> "Scene":
        """Return the scene between the two trips of a double move."""
        return _after_trip(self, ticket)


@lru_cache(512)
def _after_trip(scene: Scene, ticket: str) -> Scene:
    tickets = tuple(
        held and held - (kind in (ticket, "double")) for kind, held in zip(MR_X_TICKETS, scene.tickets, strict=True)
    )
    used, all_windows = scene.windows
    between = Scene(
        scene.board_name, scene.pawns, tickets, (used + 1, all_windows), scene.shown, scene.is_shown(), scene.cut_off
    )
    # The detectives have not moved, so what is known of them is shared.
    between.__dict__.update({name: getattr(scene, name) for name in _OF_PAWNS})
    return between


_OF_PAWNS = ("board", "standing", "away", "nearest")


class Turn(NamedTuple):
    """A turn of Mr. X that is over: the scene before it, his trips, and where detectives went after it."""

    scene: Scene
    trips: tuple[Trip, ...]
    visited: tuple[int, ...]


class PublicGame(NamedTuple):
    """A game as everybody knows it.

    first: the stations on which he can have been before the first of `turns`, by where he was last seen for sure
    now: the scene as it is; if detectives are to move, what it will be like to him is not known yet
    """

    first: frozenset[int]
    turns: tuple[Turn, ...]
    now: Scene


def public_view(view: BoardView) -> BoardView:
    """Return a view, Mr. X's too, with the travel log as everybody sees it."""
    log: list[LogEntry] = [entry if entry.get("surfaced") else {**entry, "station": None} for entry in view["log"]]
    return {**view, "log": log}


def read(view: BoardView) -> PublicGame:
    """Return the game that a public view shows."""
    return _Reader(view).read()


def moved_since(view: BoardView) -> set[str]:
    """Return the detectives who have moved since Mr. X did."""
    moved: set[str] = set()
    for text in reversed(view["history"]):
        pawn = text.split()[0]
        if pawn not in view["starts"]:
            return moved
        moved.add(pawn)
    position = view.get("position")
    return moved | set(position["moved"] if position else ())


class _Reader:
    """A walk through the history of a view, with the tickets that everybody held at each point."""

    def __init__(self, view: BoardView) -> None:
        self._view = view
        self._options = options = view["options"]
        self._stations = {pawn: station for pawn, station in view["starts"].items() if pawn != "mr_x"}
        self._held: dict[str, dict[str, int | None]] = {
            pawn: dict(view["pawns"][pawn]["tickets"]) for pawn in ("mr_x", *self._stations)
        }
        self._hands_over = options["mr_x_supply"] == "counted"
        position = view.get("position")
        seen = position["last_seen"] if position else None
        self._used = position["log_used"] if position else 0
        self._was_seen = seen is not None and seen["window"] == self._used
        self._moves = self._read_moves()

    def read(self) -> PublicGame:
        for pawn, trips, taken in reversed(self._moves):
            self._account(pawn, trips, taken, 1)
        first = _first(self._view)
        turns: list[tuple[Scene, tuple[Trip, ...], list[int]]] = []
        for pawn, trips, taken in self._moves:
            if pawn == "mr_x":
                turns.append((self._scene(), trips, []))
                self._used += len(trips)
                self._was_seen = trips[-1][1] is not None
            else:
                station = trips[0][1]
                assert station is not None
                self._stations[pawn] = station
                if turns:
                    turns[-1][2].append(station)
                else:
                    first -= {station}
            self._account(pawn, trips, taken, -1)
        return PublicGame(first, tuple(Turn(scene, trips, tuple(seen)) for scene, trips, seen in turns), self._scene())

    def _read_moves(self) -> list[tuple[str, tuple[Trip, ...], list[tuple[str, str]]]]:
        """Return each move of the history: the pawn, its trips, and the (pawn, ticket) pairs taken by a surfacing."""
        log = iter(self._view["log"])
        moves: list[tuple[str, tuple[Trip, ...], list[tuple[str, str]]]] = []
        for text in self._view["history"]:
            words = text.split()
            if words[0] in self._stations:
                moves.append((words[0], ((words[1], int(words[2])),), []))
                continue
            entries = islice(log, 1 + (words[0] == "double"))
            taken = words[words.index("surface") + 1 :] if "surface" in words else []
            trips = tuple((entry["ticket"], entry["station"]) for entry in entries)
            moves.append(("mr_x", trips, [(pawn, kind) for pawn, _, kind in (pair.partition(":") for pair in taken)]))
        return moves

    def _account(self, pawn: str, trips: tuple[Trip, ...], taken: list[tuple[str, str]], sign: int) -> None:
        """Give the tickets of a move back (1), or take them (-1)."""
        for ticket, _ in trips:
            self._change(pawn, ticket, sign)
            if pawn != "mr_x":
                self._hand_over(ticket, -sign)
        if len(trips) == 2:
            self._change(pawn, "double", sign)
        for other, ticket in taken:
            self._change(other, ticket, sign)
            self._hand_over(ticket, -sign)

    def _hand_over(self, ticket: str, number: int) -> None:
        if self._hands_over:
            self._change("mr_x", ticket, number)

    def _change(self, pawn: str, ticket: str, number: int) -> None:
        held = self._held[pawn].get(ticket)
        if held is not None:
            self._held[pawn][ticket] = held + number

    def _scene(self) -> Scene:
        options = self._options
        return Scene(
            options["board"],
            tuple((station, kinds_held(self._held[pawn])) for pawn, station in self._stations.items()),
            tuple(self._held["mr_x"].get(kind, 0) for kind in MR_X_TICKETS),
            (self._used, options["log_windows"]),
            tuple(options["surfacing"]),
            self._was_seen,
            options["cut_off"],
        )


def _first(view: BoardView) -> frozenset[int]:
    """Return the stations on which he can have been before the first move."""
    return deduce({**view, "log": [], "history": [], "to_move": [], "outcome": None})
