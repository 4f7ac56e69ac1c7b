"""The results of a move: entries of the travel log, the outcome, the events that `Game.play` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from server.engine.move import Move


class Window(NamedTuple):
    """One window of the travel log. Mr. X knows all of it; `Game.view` decides what others see.

    transport: the line taken, also under a black ticket
    surfaced: True if he showed himself here
    """

    number: int
    ticket: str
    station: int
    transport: str
    surfaced: bool


WINNERS = ("mr_x", "detectives", "draw")
# The reasons for which play ends a game, in the order in which the engine checks them.
REASONS = ("captured", "log_full", "rounds_over", "detectives_stranded", "mr_x_trapped", "both_stuck")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game.

    winner: one of WINNERS
    reason: one of REASONS
    """

    winner: str
    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A pawn moved. `windows` are the log entries of Mr. X's move; empty for a detective's."""

    pawn: str
    move: Move
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Surfaced:
    """Mr. X showed himself; `voluntary` is True if the log did not require it."""

    window: int
    station: int
    voluntary: bool = False


@dataclass(frozen=True, slots=True)
class TicketsTaken:
    """Mr. X surfaced voluntarily and took one ticket from each detective: (pawn, ticket) pairs."""

    tickets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A pawn's turn came and it could not move: "stranded" for good, "blocked" for this round, or
    "out" when the rules send a blocked pawn out of the game."""

    pawn: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over."""

    outcome: Outcome


Event = Moved | Surfaced | TicketsTaken | PassedOver | Ended
