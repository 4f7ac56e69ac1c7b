"""The deduction: the exact set of stations on which Mr. X can be, from public facts.

It follows the set trip by trip, with the detectives where they stood at that trip. A ticket turns a
set of stations into the set of those it leads to; a surfacing leaves one station; a detective's
move removes one; and if the game goes on when Mr. X's turn comes, the stations that he could not
have left are removed too.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from server.engine.edition import Edition
from server.engine.events import REASONS
from server.engine.move import Move
from server.engine.ticket_kinds import TICKETS
from server.engine.view import windows_used

Stations = frozenset[int]

_STUCK = ("mr_x_trapped", "both_stuck")


def deduce(view: Mapping[str, Any]) -> Stations:
    """Return the stations Mr. X can be on, given a view of the game: any viewer's, or one from the REST API."""
    edition = _edition(view["edition"], repr(view["options"]))
    return _Trail(edition, view).stations


def deduce_after(view: Mapping[str, Any], move: Move) -> Stations:
    """Return the stations Mr. X could be on for everybody else if he made this move next, without ending the game.

    `view` is a spectator's. Of the move only what would be public is used: its tickets, and the stations where he would
    be seen because of the number of the window.
    """
    surfacing, first = view["options"]["surfacing"], windows_used(view) + 1
    windows = [
        {"window": number, "ticket": leg.ticket, "station": leg.station if number in surfacing else None}
        for number, leg in enumerate(move.legs, first)
    ]
    return deduce(
        {**view, "log": [*view["log"], *windows], "history": [*view["history"], move.redacted()], "to_move": []}
    )


class _Trail:
    """A walk through a game's public history."""

    def __init__(self, edition: Edition, view: Mapping[str, Any]) -> None:
        self._board = edition.board
        self._cut_off: bool = edition.option("cut_off")
        self._barring: bool = edition.option("mr_x_onto_detective") == "forbidden"
        self._detectives = {p: s for p, s in view["starts"].items() if p != "mr_x"}
        self.stations = self._first(edition, view)
        self._follow(view)
        if _is_his_turn(view, edition.option("log_windows")):
            trapped = (view.get("outcome") or {}).get("reason") in _STUCK
            self._keep_movable(view["pawns"]["mr_x"]["tickets"], not trapped)

    def _first(self, edition: Edition, view: Mapping[str, Any]) -> Stations:
        occupied = frozenset(self._detectives.values())
        position = view.get("position")
        if not position or position.get("dealt"):
            return frozenset(edition.cards()[0]) - occupied
        seen = position.get("last_seen")
        if seen and seen["window"] == position.get("log_used"):
            return frozenset((seen["station"],))
        return frozenset(self._board.stations) - occupied

    def _follow(self, view: Mapping[str, Any]) -> None:
        log = iter(view["log"])
        for text in view["history"]:
            words = text.split()
            if words[0] in self._detectives:
                self._detective_moves(words[0], int(words[2]))
            else:
                # A double move that ended the game with its first trip has one window only.
                for entry in islice(log, 1 + (words[0] == "double")):
                    self._mr_x_rides(entry["ticket"], entry["station"])
        outcome = view.get("outcome")
        if outcome and outcome.get("reason") == "captured":
            self.stations = frozenset((view["pawns"]["mr_x"]["station"],))

    def _detective_moves(self, pawn: str, station: int) -> None:
        self._detectives[pawn] = station
        self.stations -= {station}

    def _mr_x_rides(self, ticket: str, shown: int | None) -> None:
        if shown is not None:
            self.stations = frozenset((shown,))
            return
        occupied = set(self._detectives.values())
        reach = self._board.reach[ticket]
        if self._cut_off:
            stops = {d for s in self.stations for d in reach[s] if self._is_open(ticket, s, d, occupied)}
        else:
            stops = set[int]().union(*(reach[station] for station in self.stations))
        # Where he may step onto a detective the game would be over, so he has not.
        self.stations = frozenset(stops - occupied)

    def _keep_movable(self, tickets: Mapping[str, int | None], movable: bool) -> None:
        occupied = set(self._detectives.values())
        held = [ticket for ticket in TICKETS if tickets[ticket] is None or tickets[ticket]]
        self.stations = frozenset(
            station
            for station in self.stations
            if movable == any(self._can_leave(station, ticket, occupied) for ticket in held)
        )

    def _can_leave(self, station: int, ticket: str, occupied: Collection[int]) -> bool:
        return any(
            (not self._barring or stop not in occupied)
            and (not self._cut_off or self._is_open(ticket, station, stop, occupied))
            for stop in self._board.reach[ticket][station]
        )

    def _is_open(self, ticket: str, a: int, b: int, occupied: Collection[int]) -> bool:
        return self._board.transport(ticket, a, b, occupied) is not None


def _is_his_turn(view: Mapping[str, Any], log_windows: int) -> bool:
    """Return True if it is, or was at the end, Mr. X's turn and the travel log has a window left."""
    if windows_used(view) >= log_windows:
        return False
    outcome = view.get("outcome")
    if not outcome:
        return list(view["to_move"]) == ["mr_x"]
    reason = str(outcome.get("reason"))
    if reason in REASONS:
        return reason in ("detectives_stranded", *_STUCK)
    # Lateness or a resignation ended the game: was there a round that he had not begun?
    begun = sum(text.split()[0] not in view["starts"] for text in view["history"])
    detectives_first = str((view.get("position") or {}).get("to_move", "mr_x")) != "mr_x"
    return int(view["round"]) > begun + detectives_first


@lru_cache(64)
def _edition(name: str, options: str) -> Edition:
    return Edition.named(name).with_options(**literal_eval(options))
