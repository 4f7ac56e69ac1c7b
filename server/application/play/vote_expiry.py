"""Votes on more time for a deadline that is over.

The next phase or turn has a deadline of its own: a vote for more time in one says nothing about the other.
"""

from sqlalchemy import bindparam, select

from server.application.game.events import record_event
from server.models import Game, Motion, session

_ON_MORE_TIME = select(Motion).where(
    Motion.game_id == bindparam("game"), Motion.kind == "extend", Motion.state == "open"
).order_by(Motion.opened_at, Motion.id)  # fmt: skip


def expire_votes_on_time(game: Game) -> None:
    """Close the open votes on more time as expired, each with a public event, in the transaction under way."""
    for motion in session.scalars(_ON_MORE_TIME, {"game": game.id}).all():
        motion.state = "lapsed"
        record_event(game, "decided", vote=motion.id, what=motion.kind, **motion.wish, carried=False, lapsed=True)
