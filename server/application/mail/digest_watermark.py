"""The digest watermark: up to which event of a game its player was mailed, so that a digest repeats and omits nothing.

A mail about one game covers all that happened until its event; how far digests went is in a row of its own.
"""

from sqlalchemy import ColumnElement, func, select, update

from server.models import HELD, PENDING, Outgoing, Told, execute, session, wake_outbox, when_committed
from server.runtime import now
from server.vocabulary.mails import mails

DIGEST = "digest"
_COVERING = mails(lambda kind: kind.is_covering)


def covered_until(player_id: str, game_id: str) -> int:
    """Return the number of the newest event that was mailed to the player, 0 when there is none."""
    row = session.get(Told, (player_id, game_id))
    query = select(func.max(Outgoing.event)).where(
        Outgoing.game_id == game_id, Outgoing.player_id == player_id, Outgoing.kind.in_(_COVERING),
        Outgoing.state.in_(("sent", "bounced")),
    )  # fmt: skip
    return max(row.event if row else 0, session.scalar(query) or 0)


def advance(player_id: str, game_id: str, event: int) -> None:
    """Note that a digest covered the game until `event`; in the transaction under way."""
    session.merge(Told(player_id=player_id, game_id=game_id, event=event))


def unwritten(player_id: str) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for the player's waiting digest that no worker is writing."""
    return (
        Outgoing.player_id == player_id, Outgoing.kind == DIGEST, Outgoing.state == PENDING,
        Outgoing.message.is_(None), Outgoing.fence.is_(None),
    )  # fmt: skip


def release(player_id: str) -> None:
    """Return the player's held mails to the outbox, where the new choice decides about them again."""
    held = (Outgoing.player_id == player_id, Outgoing.state == HELD)
    for statement in (
        update(Outgoing).where(*held).values(state="pending", not_before=now(), fence=None),
        update(Outgoing).where(*unwritten(player_id)).values(state="superseded"),
    ):
        execute(statement)
    when_committed(wake_outbox)
