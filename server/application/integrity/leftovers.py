"""Leftovers of games long over: rows that only a running game needs, such as timers, reply addresses and sent mails.

They stay for 30 days after the end, as long as a mail that comes twice is told from a new one, and the players can see
for as long what became of their mails. The moves and the events of a game stay for good.
"""

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import aliased

from server.models import Deadline, Game, Outgoing, Pulse, ReplyToken, execute, session, transaction
from server.runtime import now
from server.vocabulary.durations import DAY

KEPT = 30 * DAY
BATCH = 100
MARK = "leftovers"  # the end of the newest game whose leftovers are gone
_LIVE = ("pending", "held", "restored")


def forget_old(limit: int = BATCH) -> int:
    """Delete the leftovers of a batch of games, the one that ended first before the others; return how many."""
    with transaction():
        mark = session.get(Pulse, MARK)
        over = select(Game.id, Game.ended_at).where(Game.ended_at <= now() - KEPT, Game.final)
        if mark is not None:
            over = over.where(Game.ended_at > mark.at)
        found = session.execute(over.order_by(Game.ended_at).limit(limit)).all()
        if len(found) == limit:  # games that ended at one moment are never divided by the mark
            found = session.execute(over.where(Game.ended_at <= found[-1].ended_at).order_by(Game.ended_at)).all()
        for game_id, _ in found:
            _forget(game_id)
        if found:
            session.merge(Pulse(name=MARK, at=found[-1].ended_at))
    return len(found)


def _forget(game_id: str) -> None:
    gathered = aliased(Outgoing)
    is_named = exists().where(gathered.told_in == Outgoing.id)
    for statement in (
        delete(Deadline).where(Deadline.game_id == game_id, Deadline.state != "armed"),
        delete(ReplyToken).where(ReplyToken.game_id == game_id),
        delete(Outgoing).where(Outgoing.game_id == game_id, Outgoing.state.not_in(_LIVE), ~is_named),
    ):
        execute(statement)
