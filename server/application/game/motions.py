"""Motions: questions that are put to the vote in a game. Opening one, and ending those whose deadline is over.

`server.application.time.votes` counts the votes.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from server.application.game import timers
from server.application.game.events import record_event
from server.durations import rfc3339
from server.models import Game, Motion, Seat, session
from server.runtime import now, runtime

_EXTENSIONS = select(Motion).where(
    Motion.game_id == bindparam("game"), Motion.kind == "extend", Motion.state == "open"
).order_by(Motion.opened_at, Motion.id)  # fmt: skip


def open_motion(
    game: Game, kind: str, wish: Mapping[str, Any], closes_at: datetime, proposer: Seat | None = None
) -> Motion:
    """Open a vote and schedule its end; the server asks where there is no `proposer`."""
    motion = Motion(
        id=runtime().new_id("motion"), game_id=game.id, kind=kind, wish=dict(wish), seat=proposer and proposer.number,
        state="open", opened_at=now(), closes_at=closes_at,
    )  # fmt: skip
    session.add(motion)
    session.flush()
    by = {"seat": proposer.number, "pawns": proposer.pawns} if proposer else {}
    record_event(game, "proposed", vote=motion.id, what=kind, **motion.wish, **by, closes_at=rfc3339(motion.closes_at))
    timers.add(game, "vote", motion.closes_at, serial=game.events)
    return motion


def expire_extensions(game: Game) -> None:
    """Expire the open votes on more time, as the deadline they were about is over.

    The deadline of the next phase, or of the next turn, is another one: a vote for more time in one phase says nothing
    about the next.
    """
    for motion in session.scalars(_EXTENSIONS, {"game": game.id}).all():
        expire(game, motion)


def expire(game: Game, motion: Motion) -> None:
    """End a vote without a result, in the transaction under way, and publish that."""
    motion.state = "lapsed"
    record_event(game, "decided", vote=motion.id, what=motion.kind, **motion.wish, carried=False, lapsed=True)
