"""Votes on more time for a deadline that is no more.

The deadline of the next half, or of the next go, is another: who was for more time in one has said nothing of it.
"""

from sqlalchemy import bindparam, select

from server.application.game.access import happened
from server.models import Game, Motion, session

# Asked in every half, so it is built once.
_ON_MORE_TIME = select(Motion).where(
    Motion.game_id == bindparam("game"), Motion.kind == "extend", Motion.state == "open"
).order_by(Motion.opened_at, Motion.id)  # fmt: skip


def lapse(game: Game) -> None:
    """The deadline is over that they were about; the game tells it, in the transaction under way."""
    for motion in session.scalars(_ON_MORE_TIME, {"game": game.id}).all():
        motion.state = "lapsed"
        happened(game, "decided", vote=motion.id, what=motion.kind, **motion.wish, carried=False, lapsed=True)
