"""What a player was told of which game, so that a digest leaves nothing out and tells nothing twice.

A mail about one game tells of all that happened until its event; how far a digest went stands in a row of its own.
"""

from typing import Any

from sqlalchemy import func, select, update

from server.models import HELD, Game, Outgoing, Told, session, wake_when_committed
from server.runtime import now, runtime

DIGEST = "digest"

# Mails of these kinds tell how the table stands, and what happened before.
TELLING = ("turn", "go", "started", "moved", "returned", "reminder", "late", "ended")


def told_until(player_id: str, game_id: str) -> int:
    """The number of the newest event that the player was told of; 0 when it is none."""
    row = session.get(Told, (player_id, game_id))
    query = select(func.max(Outgoing.event)).where(
        Outgoing.game_id == game_id, Outgoing.player_id == player_id, Outgoing.kind.in_(TELLING),
        Outgoing.state.in_(("sent", "bounced")),
    )  # fmt: skip
    return max(row.event if row else 0, session.scalar(query) or 0)


def begin(player_id: str, game: Game) -> None:
    """What happened in the game so far is not told to the player: he did not want it, or was not there."""
    went_to(player_id, game.id, game.events)


def went_to(player_id: str, game_id: str, event: int) -> None:
    """A digest to the player told of the game until `event`; in the transaction under way."""
    session.merge(Told(player_id=player_id, game_id=game_id, event=event))


def unwritten(player_id: str) -> tuple[Any, ...]:
    """The digest to the player that waits, and of which nobody is making a mail."""
    return (
        Outgoing.player_id == player_id, Outgoing.kind == DIGEST, Outgoing.state == "pending",
        Outgoing.message.is_(None), Outgoing.fence.is_(None),
    )  # fmt: skip


def release(player_id: str) -> None:
    """Have what is held for the player looked at anew, as he wants something else, or it at another time."""
    held = (Outgoing.player_id == player_id, Outgoing.state == HELD)
    for statement in (
        update(Outgoing).where(*held).values(state="pending", not_before=now(), fence=None),
        update(Outgoing).where(*unwritten(player_id)).values(state="superseded"),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
    wake_when_committed(runtime().wake_ups.outbox)
