"""Restart timers that were started while the server's clock was more than a day fast.

Nobody can plan by a date that is days off. A smaller error stays: a player who was told "until eight" has until eight.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import CompoundSelect, select, union_all

from server.application.game.situations import carry_out, load
from server.application.time import heartbeat
from server.house_rules.invitations import LIFE
from server.house_rules.outage_credit import restart_timers_ahead
from server.models import ARMED, OPEN, Deadline, Game, HeldMove, Motion, session, transaction
from server.runtime import now, runtime
from server.runtime.faults import fault

log = logging.getLogger(__name__)
AHEAD = timedelta(days=1)


def request() -> None:
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
