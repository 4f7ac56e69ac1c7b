"""The ladder of lateness: what the server does when a deadline has passed and a move is missing.

`LADDER` has the steps in the order of "When the time is up" in docs/deadlines.md. The server tries them from the top
and stops at the first that settles the matter; each happens at most once per turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from server import clock
from server.house_rules import draws, endings, holding, motions, moves, notices, substitution, timers, vacation
from server.house_rules.draft import Draft
from server.house_rules.standing import Seat, Sight, Timer
from server.house_rules.turns import awaited_seats
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import parse_duration, rfc3339
from server.vocabulary.mails import AboutMoves

CLAIM_OPEN_FOR = timedelta(days=2)


def time_out(draft: Draft, timeout: Timer) -> None:
    """Take the first step of the ladder that applies, unless every move has been made in time.

    A held move was: it is played first.
    """
    late = {seat.number for seat in missing_seats(draft, timeout)}
    if not any(held.seat in late for held in draft.game.held):
        _climb(draft, timeout)
        return
    timers.store_bank(draft, timeout)
    refusals = holding.play_late(draft, late)
    _climb(draft, timeout)
    still = {seat.number for seat in missing_seats(draft, timeout)}
    holding.tell_returned(draft, {number: refused for number, refused in refusals.items() if number in still})


def _climb(draft: Draft, timeout: Timer) -> None:
    seats = missing_seats(draft, timeout)
    if seats:
        late = Lateness(draft, timeout, seats)
        for step in LADDER:
            if step(late):
                return


def remind(draft: Draft, timer: Timer) -> None:
    """Remind the players whose move is missing, and does not wait to be played.

    None is reminded when the deadline has passed, as it may have after an outage.
    """
    due = next((timeout.due_at for timeout in draft.game.timeouts() if timeout.seat == timer.seat), None)
    if due is None or draft.now >= due:
        return
    share = clock.with_defaults(draft.game.clock)["reminders"][timer.step]
    holding_seats = {held.seat for held in draft.game.held}
    for seat in missing_seats(draft, timer):
        if seat.number in holding_seats:
            continue
        notices.post_reminder(draft, seat, timer, {"share": share}, _after_night(draft, seat, due))


def missing_seats(draft: Draft, timer: Timer) -> list[Seat]:
    """Return the seats whose move is missing of those the timer is for; none if its phase is over."""
    game = draft.game
    if game.status != "running" or (game.side, game.round) != (timer.side, timer.round):
        return []
    return [seat for seat in awaited_seats(game, draft.state, game.queue) if timer.seat in (timers.SHARED, seat.number)]


@dataclass(frozen=True)
class Lateness:
    """A deadline that has passed: the timeout, and the seats whose move is missing."""

    draft: Draft
    timeout: Timer
    seats: Sequence[Seat]

    @property
    def clock(self) -> Clock:
        """Return the clock of the game with all its members."""
        return clock.with_defaults(self.draft.game.clock)

    @property
    def numbers(self) -> list[int]:
        """Return the numbers of the late seats."""
        return [seat.number for seat in self.seats]

    @property
    def is_first(self) -> bool:
        """Return whether the turn's own time is up, and not yet its grace."""
        return self.timeout.step != timers.GRACE


# The steps of the ladder. Each says whether it settles the matter; if it does not, the server tries the next.


def _spend_vacation(late: Lateness) -> bool:
    """Let late players who opted in spend days of their vacation."""
    for seat in late.seats if late.is_first else ():
        vacation.spend(late.draft, seat, late.timeout)
    return False


def _wait_for_time_off(late: Lateness) -> bool:
    """Move the deadline, as a late player is on vacation, or asleep."""
    draft = late.draft
    is_off = late.is_first and timers.has_time_left(draft, late.timeout, late.numbers)
    if is_off:
        timers.schedule_again(draft, late.timeout, late.numbers, draft.game.events + 1)
        draft.publish("postponed", due_at=rfc3339(draft.game.due_at))
    return is_off


def _give_grace(late: Lateness) -> bool:
    """Give the late players the grace of the clock, and tell everybody who is late."""
    draft = late.draft
    if not late.is_first or not parse_duration(late.clock["grace"]):
        return False
    for seat in late.seats:
        _note_late(late, seat)
    until = rfc3339(timers.start_grace(draft, late.timeout.seat, draft.game.events + 1))
    pawns = [pawn for seat in late.seats for pawn in seat.pawns]
    draft.publish("late", seats=late.numbers, pawns=pawns, due_at=until)
    notices.post_to_all(draft, "overdue", {"pawns": pawns})
    return True


def _move_detectives(late: Lateness) -> bool:
    """Move the late detectives' pawns, and offer others the seats of players who are late too often."""
    draft = late.draft
    if late.timeout.side != "detectives":
        return False
    timers.store_bank(draft, late.timeout)
    moved = _move_for_detectives(late)
    for seat in draft.game.seats:
        if seat.number in moved:
            if seat.number in draft.game.questions:
                _note_late(late, seat)
            else:
                _count_miss(late, seat)
            notices.post_late(draft, seat, draft.game.questions.get(seat.number))
            substitution.offer_if_late_too_often(draft, seat, late.clock["open_after"])
    pawns = [pawn for seat in late.seats if seat.number in moved for pawn in seat.pawns]
    notices.post_to_host_aside(draft, "late", {"pawns": pawns})
    return True


def _give_mr_x_a_second_turn(late: Lateness) -> bool:
    """Give Mr. X, who is late for the first time, his full time again."""
    if late.draft.game.mr_x_misses:
        return False
    # The number of missed deadlines is public, and would tell that a question to Mr. X was open.
    seat = late.seats[0]
    question = late.draft.game.questions.get(seat.number) if not seat.misses else None
    _count_miss(late, seat)
    if not draws.end_if_agreed(late.draft):
        give_mr_x_another_turn(late.draft, question)
    return True


def _ask_detectives(late: Lateness) -> bool:
    """Have the detectives vote on whether they wait for Mr. X or claim the game, if the clock says so."""
    draft = late.draft
    voters = claim_voters(draft.game, draft.now) if late.clock["mr_x_late"] == "vote" else []
    if voters:
        motions.expire_extensions(draft)
        motion = motions.open_motion(draft, "claim", {"round": draft.game.round}, draft.now + CLAIM_OPEN_FOR)
        notices.post_vote(draft, motion, None, [*voters, *late.seats])
        _note_late(late, late.seats[0])
    return bool(voters)


def _forfeit(late: Lateness) -> bool:
    """Let Mr. X forfeit: the detectives win."""
    forfeit(late.draft)
    return True


LADDER = (
    _spend_vacation, _wait_for_time_off, _give_grace, _move_detectives, _give_mr_x_a_second_turn, _ask_detectives,
    _forfeit,
)  # fmt: skip


# What a vote of the detectives leads to as well ---------------------------------------------------


def has_mr_x_moved(draft: Draft) -> bool:
    """Return whether Mr. X, who is late, has sent a move all the same that was held: it is played now."""
    number = draft.game.seat_of_pawn("mr_x").number
    holding.play_late(draft, {number})
    return draft.game.side != "mr_x" or draft.game.status != "running"


def claim_voters(game: Sight, now: datetime) -> list[Seat]:
    """Return the detectives' seats that can decide on a late Mr. X: those of people who are not away."""
    return vacation.not_away(game, [seat for seat in game.seats if seat.role == "detective"], now)


def give_mr_x_another_turn(draft: Draft, question: AboutMoves | None = None, *, by_vote: bool = False) -> None:
    """Give Mr. X his full time again, and a full bank, and tell everybody.

    `question` is one to him that was open, so that this turn does not count as the one that he may miss. `by_vote`: the
    detectives were asked whether they wait.
    """
    game = draft.game
    motions.expire_extensions(draft)
    game.mr_x_misses += question is None
    game.seat_of_pawn("mr_x").bank = None
    moves.restart_timers(draft, serial=game.events + 1)
    assert game.due_at is not None
    draft.publish("granted", due_at=rfc3339(game.due_at))
    notices.post_granted(draft, question, by_vote=by_vote)


def forfeit(draft: Draft) -> None:
    """End the game: the detectives have won, provisionally, as Mr. X ran out of time."""
    endings.end(draft, endings.OUT_OF_TIME)


# Parts of the steps -------------------------------------------------------------------------------


def _note_late(late: Lateness, seat: Seat) -> None:
    seat.late_since = seat.late_since or late.timeout.due_at
    late.draft.game.is_contestable = True


def _count_miss(late: Lateness, seat: Seat) -> None:
    seat.misses += 1
    _note_late(late, seat)


def _move_for_detectives(late: Lateness) -> set[int]:
    """Move each pawn whose time is up, in the order of play; return the numbers of its seats."""
    draft, game = late.draft, late.draft.game
    phase, moved = (game.side, game.round), set[int]()
    while draft.state.outcome is None and (game.side, game.round) == phase and (pawns := _overdue_pawns(late)):
        moved.add(game.seat_of_pawn(pawns[0]).number)
        moves.enter(draft, moves.choose_for_late(draft, pawns[0]), "house")
    return moved


def _overdue_pawns(late: Lateness) -> list[str]:
    """Return the pawns to move whose time is up."""
    seat, draft = late.timeout.seat, late.draft
    return [pawn for pawn in draft.state.to_move if seat in (timers.SHARED, draft.game.seat_of_pawn(pawn).number)]


def _after_night(draft: Draft, seat: Seat, due: datetime) -> datetime:
    """Return when to send a reminder: now, or after the player's night if the deadline is later than that."""
    if seat.holder is None or not seat.holder.night:
        return draft.now
    morning = timers.night_of(seat.holder.night, seat.holder.zone).end_if_in(draft.now)
    return morning if morning is not None and morning < due else draft.now
