"""Fire what is due: claim a row, check that it still holds, and do what its kind says.

What follows when a move is missing is in `server.house_rules.lateness`.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import TypedDict

from sqlalchemy import ColumnElement, bindparam, exists, func, select, update

from server import bots
from server.application.game.look import standing_of
from server.application.game.situations import carry_out, load
from server.application.game.state import rebuild
from server.application.mail import imap_progress
from server.application.play.absences import lock_spenders
from server.application.time import outages
from server.house_rules import before_start, endings, holding, lateness, moves, votes
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import Timer
from server.models import ARMED, OPEN, Deadline, Game, HeldMove, Motion, execute, leases, rows, session, transaction
from server.models.types import UtcTime
from server.runtime import now, runtime
from server.vocabulary.durations import rfc3339

RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)
HOLD = timedelta(seconds=30)  # between two looks whether a mail of the game is read
BOTS_EVERY = timedelta(seconds=10)  # longer than a tick usually takes, and short beside a turn and `feed.LATEST`
_IS_DUE = (Deadline.state == ARMED, Deadline.try_at <= bindparam("at", type_=UtcTime()))
_DUE = select(Deadline.id, Deadline.game_id, Deadline.due_at).where(*_IS_DUE).order_by(Deadline.try_at)
_IS_ANY_DUE = select(exists().where(*_IS_DUE))
_ROW = (Deadline.id == bindparam("row"), Deadline.state == ARMED)
_GAME = select(Deadline.game_id).where(*_ROW)
_VOTING = select(Motion.game_id, Motion.closes_at).where(
    Motion.game_id.in_(bindparam("games", expanding=True)), Motion.state == OPEN
)
_LOCK = select(Game.id).where(Game.id == bindparam("game"))


def due(at: datetime, limit: int = 100) -> list[tuple[str, str, datetime]]:
    """Return `(id, game id, due_at)` of the rows that are due and may fire, the oldest first.

    During an outage of the server or of its mail these are only the moves of bots, which nobody can miss. While the
    worker gives back the time of an outage, no row of a game that is still to be credited is among them.
    """
    if not session.scalar(_IS_ANY_DUE, {"at": at}):
        return []
    has_credited = outages.has_credited()
    query = _DUE.where(*_may_fire(at), *(() if has_credited is None else (has_credited,))).limit(limit)
    return [tuple(row) for row in session.execute(query, {"at": at})]  # type: ignore[misc]


def _may_fire(at: datetime) -> tuple[ColumnElement[bool], ...]:
    until = fires_until(at)
    return () if until is None else (Deadline.kind.not_in(outages.KINDS) | (Deadline.due_at < until),)


def fires_until(at: datetime) -> datetime | None:
    """Return up to when what was due may happen now that a player can miss, or could stop; None for no such limit."""
    # If the relay stays out for long the deadlines move; if it does not, they fire a little later.
    if outages.why_held(at) is not None or outages.is_relay_out():
        return imap_progress.NEVER
    return imap_progress.read_until(at)  # a mail that arrived in time may still lie unread in a mailbox


class ScheduledView(TypedDict):
    """A scheduled row, for the operator."""

    id: str
    game: str
    kind: str
    side: str
    round: int
    due_at: str
    try_at: str
    attempts: int


def scheduled(*, due_only: bool = False, limit: int | None = None) -> list[ScheduledView]:
    """Return the scheduled rows for the operator, the next first; with `due_only` those that are due.

    The timer of a vote that was decided early decides nothing any more, and is left out.
    """
    query = select(Deadline).where(Deadline.state == ARMED).order_by(Deadline.try_at, Deadline.id).limit(limit)
    if due_only:
        query = query.where(Deadline.try_at <= now())
    found = session.scalars(query).all()
    voted_on = {row.game_id for row in found if row.kind == "vote"}
    open_until = {tuple(motion) for motion in rows(_VOTING, games=list(voted_on))} if voted_on else set()
    return [
        {
            "id": row.id,
            "game": row.game_id,
            "kind": row.kind,
            "side": row.side,
            "round": row.round,
            "due_at": rfc3339(row.due_at),
            "try_at": rfc3339(row.try_at),
            "attempts": row.attempts,
        }
        for row in found
        if row.kind != "vote" or (row.game_id, row.due_at) in open_until
    ]


class Busy(Exception):
    """Another process is working on the game."""


def fire(deadline_id: str, *, waits: bool = True) -> bool:
    """Do what a due row says, exactly once; return False if there was nothing left to do.

    0. If a bot is to move, work its move out, so that nobody waits for that in the transaction.
    1. Lock the game, after the players whose vacation may be spent.
    2. Give the game back the time of outages, by which the row may be due later.
    3. Decide what the row's kind says, and write it, with the row as fired.

    Raises:
        Busy: if another process has locked the game, and this one does not wait (`waits`).
    """
    think_ahead(deadline_id)
    with transaction():
        game_id = session.scalar(_GAME, {"row": deadline_id})
        if game_id is None:
            return False
        lock_spenders(game_id)
        # The row of the game is locked first, as a move does it, so that no two processes wait for each other.
        if session.scalar(_LOCK.with_for_update(skip_locked=not waits), {"game": game_id}) is None:
            raise Busy
        situation = outages.settled(load(game_id))
        timer = next((timer for timer in situation.timers if timer.id == deadline_id), None)
        is_due = timer is not None and timer.state == "armed" and timer.due_at <= now()
        if timer is None or not is_due or situation.owed:
            return False
        carry_out(situation, partial(_fire, timer.id), _counted_from(timer, situation))
    return True


def _counted_from(timer: Timer, game: Situation) -> datetime:
    """Return the time of what a row does: now, and for a bot's move one that does not tell how long the bot thought.

    That is the instant of the row, or if the server was late, one a whole number of `BOTS_EVERY` after it.
    """
    at = now()
    if timer.kind != "move":
        return at
    entered = timer.due_at + (at - timer.due_at) // BOTS_EVERY * BOTS_EVERY
    return min(at, max(entered, game.happened_at or entered))


def _fire(timer_id: str, draft: Draft) -> None:
    """Mark the timer as fired, and do what its kind says."""
    timer = next(timer for timer in draft.game.timers if timer.id == timer_id)
    timer.state = "fired"
    _KINDS[timer.kind](draft, timer)


def is_scheduled(deadline_id: str) -> bool:
    """Return whether the row is still to be fired; another worker may have been faster."""
    return session.scalar(_GAME, {"row": deadline_id}) is not None


def hold(deadline_id: str) -> bool:
    """Have a row wait a little for a mail of its game that came in time and cannot be read now.

    Return False for a row that waits no longer: after a day, or as nobody can miss it.
    """
    with transaction():
        row = session.get_one(Deadline, deadline_id)
        if row.kind not in outages.KINDS or now() - row.due_at > outages.LONGEST:
            return False
        row.try_at = now() + HOLD
    return True


def postpone(deadline_id: str, *, is_counted: bool = True) -> None:
    """Schedule the next attempt at a row that failed: ever more rarely, but without end.

    An attempt that failed as this machine lacked something is not counted.
    """
    with transaction():
        row = session.get_one(Deadline, deadline_id)
        row.attempts += is_counted
        row.try_at = leases.back_off(row.attempts, LONGEST_RETRY, first=RETRY)


_KINDS: dict[str, Callable[[Draft, Timer], None]] = {
    "timeout": lateness.time_out,
    "reminder": lateness.remind,
    "move": lambda draft, _timer: moves.move_bot(draft),
    "vote": votes.close,
    "final": lambda draft, _timer: endings.make_final(draft),
    "invitation": lambda draft, timer: before_start.expire_invitation(draft, timer.seat),
}


_GAME_OF_BOT = (
    select(Game)
    .join(Deadline, Deadline.game_id == Game.id)
    .where(Deadline.id == bindparam("row"), Deadline.kind == "move", Deadline.state == ARMED, Game.status == "running")
)


# Work the move of a bot out before the game is locked for it.
#
# A bot is a function of what it sees, and `server.bots` keeps what it has worked out from public facts. So here it is
# only asked; in the transaction it is asked again, and then its answer takes a millisecond or two.


def think_ahead(deadline_id: str) -> None:
    """Ask the bot whose move a row will make; do nothing if the row is for something else."""
    game = session.scalar(_GAME_OF_BOT, {"row": deadline_id})
    if game is None:
        return
    state = rebuild(standing_of(game))
    for seat in game.seats:
        pawn = next((pawn for pawn in seat.pawns if pawn in state.to_move), None)
        if seat.bot and seat.level and pawn:
            rng = runtime().draw("thinking", game.id)
            bots.choose(seat.bot, state.view(pawn), state.legal_moves(pawn), rng, seat.level)
            return


_IS_HOLD_DUE: ColumnElement[bool] = HeldMove.try_at <= bindparam("at", type_=UtcTime())
_IS_ANY_HOLD_DUE = select(exists().where(_IS_HOLD_DUE))
_FIRST: ColumnElement[datetime] = func.min(HeldMove.plays_at)
_DUE_HOLDS = select(HeldMove.game_id, _FIRST).where(_IS_HOLD_DUE).group_by(HeldMove.game_id)
_DUE_HOLDS = _DUE_HOLDS.order_by(_FIRST, HeldMove.game_id).limit(100)
_DUE_UNTIL = _DUE_HOLDS.where(HeldMove.plays_at < bindparam("until", type_=UtcTime()))
_OF_GAME = (HeldMove.game_id == bindparam("game"), HeldMove.plays_at <= bindparam("at", type_=UtcTime()))
_ATTEMPTS = select(func.max(HeldMove.attempts)).where(*_OF_GAME)
_TRY_LATER = (
    update(HeldMove)
    .where(*_OF_GAME)
    .values(try_at=bindparam("later", type_=UtcTime()), attempts=HeldMove.attempts + bindparam("more"))
)


def due_holds(at: datetime) -> list[tuple[str, datetime]]:
    """Return the ids of games in which a held move is to be played, each with the time of the first.

    None is while a NO to it could not arrive: while deadlines wait, as the server or its mail is out.
    """
    if not rows(_IS_ANY_HOLD_DUE, at=at)[0][0]:
        return []
    until = fires_until(at)
    found = rows(_DUE_HOLDS, at=at) if until is None else rows(_DUE_UNTIL, at=at, until=until)
    return [tuple(row) for row in found]


def play_hold(game_id: str) -> None:
    """Play what is due in a game, after it has got back the time of outages, by which it may be due later."""
    with transaction():
        situation = outages.settled(load(game_id))
        if any(held.plays_at <= now() for held in situation.held):
            carry_out(situation, holding.play_due)


def wait_for_mail(game_id: str, since: datetime) -> bool:
    """Have what is due in a game since then wait a little, as a mail that came in time cannot be read now.

    Return False if it waits no longer, after a day.
    """
    if now() - since > outages.LONGEST:
        return False
    with transaction():
        execute(_TRY_LATER, {"game": game_id, "at": now(), "later": now() + HOLD, "more": 0})
    return True


def postpone_hold(game_id: str, *, is_counted: bool = True) -> None:
    """Schedule the next attempt in a game in which playing failed: ever more rarely, but without end."""
    with transaction():
        attempts = (rows(_ATTEMPTS, game=game_id, at=now())[0][0] or 0) + is_counted
        later = leases.back_off(attempts, LONGEST_RETRY, first=RETRY)
        execute(_TRY_LATER, {"game": game_id, "at": now(), "later": later, "more": int(is_counted)})
