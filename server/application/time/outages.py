"""Outages: times in which players could not rely on the server, and the time that games are credited for them.

All is well while a worker looks at every tick, every mailbox was read a moment ago, the relay takes mail, and nobody
has set the clock. The database has one moment for it, `heartbeat.WELL`: until then all was well. When that is more than
a few ticks ago, nothing fires that a player could miss; when all is well again the time since then is an outage. Every
open deadline moves by it, once, before anything fires.

A look only records the outage, in one small transaction. `give_back` then credits the games, a batch at a time, and no
timer of a game fires before the game is credited. Looks go on meanwhile, so that this work is not a further outage.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypedDict

from sqlalchemy import ColumnElement, CompoundSelect, bindparam, exists, func, select, union_all, update

from server.application.game.situations import carry_out, load
from server.application.mail import imap_progress
from server.application.time import heartbeat
from server.clock import OUTAGES
from server.house_rules import outage_credit
from server.house_rules.invitations import LIFE
from server.house_rules.outage_credit import credit, restart_timers_ahead
from server.house_rules.situation import Situation
from server.models import (
    ARMED,
    OPEN,
    Deadline,
    Game,
    HeldMove,
    Motion,
    Outage,
    Pulse,
    Unavailable,
    execute,
    require_unlocked,
    session,
    transaction,
)
from server.runtime import now, runtime
from server.runtime.faults import fault
from server.vocabulary.durations import rfc3339, say_duration
from server.vocabulary.errors import Problem

log = logging.getLogger(__name__)
FEW_TICKS = 4
SHORTEST = timedelta(seconds=10)  # however fast the ticker is, as a machine may be busy for that long
PATIENCE = timedelta(seconds=45)  # with a relay that takes nothing, and a clock that was set
UNTOLD = 5  # minutes within which nobody is told when a mail came
UNREAD = timedelta(minutes=1)  # the same for a mailbox, which is read every twenty seconds
LONGEST = timedelta(hours=24)  # an operator has to confirm a longer one
RESTORE = "restore"  # the cause of an outage that began when a backup was made, which was restored since
DRIFT = 5.0  # seconds between two looks by which wall clock and monotonic one may differ
KINDS = (
    "timeout",
    "reminder",
    "vote",
    "invitation",
    "final",
)  # a player can miss these; moves of bots are not among them
BATCH = 20  # games credited in one transaction, so that it takes some hundredths of a second
_ARMED = (Deadline.state == ARMED, Deadline.kind.in_(KINDS))
_IS_ANYTHING_OPEN = select(exists().where(*_ARMED) | exists().where(HeldMove.game_id.is_not(None)))
_NEWEST_GRANTED = select(func.max(Outage.number)).where(Outage.state == "granted")
_OWED = select(Game.id, Deadline.try_at).join(Deadline, Deadline.game_id == Game.id).order_by(Deadline.try_at)
_OWED = _OWED.where(*_ARMED, Game.outages < bindparam("newest")).limit(BATCH)
# Of several workers each gets other games.
_OWED = _OWED.with_for_update(of=Game, skip_locked=True)


@dataclass(frozen=True)
class Trouble:
    """The cause of an outage, and since when it lasts as far as that is known."""

    cause: str
    since: datetime | None = None


def tick() -> timedelta:
    """Return the time between two looks of a worker."""
    return timedelta(seconds=runtime().settings.tick_seconds)


def longest_silence() -> timedelta:
    """Return how long no worker may look before that is an outage: a few ticks."""
    return max(FEW_TICKS * tick(), SHORTEST)


class Watch:
    """A watch on the server's state: one process's memory of its clocks, and of the moments that others noted."""

    def __init__(self) -> None:
        self._at: datetime | None = None
        self._ticked = 0.0
        self._steady_from = float("-inf")
        self._ahead = 0.0  # seconds by which the clock was set forward, and not back again
        self._seen: datetime | None = None
        self._seen_at = float("-inf")
        self._cause = "server"

    def look(self) -> None:
        """Note that all is well, or what is not; record an outage that is over. Every worker looks once a tick.

        Raises:
            Unavailable: if the database cannot be used, as while a table is locked; so the time until then is an outage
        """
        require_unlocked()
        known = heartbeat.known()  # first, as it tells what the clock of the database says
        at, ticked = now(), runtime().monotonic()
        if heartbeat.is_old(known.get(heartbeat.TICK), tick()):
            heartbeat.note(heartbeat.TICK)
        trouble = self._clock_was_set(at, ticked) or _trouble(at, known)
        noted = known.get(heartbeat.WELL)
        if noted is None:  # the first look of all
            heartbeat.note(heartbeat.WELL)
        elif trouble is not None:
            self._cause = trouble.cause
            self._remember(_not_well_since(trouble.since or at, noted))
        elif not self._is_anothers(noted, at, ticked):
            self._well(at, noted)
            self._cause = "server"
        _withdraw_if_short(at)
        session.rollback()  # end the reading, as others write

    def _clock_was_set(self, at: datetime, ticked: float) -> Trouble | None:
        """Return the trouble of a clock that was set, until it has been steady for `PATIENCE`.

        Meanwhile the operator has time to set it right again.
        """
        step = (at - self._at).total_seconds() - (ticked - self._ticked) if self._at is not None else 0.0
        if abs(step) > DRIFT:
            log.warning("the clock was set to %s; nothing fires until it is steady", rfc3339(at))
            self._steady_from = ticked + PATIENCE.total_seconds()
            if -self._ahead - DRIFT <= step < 0:
                request_correction()
            self._ahead = max(self._ahead + step, 0.0)
        self._at, self._ticked = at, ticked
        return Trouble("clock") if ticked < self._steady_from else None

    def _is_anothers(self, noted: datetime, at: datetime, ticked: float) -> bool:
        """Return whether a worker whose clock is behind noted this a moment ago: then there was no outage."""
        if noted != self._seen:
            is_first = self._seen is None
            self._seen, self._seen_at = noted, float("-inf") if is_first else ticked
        return at - noted > longest_silence() and ticked - self._seen_at <= longest_silence().total_seconds()

    def _well(self, at: datetime, noted: datetime) -> None:
        if at - noted > longest_silence():
            self._remember(_found(noted, at, self._cause))
        elif not timedelta(0) <= at - noted < longest_silence() / 2:
            self._remember(_note(at, noted))

    def _remember(self, noted: datetime | None) -> None:
        """Remember what this process noted itself, so that it is not taken for another worker's note."""
        if noted is not None:
            self._seen, self._seen_at = noted, float("-inf")


def _trouble(at: datetime, known: Mapping[str, datetime]) -> Trouble | None:
    """Return what is wrong with the mailboxes or the relay, given the heartbeats."""
    read_until = imap_progress.read_until(at)
    if read_until is not None and at - read_until >= UNREAD:
        return Trouble("mailbox", None if read_until == imap_progress.NEVER else read_until)
    refused_since = known.get(heartbeat.NO_RELAY)
    if refused_since is not None and at - refused_since >= PATIENCE:
        return Trouble("relay", refused_since)
    return None


def why_held(at: datetime) -> str | None:
    """Return a sentence on why nothing may fire, or None if it may."""
    waiting = _waiting()
    if waiting is not None and waiting.cause == RESTORE:
        return (
            f"The database was restored from its backup of {rfc3339(waiting.begin)}; an operator has to release its "
            "mails and deadlines: blackticket release."
        )
    if waiting is not None:
        return (
            f"The server was out since {rfc3339(waiting.begin)}, for more than a day; an operator has to say what "
            "of that is given back: blackticket deadline credit."
        )
    known = heartbeat.known()
    well_at = known.get(heartbeat.WELL)
    if well_at is not None and abs(at - well_at) > longest_silence():
        trouble = _trouble(at, known)
        what = {"mailbox": "a mailbox is not read", "relay": "the relay takes no mail"}.get(
            trouble.cause if trouble else "", "no worker has looked"
        )
        return f"All was well until {rfc3339(well_at)}; since then {what}."
    return None


# Recording an outage -------------------------------------------------------------------------------------


def _note(at: datetime, noted: datetime) -> datetime | None:
    """Note that all was well until `at` and return that; return None if another worker noted something since."""
    with transaction():
        return at if _replaced(at, noted) else None


def _not_well_since(since: datetime, noted: datetime) -> datetime | None:
    """Note that all was well only until `since`, and not until `noted`; but never before the end of the last outage."""
    if noted > since:
        ended = select(Outage.end).where(Outage.end.is_not(None), Outage.end <= noted)
        since = max(since, session.scalar(ended.order_by(Outage.number.desc()).limit(1)) or since)
    return _note(since, noted) if noted > since else None


def _found(begin: datetime, end: datetime, cause: str) -> datetime | None:
    """Record an outage that is over, unless another worker has recorded it; return its end in that case."""
    with transaction():
        if not _replaced(end, begin):
            return None
        if _waiting() is None and session.scalar(_IS_ANYTHING_OPEN):
            is_long = end - begin > LONGEST
            state = "waiting" if is_long else "granted"
            session.add(Outage(cause=cause, begin=begin, end=None if is_long else end, state=state))
            log.warning("%s are to be given back, %s", say_duration(end - begin), OUTAGES[cause])
    return end


def _replaced(at: datetime, noted: datetime) -> bool:
    """Replace the noted moment by `at`; return False if another worker has replaced it since this one read it."""
    statement = update(Pulse).where(Pulse.name == heartbeat.WELL, Pulse.at == noted).values(at=at)
    return execute(statement.returning(Pulse.name)).scalar() is not None


# Giving its time back --------------------------------------------------------------------------------


def confirm(*, granted: bool) -> tuple[datetime, datetime]:
    """Grant or refuse the time of an outage of more than a day, as the operator decides; return its begin and end.

    It ends now.

    Raises:
        Problem: `not-found` if no outage waits to be confirmed, `form` if a restored database waits to be released.
    """
    with transaction():
        outage = _waiting(lock=True)
        if outage is None:
            raise Problem("not-found", "No outage waits to be confirmed.")
        if outage.cause == RESTORE:
            raise Problem("form", "This database was restored from a backup; see `blackticket release`.")
        outage.end, outage.state = now(), "granted" if granted else "refused"
        span = outage.begin, outage.end
    begin_to_give_back()
    return span


def _withdraw_if_short(at: datetime) -> None:
    """Grant a waiting outage if it is short after all, as a clock that was days ahead is right again."""
    waiting = _waiting()
    if waiting is None or waiting.cause == RESTORE or at - waiting.begin > LONGEST:
        return
    with transaction():
        outage = _waiting(lock=True)
        if outage is not None:
            outage.end = max(at, outage.begin)
            outage.state = "granted"
    request_correction()


def has_credited() -> ColumnElement[bool] | None:
    """Return the condition that the game of a deadline has its time back; None while nothing is given back."""
    newest = session.scalar(_NEWEST_GRANTED)
    if newest is None:
        return None
    return exists().where(Game.id == Deadline.game_id, Game.outages >= newest)


def begin_to_give_back() -> None:
    """Give back what was granted a moment ago. The grant is committed, so where this fails a worker does it."""
    with suppress(Unavailable):
        give_back()


def give_back(rest: Callable[[float], object] = lambda _seconds: None) -> None:
    """Move the deadlines of all games by the outages that were granted, the earliest deadline first.

    Several workers may do this at once, and each may be killed, as the row of a game says what it was credited. After
    each batch `rest` gets the number of seconds it took. A game in which it fails is credited when one of its timers
    fires (`settled`).

    Raises:
        Unavailable: the database cannot be written; the rest is given back the next time.
    """
    newest = session.scalar(_NEWEST_GRANTED)
    session.rollback()
    if newest is None:
        return
    failed: set[str] = set()
    since = None
    while True:
        began = runtime().monotonic()
        found = _credit_some(newest, since, failed)
        rest(runtime().monotonic() - began)
        if found is None and since is None:
            break
        since = found
    owed = select(Game.id).join(Deadline, Deadline.game_id == Game.id).where(*_ARMED)
    if session.scalar(owed.where(Game.outages < newest, Game.id.not_in(failed)).limit(1)) is None:
        with transaction():
            statement = update(Outage).where(Outage.number <= newest, Outage.state == "granted")
            session.execute(statement.values(state="done"))


def _credit_some(newest: int, since: datetime | None, failed: set[str]) -> datetime | None:
    """Credit a batch of games; return the time up to which timers were looked at, None where none is left."""
    query = _OWED if since is None else _OWED.where(Deadline.try_at >= since)
    if failed:
        query = query.where(Game.id.not_in(failed))
    ids: list[str] = []
    last = None
    try:
        with transaction():
            found = session.execute(query, {"newest": newest}).all()
            ids += dict.fromkeys(row.id for row in found)
            last = found[-1].try_at if found else None
            for game_id in ids:
                settled(load(game_id))
    except Unavailable:
        raise  # the fault of no game: the next tick goes on
    except Exception:  # noqa: BLE001 the games of the batch are tried one by one
        for game_id in ids:
            try:
                with transaction():
                    settled(load(game_id))
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001 isolation is the point
                log.error("game %s was not given back its time: %s", game_id, fault(error))
                failed.add(game_id)
    return last


def settled(situation: Situation) -> Situation:
    """Credit a locked game with the granted outages that it was not yet credited with; return how it stands then."""
    return carry_out(situation, credit).after if situation.owed else situation


def credit_wait(game_id: str, since: datetime) -> None:
    """Credit a game with the time since a mail of it came in, in the transaction that ends the wait for it.

    It is a day at most, and nothing unless a deadline was held meanwhile: else whoever wrote the mail has time left to
    answer, and nobody hears that there was one. Everybody reads since when the time counts, and when a player wrote
    what did not end their turn is theirs to know: so it is the last minute before the mail that `UNTOLD` divides.
    """
    situation = settled(load(game_id))
    held = situation.armed(*(kind for kind in KINDS if kind != "reminder"))
    if any(since <= timer.due_at <= now() for timer in held):
        begin = since.replace(minute=since.minute // UNTOLD * UNTOLD, second=0, microsecond=0)
        carry_out(situation, partial(outage_credit.credit_wait_for_mail, max(begin, now() - LONGEST)))


def _waiting(*, lock: bool = False) -> Outage | None:
    query = select(Outage).where(Outage.state == "waiting").limit(1)
    return session.scalars(query.with_for_update() if lock else query).first()


# The relay ---------------------------------------------------------------------------------------


def record_relay_failure() -> None:
    """Note that the relay takes no mail from anybody, since now unless that was noted before."""
    heartbeat.begin(heartbeat.NO_RELAY)


def record_relay_answer() -> None:
    """Note that the relay took a mail, or refused that one alone."""
    heartbeat.end(heartbeat.NO_RELAY)


def is_relay_out() -> bool:
    """Return whether the relay took no mail when it was last tried."""
    return relay_out_since() is not None


def relay_out_since() -> datetime | None:
    """Return since when the relay, or the Maildir in its place, takes no mail; None if it took some when last tried."""
    return heartbeat.last(heartbeat.NO_RELAY)


class OutageReport(TypedDict):
    """An outage, for the operator."""

    begin: str
    end: str | None
    cause: str
    state: str


def report() -> list[OutageReport]:
    """Return the newest outages for the operator, the last first."""
    rows = session.scalars(select(Outage).order_by(Outage.number.desc()).limit(5))
    return [
        {"begin": rfc3339(row.begin), "end": rfc3339(row.end), "cause": row.cause, "state": row.state} for row in rows
    ]


log = logging.getLogger(__name__)
AHEAD = timedelta(days=1)


# Restart timers that were started while the server's clock was more than a day fast.
#
# Nobody can plan by a date that is days off. A smaller error stays: a player who was told "until eight" has until
# eight.


def request_correction() -> None:
    """Note that the clock is right again, so that the next worker calls `correct_timers`."""
    heartbeat.note(heartbeat.WAS_AHEAD)


def correct_timers(rest: Callable[[float], object] = lambda _seconds: None) -> None:
    """Give all timers that seem to start more than a day from now their whole time from now, if that was requested.

    Each game is corrected in a transaction of its own; after each, `rest` gets the number of seconds it took. If a
    worker is killed the next one goes on.
    """
    right_since = heartbeat.last(heartbeat.WAS_AHEAD)
    if right_since is None or now() < right_since:  # the clock is wrong once more, and behind
        return
    for game_id in sorted({*session.scalars(_concerned(now() + AHEAD))}):
        began = runtime().monotonic()
        try:
            with transaction():
                carry_out(load(game_id), lambda draft: restart_timers_ahead(draft, now() + AHEAD, LIFE))
        except Exception as error:  # noqa: BLE001 isolation is the point
            log.error("game %s was not corrected: %s", game_id, fault(error))
        rest(runtime().monotonic() - began)
    heartbeat.end(heartbeat.WAS_AHEAD)


def _concerned(limit: datetime) -> CompoundSelect[str]:
    invitations_ahead = (Deadline.kind == "invitation") & (Deadline.due_at > limit + LIFE)
    # Not UNION: for that SQLite may read whole tables in the order of their games.
    return union_all(
        select(Deadline.game_id).where(Deadline.state == ARMED, (Deadline.began_at > limit) | invitations_ahead),
        select(Motion.game_id).where(Motion.state == OPEN, Motion.opened_at > limit),
        select(HeldMove.game_id).where(HeldMove.held_at > limit),
        select(Game.id).where(Game.final_at > limit, Game.final.is_(False), Game.ended_at > limit),
    )
