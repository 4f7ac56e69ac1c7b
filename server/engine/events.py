"""What comes of a move: entries of the travel log, the end, the events `Game.play` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from server.engine.move import Move


class Window(NamedTuple):
    """One window of the travel log. All of it is known to Mr. X; `Game.view` says what others see.

    transport: the line really taken, also under a black ticket
    surfaced: whether he showed himself here
    """

    number: int
    ticket: str
    station: int
    transport: str
    surfaced: bool


WINNERS = ("mr_x", "detectives", "draw")
# Why play ends a game, in the order in which the ends are looked for.
REASONS = ("captured", "log_full", "rounds_over", "detectives_stranded", "mr_x_trapped", "both_stuck")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    winner: one of WINNERS
    reason: one of REASONS
    """

    winner: str
    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A pawn moved. `windows` are the log entries of a move of Mr. X's, empty for a detective's."""

    pawn: str
    move: Move
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Surfaced:
    """Mr. X showed himself; `voluntary` where the log did not ask for it."""

    window: int
    station: int
    voluntary: bool = False


@dataclass(frozen=True, slots=True)
class TicketsTaken:
    """On surfacing of his own accord Mr. X took one ticket from each of these (pawn, ticket)."""

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
