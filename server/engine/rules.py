"""The rules of play: what a legal move changes, whose turn comes, which moves are legal then, and when the game ends.

`State` keeps where every pawn is. Only `Game` uses it, and checks moves first; what an edition changes is in
`edition.py`, and the trips that a ticket allows are in `rides.py`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Self

from server.engine.edition import Edition
from server.engine.events import Ended, Event, Moved, Outcome, PassedOver, Surfaced, TicketsTaken, Window
from server.engine.move import Move
from server.engine.position import Position, Supply
from server.engine.rides import BIT, Rides, kinds
from server.engine.seats import Pawns

NOBODY: frozenset[int] = frozenset()
NOWHERE = 0  # where Mr. X stands in a state that is made of public facts alone


class State:
    """The state of a game.

    stations: pawn -> station; occupied: the stations of the detectives
    tickets: pawn -> kind -> number held, infinite where unlimited
    log: the windows filled since the start; log_used counts those before it too
    round: from 1; to_move: the pawns that may move now; legal: what they may play
    outcome: None while the game goes on
    """

    def __init__(self, edition: Edition, groups: tuple[Pawns, ...], start: Position) -> None:
        """Set up the state; the pawns of each of `groups` may move in any order, group after group."""
        self.edition = edition
        self.board = edition.board
        self.stations = dict(start.stations)
        self.tickets: dict[str, Supply] = {p: dict(held) for p, held in start.tickets.items()}
        self.occupied = {start.stations[pawn] for pawn in start.pawns}
        self.log: list[Window] = []
        self.log_used = start.log_used
        self.round = 1
        self.to_move: Pawns = ()
        self.legal: list[Move] = []
        self.outcome: Outcome | None = None
        self._rides = Rides.of(self.board)
        self._kinds = {pawn: kinds(self.tickets[pawn]) for pawn in start.pawns}
        self._groups = groups
        self._group = -1
        self._waiting: Pawns = ()
        self._moved_before: Collection[str] = start.moved
        self._read_options(edition)
        if start.to_move == "mr_x" or (self._full_log_wins == "at_once" and self._log_is_full()):
            self._turn_of_mr_x([])
        else:
            self._group = next(i for i, group in enumerate(groups) if start.to_move in group)
            self._waiting = self._members(self._group)
            self._turn_of_detectives([])

    def play(self, move: Move) -> tuple[Event, ...]:
        """Make a legal move, work out the pawns to move next, and return the events."""
        if move.pawn == "mr_x":
            return tuple(self._move_mr_x(move))
        return tuple(self._move_detective(move))

    def mobility(self, pawn: str) -> str:
        """Return whether a detective can move: "active"; "blocked", hemmed in now; "stranded", never to move again."""
        if not self._rides.detective[pawn][self.stations[pawn]][self._kinds[pawn]]:
            return "stranded"
        return "active" if self._can_move(pawn) else "blocked"

    def ahead(self, pawn: str) -> list[Move]:
        """Return what a detective might play when its turn comes in this round; nothing if it will not come."""
        if self.to_move in ((), ("mr_x",)):
            return []
        before = self._before(pawn)
        if before is None:
            return []
        leaving = {self.stations[other] for other in before if self.mobility(other) != "stranded"}
        return self._detective_moves(pawn, self.occupied - leaving)

    def closed(self) -> Collection[int]:
        """Return the stations whose pawns cut a line off for Mr. X; none unless the edition says so."""
        return self.occupied if self._cut_off else NOBODY

    def windows_left(self) -> int:
        return self._log_windows - self.log_used

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin.stations = dict(self.stations)
        twin.tickets = {pawn: dict(held) for pawn, held in self.tickets.items()}
        twin.occupied = set(self.occupied)
        twin.log = list(self.log)
        twin._kinds = dict(self._kinds)
        return twin

    def hide_mr_x(self) -> None:
        """Take Mr. X off the board: nobody captures him any more, and his legal moves are unknown."""
        self.stations["mr_x"] = NOWHERE
        if self.to_move == ("mr_x",):
            self.legal = []

    def _read_options(self, edition: Edition) -> None:
        options = edition.rules
        self.surfacing = frozenset(options["surfacing"])
        self._log_windows = options["log_windows"]
        self._max_rounds = options["max_rounds"] or math.inf
        self._full_log_wins = options["full_log_wins"]
        self._handed_over = options["mr_x_supply"] == "counted"
        self._onto_detective = options["mr_x_onto_detective"] == "loses"
        self._cut_off = options["cut_off"]
        self._blocked_is_out = options["blocked"] == "out"

    # Moves

    def _move_mr_x(self, move: Move) -> list[Event]:
        if len(move.legs) == 2:
            self.tickets["mr_x"]["double"] -= 1
        windows = self._trips(move)
        captured = self.stations["mr_x"] in self.occupied
        surfaces = move.surface is not None and not captured
        if surfaces:
            windows[-1] = windows[-1]._replace(surfaced=True)
        self.log += windows
        events: list[Event] = [Moved("mr_x", move, tuple(windows))]
        events += [
            Surfaced(window.number, window.station, surfaces and window is windows[-1])
            for window in windows
            if window.surfaced
        ]
        if surfaces and move.surface:
            events.append(self._take(move.surface))
        if captured:
            return self._end(events, "detectives", "captured")
        if self._full_log_wins == "at_once" and self._log_is_full():
            return self._end(events, "mr_x", "log_full")
        return self._turn_of_group(0, events)

    def _trips(self, move: Move) -> list[Window]:
        """Make Mr. X's trips and return their windows: one for each trip, which surfaces by its number."""
        tickets = self.tickets["mr_x"]
        windows = []
        for ticket, station in move.legs:
            transport: str | None = ticket
            if ticket == "black":
                here = self.stations["mr_x"]
                transport = self.board.transport(ticket, here, station, self.closed())
            tickets[ticket] -= 1
            self.stations["mr_x"] = station
            self.log_used += 1
            surfaced = self.log_used in self.surfacing
            windows.append(Window(self.log_used, ticket, station, transport or ticket, surfaced))
            if station in self.occupied:  # he gave himself up; there is no second trip
                break
        return windows

    def _take(self, taken: tuple[tuple[str, str], ...]) -> TicketsTaken:
        """Take one ticket of Mr. X's choice from each detective (Milton Bradley 1985, "Advanced Play")."""
        for pawn, ticket in taken:
            self._spend(pawn, ticket)
        return TicketsTaken(taken)

    def _move_detective(self, move: Move) -> list[Event]:
        pawn, ((ticket, station),), _ = move
        self._spend(pawn, ticket)
        self.occupied.remove(self.stations[pawn])
        self.occupied.add(station)
        self.stations[pawn] = station
        events: list[Event] = [Moved(pawn, move)]
        if station == self.stations["mr_x"]:
            return self._end(events, "detectives", "captured")
        if len(self._waiting) == 1:
            return self._turn_of_group(self._group + 1, events)
        self._waiting = tuple(other for other in self._waiting if other != pawn)
        return self._turn_of_detectives(events)

    def _spend(self, pawn: str, ticket: str) -> None:
        held = self.tickets[pawn]
        left = held[ticket] = held[ticket] - 1
        if not left:
            self._kinds[pawn] &= ~BIT[ticket]
        if self._handed_over:
            self.tickets["mr_x"][ticket] += 1

    # Turns

    def _members(self, group: int) -> Pawns:
        if not self._moved_before:
            return self._groups[group]
        return tuple(pawn for pawn in self._groups[group] if pawn not in self._moved_before)

    def _before(self, pawn: str) -> list[str] | None:
        """Return the pawns that may move before this one in this round; None if it moves no more."""
        group, members = self._group, self._waiting
        before: list[str] = []
        while pawn not in members:
            before += members
            group += 1
            if group == len(self._groups):
                return None
            members = self._members(group)
        return [*before, *(other for other in members if other != pawn)]

    def _turn_of_group(self, group: int, events: list[Event]) -> list[Event]:
        self._group = group
        if group == len(self._groups):
            return self._end_of_round(events)
        self._waiting = self._members(group)
        return self._turn_of_detectives(events)

    def _turn_of_detectives(self, events: list[Event]) -> list[Event]:
        """Give the turn to the pawns waiting in the group; if none of them can move, pass over them."""
        if len(self._waiting) == 1:
            self.to_move = self._waiting
            self.legal = self._detective_moves(self._waiting[0], self.occupied)
        else:
            lists = [(pawn, self._detective_moves(pawn, self.occupied)) for pawn in self._waiting]
            self.to_move = tuple(pawn for pawn, moves in lists if moves)
            self.legal = [move for _, moves in lists for move in moves]
        if self.legal:
            return events
        events += [self._pass_over(pawn) for pawn in self._waiting]
        return self._turn_of_group(self._group + 1, events)

    def _pass_over(self, pawn: str) -> PassedOver:
        reason = self.mobility(pawn)
        if reason == "blocked" and self._blocked_is_out:
            self._kinds[pawn] = 0
            reason = "out"
        return PassedOver(pawn, reason)

    def _end_of_round(self, events: list[Event]) -> list[Event]:
        """End the round, after the detectives' reply to Mr. X's move."""
        if self.round >= self._max_rounds and not self._log_is_full():
            return self._end(events, "mr_x", "rounds_over")
        self._turn_of_mr_x(events)
        if self.outcome is None:
            self.round += 1
        return events

    def _log_is_full(self) -> bool:
        return self._full_log_wins != "no" and not self.windows_left()

    def _turn_of_mr_x(self, events: list[Event]) -> list[Event]:
        """Give the turn to Mr. X, unless the game ends now; the possible ends are checked in their order."""
        self._moved_before = ()
        if self._log_is_full():
            return self._end(events, "mr_x", "log_full")
        self.to_move = ("mr_x",)
        self.legal = self._mr_x_moves()
        if not any(map(self._can_move, self._kinds)):
            if self.legal:
                return self._end(events, "mr_x", "detectives_stranded")
            return self._end(events, self.edition.rules["both_stuck"], "both_stuck")
        if not self.legal and self.stations["mr_x"] != NOWHERE:
            return self._end(events, "detectives", "mr_x_trapped")
        return events

    def _end(self, events: list[Event], winner: str, reason: str) -> list[Event]:
        self.outcome = Outcome(winner, reason)
        self.to_move, self.legal = (), []
        events.append(Ended(self.outcome))
        return events

    # What is legal

    def _detective_moves(self, pawn: str, occupied: Collection[int]) -> list[Move]:
        rides = self._rides.detective[pawn][self.stations[pawn]][self._kinds[pawn]]
        return [move for stop, move in rides if stop not in occupied]

    def _can_move(self, pawn: str) -> bool:
        occupied = self.occupied
        for stop, _ in self._rides.detective[pawn][self.stations[pawn]][self._kinds[pawn]]:
            if stop not in occupied:
                return True
        return False

    def _mr_x_moves(self) -> list[Move]:
        windows, tickets = self.windows_left(), self.tickets["mr_x"]
        here = self.stations["mr_x"]
        if windows < 1 or here == NOWHERE:
            return []
        barred: Collection[int] = NOBODY if self._onto_detective else self.occupied
        moves = [m for stop, m in self._rides.mr_x[here][kinds(tickets)] if stop not in barred]
        if windows > 1 and tickets["double"]:
            for (first, second), rides in self._rides.doubles[here].items():
                if tickets[first] > (first == second) and tickets[second]:
                    moves += [move for middle, end, move in rides if middle not in barred and end not in barred]
        return [move for move in moves if self._is_open(move)] if self._cut_off else moves

    def _is_open(self, move: Move) -> bool:
        """Return True if no pawn stands on a station that is passed over (Milton Bradley 1985, "Advanced Play")."""
        here = self.stations["mr_x"]
        for ticket, station in move.legs:
            if self.board.transport(ticket, here, station, self.occupied) is None:
                return False
            here = station
        return True
