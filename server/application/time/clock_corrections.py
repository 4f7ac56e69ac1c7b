"""Restart timers that were started while the server's clock was more than a day fast.

Nobody can plan by a date that is days off. A smaller error stays: a player who was told "until eight" has until eight.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import CompoundSelect, select, union

from server.application.game import notices, timers
from server.application.game.events import record_event
from server.application.game.waiting import awaited_seats
from server.application.seats import invitations
from server.application.time import heartbeat
from server.durations import rfc3339
from server.faults import fault
from server.models import ARMED, Deadline, Game, Motion, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
AHEAD = timedelta(days=1)


def request() -> None:
    """Note that the clock is right again, so that the next worker calls `restart_timers`."""
    heartbeat.note(heartbeat.WAS_AHEAD)


def restart_timers(rest: Callable[[float], object] = lambda _seconds: None) -> None:
    """Give all timers that seem to start more than a day from now their whole time from now, if that was requested.

    Each game is corrected in a transaction of its own; after each, `rest` gets the number of seconds it took. If a
    worker is killed the next one goes on.
    """
    right_since = heartbeat.last(heartbeat.WAS_AHEAD)
    if right_since is None or now() < right_since:  # the clock is wrong once more, and behind
        return
    for game_id in session.scalars(_concerned(now() + AHEAD)).all():
        began = runtime().monotonic()
        try:
            with transaction():
                _correct(session.get_one(Game, game_id, with_for_update=True, populate_existing=True))
        except Exception as error:  # noqa: BLE001 isolation is the point
            log.error("game %s was not corrected: %s", game_id, fault(error))
        rest(runtime().monotonic() - began)
    heartbeat.end(heartbeat.WAS_AHEAD)


def _concerned(limit: datetime) -> CompoundSelect[str]:
    invitations_ahead = (Deadline.kind == "invitation") & (Deadline.due_at > limit + invitations.LIFE)
    return union(
        select(Deadline.game_id).where(Deadline.state == ARMED, (Deadline.began_at > limit) | invitations_ahead),
        select(Motion.game_id).where(Motion.state == "open", Motion.opened_at > limit),
        select(Game.id).where(Game.final_at > limit, Game.final.is_(False), Game.ended_at > limit),
    )


def _correct(game: Game) -> None:
    limit = now() + AHEAD
    are_turns = timers.restart(game, limit, serial=game.events + 1)
    if any([are_turns, _correct_votes(game, limit), _correct_result(game, limit), _correct_invitations(game, limit)]):
        record_event(game, "corrected", due_at=rfc3339(game.due_at), final_at=rfc3339(game.final_at))
    if are_turns:
        notices.post_new_deadline(awaited_seats(game))


def _correct_votes(game: Game, limit: datetime) -> bool:
    """Give open votes their whole time from now; return whether there were any."""
    mine = (Motion.game_id == game.id, Motion.state == "open", Motion.opened_at > limit)
    found = session.scalars(select(Motion).where(*mine)).all()
    for motion in found:
        ahead = motion.opened_at - now()
        _move(game, "vote", motion.closes_at, -ahead)
        motion.opened_at, motion.closes_at = now(), motion.closes_at - ahead
    return bool(found)


def _correct_result(game: Game, limit: datetime) -> bool:
    """Give a provisional result its whole time from now; return whether there is one."""
    if game.final or game.final_at is None or game.ended_at is None or game.ended_at <= limit:
        return False
    ahead = game.ended_at - now()
    _move(game, "final", game.final_at, -ahead)
    game.ended_at, game.final_at = now(), game.final_at - ahead
    return True


def _correct_invitations(game: Game, limit: datetime) -> bool:
    """Keep invited seats for their whole time from now; return whether there were any."""
    scheduled = (Deadline.game_id == game.id, Deadline.state == "armed", Deadline.kind == "invitation")
    rows = session.scalars(select(Deadline).where(*scheduled, Deadline.due_at > limit + invitations.LIFE)).all()
    for row in rows:
        timers.postpone(row, now() + invitations.LIFE - row.due_at)
    return bool(rows)


def _move(game: Game, kind: str, due_at: datetime, by: timedelta) -> None:
    scheduled = (
        Deadline.game_id == game.id,
        Deadline.state == "armed",
        Deadline.kind == kind,
        Deadline.due_at == due_at,
    )
    for row in session.scalars(select(Deadline).where(*scheduled)):
        timers.postpone(row, by)
