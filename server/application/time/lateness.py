"""The ladder of lateness: what the server does when a deadline has passed and a move is missing.

`LADDER` has the steps in the order of "When the time is up" in docs/deadlines.md. The server tries them from the top
and stops at the first that settles the matter; each happens at most once per turn.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from server import clock, engine
from server.application.game import motions, notices, timers
from server.application.game.access import seat_of_pawn
from server.application.game.events import record_event
from server.application.game.state import rebuild
from server.application.game.waiting import awaited_seats
from server.application.play import endings, moves
from server.application.time import bot_moves, vacation
from server.durations import parse_duration, rfc3339
from server.models import Deadline, Game, Seat
from server.runtime import now

CLAIM_OPEN_FOR = timedelta(days=2)


def handle(game: Game, timeout: Deadline) -> None:
    """Take the first step of the ladder that applies, unless every move has been made in time."""
    seats = missing_seats(game, timeout)
    if not seats:
        return
    late = Lateness(game, timeout, seats)
    for step in LADDER:
        if step.applies(late):
            step.do(late)
            if step.settles:
                return


def missing_seats(game: Game, timer: Deadline) -> list[Seat]:
    """Return the seats whose move is missing of those the timer is for; none if its phase is over."""
    if game.status != "running" or (game.side, game.round) != (timer.side, timer.round):
        return []
    return [seat for seat in awaited_seats(game) if timer.seat in (timers.SHARED, seat.number)]


@dataclass(frozen=True)
class Lateness:
    """A deadline that has passed: the timeout, and the seats whose move is missing."""

    game: Game
    timeout: Deadline
    seats: Sequence[Seat]

    @property
    def clock(self) -> dict[str, Any]:
        """Return the clock of the game with all its members."""
        return clock.with_defaults(self.game.clock)

    @property
    def is_first(self) -> bool:
        """Return whether the turn's own time is up, and not yet its grace."""
        return self.timeout.step != timers.GRACE


class Step(ABC):
    """A step of the ladder. After one that settles the matter the server tries no other."""

    settles = True

    @abstractmethod
    def applies(self, late: Lateness) -> bool:
        """Return whether the step is to be taken; change nothing."""

    @abstractmethod
    def do(self, late: Lateness) -> None:
        """Take the step."""


class SpendVacation(Step):
    """Late players who opted in spend days of their vacation."""

    settles = False

    def applies(self, late: Lateness) -> bool:
        return late.is_first

    def do(self, late: Lateness) -> None:
        for seat in late.seats:
            vacation.spend(seat, late.timeout)


class WaitForTimeOff(Step):
    """The deadline moves, as a late player is on vacation, or asleep."""

    def applies(self, late: Lateness) -> bool:
        return late.is_first and timers.has_time_left(late.game, late.timeout, _numbers(late))

    def do(self, late: Lateness) -> None:
        game = late.game
        timers.schedule_again(game, late.timeout, _numbers(late), game.events + 1)
        record_event(game, "postponed", due_at=rfc3339(game.due_at))


class GiveGrace(Step):
    """The late players get the grace of the clock, and everybody is told who is late."""

    def applies(self, late: Lateness) -> bool:
        return late.is_first and bool(parse_duration(late.clock["grace"]))

    def do(self, late: Lateness) -> None:
        game = late.game
        for seat in late.seats:
            _note_late(seat, late.timeout)
        until = rfc3339(timers.start_grace(game, late.timeout.seat, game.events + 1))
        pawns = [pawn for seat in late.seats for pawn in seat.pawns]
        record_event(game, "late", seats=_numbers(late), pawns=pawns, due_at=until)
        notices.post_overdue(game, list(late.seats))


class MoveForDetectives(Step):
    """The server moves the late detectives' pawns, and offers the seats of those who are late too often."""

    def applies(self, late: Lateness) -> bool:
        return late.timeout.side == "detectives"

    def do(self, late: Lateness) -> None:
        game = late.game
        timers.store_bank(game, late.timeout)
        moved = _move_for_detectives(late)
        for seat in game.seats:
            if seat.number in moved:
                _count_miss(seat, late.timeout)
                notices.post_late(seat)
                if _is_to_be_offered(late, seat):
                    _offer(game, seat)


class GiveMrXAnotherTurn(Step):
    """Mr. X, who is late for the first time, gets his full time again."""

    def applies(self, late: Lateness) -> bool:
        return late.game.mr_x_misses == 0

    def do(self, late: Lateness) -> None:
        _count_miss(late.seats[0], late.timeout)
        give_mr_x_another_turn(late.game)


class AskDetectives(Step):
    """The detectives vote on whether they wait for Mr. X or claim the game, if the clock says so."""

    def applies(self, late: Lateness) -> bool:
        return late.clock["mr_x_late"] == "vote" and bool(claim_voters(late.game))

    def do(self, late: Lateness) -> None:
        game = late.game
        motions.expire_extensions(game)
        motion = motions.open_motion(game, "claim", {"round": game.round}, now() + CLAIM_OPEN_FOR)
        notices.post_vote(motion, game, None, claim_voters(game))
        _note_late(late.seats[0], late.timeout)


class Forfeit(Step):
    """Mr. X forfeits, and the detectives win."""

    def applies(self, late: Lateness) -> bool:
        return True

    def do(self, late: Lateness) -> None:
        forfeit(late.game)


LADDER = (
    SpendVacation(),
    WaitForTimeOff(),
    GiveGrace(),
    MoveForDetectives(),
    GiveMrXAnotherTurn(),
    AskDetectives(),
    Forfeit(),
)


# What a vote of the detectives leads to as well ---------------------------------------------------


def claim_voters(game: Game) -> list[Seat]:
    """Return the detectives' seats that can decide on a late Mr. X: those of people who are not away."""
    return vacation.present([seat for seat in game.seats if seat.role == "detective"])


def give_mr_x_another_turn(game: Game) -> None:
    """Give Mr. X his full time again, and a full bank, and tell everybody."""
    motions.expire_extensions(game)
    game.mr_x_misses += 1
    seat_of_pawn(game, "mr_x").bank = None
    moves.restart_timers(game, rebuild(game), serial=game.events + 1)
    assert game.due_at is not None
    record_event(game, "granted", due_at=rfc3339(game.due_at))
    notices.post_to_all(game, "granted")


def forfeit(game: Game) -> None:
    """End the game: the detectives have won, provisionally, as Mr. X ran out of time."""
    endings.end(game, rebuild(game), endings.OUT_OF_TIME)


# Parts of the steps -------------------------------------------------------------------------------


def _numbers(late: Lateness) -> list[int]:
    return [seat.number for seat in late.seats]


def _note_late(seat: Seat, timeout: Deadline) -> None:
    seat.late_since = seat.late_since or timeout.due_at


def _count_miss(seat: Seat, timeout: Deadline) -> None:
    seat.misses += 1
    _note_late(seat, timeout)


def _move_for_detectives(late: Lateness) -> set[int]:
    """Move each pawn whose time is up, in the order of play; return the numbers of its seats."""
    game, state = late.game, rebuild(late.game)
    phase, moved = (game.side, game.round), set[int]()
    while state.outcome is None and (game.side, game.round) == phase and (pawns := _overdue_pawns(late, state)):
        moved.add(seat_of_pawn(game, pawns[0]).number)
        moves.enter(game, state, bot_moves.choose(game, state, "constable", pawns[0]), "house")
    return moved


def _overdue_pawns(late: Lateness, state: engine.Game) -> list[str]:
    """Return the pawns to move whose time is up."""
    seat = late.timeout.seat
    return [pawn for pawn in state.to_move if seat in (timers.SHARED, seat_of_pawn(late.game, pawn).number)]


def _is_to_be_offered(late: Lateness, seat: Seat) -> bool:
    """Return whether the server has moved for the seat often enough in a row to offer it to others."""
    often = late.clock["open_after"]
    is_often = often is not None and seat.misses >= often
    return is_often and not seat.is_offered and not seat.bot and late.game.status == "running"


def _offer(game: Game, seat: Seat) -> None:
    """Offer the seat to others; until somebody takes it its player may come back."""
    seat.is_offered = True
    record_event(game, "offered", seat=seat.number, pawns=seat.pawns)
    notices.post_to_all(game, "offered", {"pawns": seat.pawns})
