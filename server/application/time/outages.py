"""Times in which nobody could rely on the server, and what is given back for them.

All is well while some worker looks again and again, every mailbox was read a moment ago, the relay takes mail, and
nobody has set the clock. What is kept of it is one moment, `pulse.WELL`: until then all was well. Nothing that could
hurt anybody fires when it lies back by more than a few ticks; when all is well again the time from there to now is an
outage. Every open deadline moves by it, once, before anything is fired.

A look only records the outage, in one small transaction. `give_back` then credits the games, a batch at a time; until a
game is credited none of its timers fires. Looks go on meanwhile, so that the work is not taken for another outage.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, bindparam, exists, func, select, update
from sqlalchemy.orm import selectinload

from server.application.errors import Problem
from server.application.game import timers as goes
from server.application.game.events import record_event
from server.application.game.timers import NOT_CREDITED
from server.application.mail import imap_progress
from server.application.time import clock_corrections, heartbeat
from server.durations import format_duration, rfc3339, say_duration
from server.faults import fault
from server.models import ARMED, Deadline, Game, Motion, Outage, Pulse, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
FEW_TICKS = 4
SHORTEST = timedelta(seconds=10)  # however fast the ticker is: a machine may be busy for that long
PATIENCE = timedelta(seconds=45)  # with a relay that takes nothing, a clock that was set
UNREAD = timedelta(minutes=1)  # and with a mailbox, which is read every twenty seconds
LONGEST = timedelta(hours=24)  # what is longer an operator has to confirm
DRIFT = 5.0  # seconds between two looks by which wall clock and monotonic one may differ
KINDS = ("timeout", "reminder", "vote", "invitation", "final")  # what is open to somebody until its time is up
BATCH = 20  # games credited in one transaction, which takes some hundredths of a second: others write too
_ARMED = (Deadline.state == ARMED, Deadline.kind.in_(KINDS))
# Every tick, and all that fires, asks these, so they are built once.
_NOT_GIVEN = select(Outage).where(*NOT_CREDITED).order_by(Outage.number)
_TIMERS = select(Deadline).where(Deadline.game_id.in_(bindparam("games", expanding=True)), *_ARMED)
_TIMERS = _TIMERS.order_by(Deadline.due_at, Deadline.seat).execution_options(populate_existing=True)
_NEWEST_GRANTED = select(func.max(Outage.number)).where(Outage.state == "granted")
_OWED = select(Game, Deadline.try_at).join(Deadline, Deadline.game_id == Game.id).order_by(Deadline.try_at)
_OWED = _OWED.where(*_ARMED, Game.outages < bindparam("newest")).limit(BATCH)
# Another worker that gives back too gets other games.
_OWED = _OWED.with_for_update(of=Game, skip_locked=True).execution_options(populate_existing=True)
_OWED = _OWED.options(selectinload(Game.seats))
WHYS = {
    "server": "as the server was out",
    "clock": "as the server's clock was set",
    "mailbox": "as mail could not be read",
    "relay": "as mail could not be sent",
}


@dataclass(frozen=True)
class Trouble:
    """What is wrong now, and since when, as far as that is known."""

    cause: str
    since: datetime | None = None


def tick() -> timedelta:
    """Return the time between two looks of a worker."""
    return timedelta(seconds=runtime().settings.tick_seconds)


def silence() -> timedelta:
    """For how long nobody need have looked before that is an outage: a few ticks."""
    return max(FEW_TICKS * tick(), SHORTEST)


class Watch:
    """What one process remembers from one look to the next: its clocks, and what others noted."""

    def __init__(self) -> None:
        self._at: datetime | None = None
        self._ticked = 0.0
        self._steady_from = float("-inf")
        self._ahead = 0.0  # seconds by which the clock was set forward, and not back again
        self._seen: datetime | None = None
        self._seen_at = float("-inf")
        self._cause = "server"

    def look(self) -> None:
        """Note that all is well if it is, and find out what was not. Every worker looks once a tick."""
        at, ticked = now(), runtime().monotonic()
        known = heartbeat.known()
        if heartbeat.is_old(known.get(heartbeat.TICK), tick()):
            heartbeat.note(heartbeat.TICK)
        trouble = self._clock_was_set(at, ticked) or _trouble(at, known)
        noted = known.get(heartbeat.WELL)
        if noted is None:  # nothing is known of before
            heartbeat.note(heartbeat.WELL)
        elif trouble is not None:
            self._cause = trouble.cause
            self._remember(_not_well_since(trouble.since or at, noted))
        elif not self._is_anothers(noted, at, ticked):
            self._well(at, noted)
            self._cause = "server"
        _withdraw_if_short(at)
        session.rollback()  # what was read is not held on to: others write

    def _clock_was_set(self, at: datetime, ticked: float) -> Trouble | None:
        """Until it has been steady for a while: who set it wrong has time to set it right again."""
        step = (at - self._at).total_seconds() - (ticked - self._ticked) if self._at is not None else 0.0
        if abs(step) > DRIFT:
            log.warning("the clock was set to %s; nothing fires until it is steady", rfc3339(at))
            self._steady_from = ticked + PATIENCE.total_seconds()
            if -self._ahead - DRIFT <= step < 0:
                clock_corrections.ask()
            self._ahead = max(self._ahead + step, 0.0)
        self._at, self._ticked = at, ticked
        return Trouble("clock") if ticked < self._steady_from else None

    def _is_anothers(self, noted: datetime, at: datetime, ticked: float) -> bool:
        """Whether somebody whose clock is behind noted it a moment ago: then the clocks differ, and none was out."""
        if noted != self._seen:
            is_first = self._seen is None
            self._seen, self._seen_at = noted, float("-inf") if is_first else ticked
        return at - noted > silence() and ticked - self._seen_at <= silence().total_seconds()

    def _well(self, at: datetime, noted: datetime) -> None:
        if at - noted > silence():
            self._remember(_found(noted, at, self._cause))
        elif not timedelta(0) <= at - noted < silence() / 2:
            self._remember(_note(at, noted))

    def _remember(self, noted: datetime | None) -> None:
        """What this process noted itself is no news to it."""
        if noted is not None:
            self._seen, self._seen_at = noted, float("-inf")


def _trouble(at: datetime, known: Mapping[str, datetime]) -> Trouble | None:
    """What is wrong with the ways of the mail, by the signs of life that are known."""
    read_until = imap_progress.read_until(at)
    if read_until is not None and at - read_until >= UNREAD:
        return Trouble("mailbox", None if read_until == imap_progress.NEVER else read_until)
    refused_since = known.get(heartbeat.NO_RELAY)
    if refused_since is not None and at - refused_since >= PATIENCE:
        return Trouble("relay", refused_since)
    return None


def why_held(at: datetime) -> str | None:
    """Why nothing may fire, in a sentence; None when it may."""
    waiting = _waiting()
    if waiting is not None:
        return (
            f"The server was out since {rfc3339(waiting.begin)}, for more than a day; an operator has to say what "
            "of that is given back: blackticket deadline credit."
        )
    known = heartbeat.known()
    well_at = known.get(heartbeat.WELL)
    if well_at is not None and abs(at - well_at) > silence():
        trouble = _trouble(at, known)
        what = {"mailbox": "a mailbox is not read", "relay": "the relay takes no mail"}.get(
            trouble.cause if trouble else "", "no worker has looked"
        )
        return f"All was well until {rfc3339(well_at)}; since then {what}."
    return None


# Finding one -------------------------------------------------------------------------------------


def _note(at: datetime, noted: datetime) -> datetime | None:
    """All was well until `at`; None if somebody has noted something else since this one looked."""
    with transaction():
        return at if _replaced(at, noted) else None


def _not_well_since(since: datetime, noted: datetime) -> datetime | None:
    """All was well until then, and not, as was thought, until `noted`. What was given back is not given twice."""
    if noted > since:
        ended = select(Outage.end).where(Outage.end.is_not(None), Outage.end <= noted)
        since = max(since, session.scalar(ended.order_by(Outage.number.desc()).limit(1)) or since)
    return _note(since, noted) if noted > since else None


def _found(begin: datetime, end: datetime, cause: str) -> datetime | None:
    """An outage is over, and only one of those who see that says so."""
    with transaction():
        if not _replaced(end, begin):
            return None
        open_ones = (Deadline.state == ARMED, Deadline.kind.in_(KINDS))
        if _waiting() is None and session.scalar(select(Deadline.id).where(*open_ones).limit(1)) is not None:
            is_long = end - begin > LONGEST
            state = "waiting" if is_long else "granted"
            session.add(Outage(cause=cause, begin=begin, end=None if is_long else end, state=state))
            log.warning("the server was out for %s: %s", say_duration(end - begin), cause)
    return end


def _replaced(at: datetime, noted: datetime) -> bool:
    """Note `at`, if what is noted still is what was read: of many workers one does."""
    statement = update(Pulse).where(Pulse.name == heartbeat.WELL, Pulse.at == noted).values(at=at)
    return session.scalar(statement.returning(Pulse.name), execution_options={"synchronize_session": False}) is not None


# What comes of it --------------------------------------------------------------------------------


def confirm(*, granted: bool) -> Outage:
    """What the operator says about an outage of more than a day; until he does it goes on.

    `Problem` not-found when none waits for him.
    """
    with transaction():
        outage = _waiting(lock=True)
        if outage is None:
            raise Problem("not-found", "No outage waits to be confirmed.")
        outage.end, outage.state = now(), "granted" if granted else "refused"
    give_back()
    return outage


def _withdraw_if_short(at: datetime) -> None:
    """Withdraw the question to the operator if a clock that was days ahead is right again, and little is left."""
    waiting = _waiting()
    if waiting is None or at - waiting.begin > LONGEST:
        return
    with transaction():
        outage = _waiting(lock=True)
        if outage is not None:
            outage.end = max(at, outage.begin)
            outage.state = "granted"
    clock_corrections.ask()


def has_credited() -> ColumnElement[bool] | None:
    """Return the condition that the game of a deadline has its time back; None while nothing is given back."""
    newest = session.scalar(_NEWEST_GRANTED)
    if newest is None:
        return None
    return exists().where(Game.id == Deadline.game_id, Game.outages >= newest)


def give_back(rest: Callable[[float], object] = lambda _seconds: None) -> None:
    """Move the deadlines of all games by what was granted and is not yet given.

    The games whose time is up first come first. Several workers may do this at once, and each may be killed: a game
    that was credited says so in its row. After each batch `rest` is told how many seconds it took. A game in which it
    fails is credited when one of its timers fires (`settle`).
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
    owed = exists().where(Deadline.game_id == Game.id, *_ARMED)
    if session.scalar(select(Game.id).where(Game.outages < newest, Game.id.not_in(failed), owed).limit(1)) is None:
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
            games = {game.id: game for game, _ in found}
            ids += games
            last = found[-1].try_at if found else None
            _settle_all(list(games.values()))
    except Exception:  # noqa: BLE001 the games of the batch are tried one by one
        for game_id in dict.fromkeys(ids):
            try:
                with transaction():
                    settle(session.get_one(Game, game_id, with_for_update=True, populate_existing=True))
            except Exception as error:  # noqa: BLE001 isolation is the point
                log.error("game %s was not given back its time: %s", game_id, fault(error))
                failed.add(game_id)
    return last


def settle(game: Game) -> None:
    """Give back what the game, which is locked, has not yet got of what was granted; once, as its row says how far."""
    _settle_all([game])


def _settle_all(games: Sequence[Game]) -> None:
    """Do this for several games with the statements of one; what changes is written together in the end."""
    given = (
        session.scalars(_NOT_GIVEN, {"last": min((game.outages for game in games), default=0)}).all() if games else ()
    )
    with session.no_autoflush:
        for outage in given:
            owed = [game for game in games if game.outages < outage.number]
            session.flush()  # what the outage before has moved
            timers = defaultdict[str, list[Deadline]](list)
            for timer in session.scalars(_TIMERS, {"games": [game.id for game in owed]}):
                timers[timer.game_id].append(timer)
            for game in owed:
                game.outages = outage.number
                assert outage.end is not None
                if outage.end > game.created_at:
                    _make_good(game, outage, outage.end, timers[game.id])


def _make_good(game: Game, outage: Outage, end: datetime, timers: Sequence[Deadline]) -> None:
    lost = goes.whole_seconds(end - outage.begin)
    moved = goes.credit_outage(game, outage.begin, end, WHYS[outage.cause], game.events + 1, timers)
    moved = _move_along(game, lost, timers) or moved
    if moved:
        span = {"from": rfc3339(outage.begin), "until": rfc3339(end)}
        told = {"cause": outage.cause, **span, "by": format_duration(lost)}
        record_event(game, "outage", **told, due_at=rfc3339(game.due_at))


def _move_along(game: Game, lost: timedelta, timers: Sequence[Deadline]) -> bool:
    """What belongs to no go: votes, seats that are kept, results that are provisional."""
    rows = [timer for timer in timers if timer.kind not in ("timeout", "reminder")]
    for row in rows:
        goes.postpone(row, lost)
    if any(row.kind == "vote" for row in rows):
        for motion in session.scalars(select(Motion).where(Motion.game_id == game.id, Motion.state == "open")):
            motion.closes_at += lost
    if game.final_at is not None and not game.final:
        game.final_at += lost
    return bool(rows)


def _waiting(*, lock: bool = False) -> Outage | None:
    query = select(Outage).where(Outage.state == "waiting").limit(1)
    return session.scalars(query.with_for_update() if lock else query).first()


# The relay ---------------------------------------------------------------------------------------


def relay_fails() -> None:
    """The relay took nothing, from nobody; since when is kept from the first time on."""
    heartbeat.begin(heartbeat.NO_RELAY)


def relay_answers() -> None:
    """It took something, or said why not."""
    heartbeat.end(heartbeat.NO_RELAY)


def is_relay_out() -> bool:
    """Whether the last that was heard of the relay is that it takes nothing."""
    return heartbeat.last(heartbeat.NO_RELAY) is not None


def report() -> list[dict[str, Any]]:
    """The newest outages, the last first, for the operator."""
    rows = session.scalars(select(Outage).order_by(Outage.number.desc()).limit(5))
    return [
        {"begin": rfc3339(row.begin), "end": rfc3339(row.end), "cause": row.cause, "state": row.state} for row in rows
    ]
