"""What an operator sees of mails: from or to whom, of what kind, when, and what became of them.

No sealed column is read for it, so neither content nor subject nor reply address can be among it. What a mail was
found to say is not told either: that would tell of Mr. X's refused moves.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import case, select

from server.application.errors import Problem
from server.durations import rfc3339
from server.models import Game, Incoming, Outgoing, Player, session

_KIND = case((Outgoing.kind == "advice", "answer"), else_=Outgoing.kind)
SENT = {
    "id": Outgoing.id, "game": Outgoing.game_id, "to": Player.email, "kind": _KIND, "state": Outgoing.state,
    "attempts": Outgoing.attempts, "error": Outgoing.error, "created_at": Outgoing.created_at,
    "not_before": Outgoing.not_before, "sent_at": Outgoing.sent_at,
}  # fmt: skip
RECEIVED = {
    "id": Incoming.id, "game": Incoming.game_id, "from": Incoming.sender, "source": Incoming.source,
    "state": Incoming.state, "attempts": Incoming.attempts, "received_at": Incoming.received_at,
}  # fmt: skip


def outgoing(game_id: str | None = None) -> list[dict[str, Any]]:
    """The outbox, or what in it is about one game; the oldest first.

    Whether an answer says that something was done or that it was refused is not told.
    """
    query = select(*SENT.values()).outerjoin(Player, Player.id == Outgoing.player_id)
    if game_id is not None:
        query = query.where(Outgoing.game_id == _known(game_id))
    return _facts(SENT, session.execute(query.order_by(Outgoing.created_at, Outgoing.id)).all())


def incoming(game_id: str | None = None) -> list[dict[str, Any]]:
    """The inbox, or what in it came to a reply address of one game; the oldest first."""
    query = select(*RECEIVED.values())
    if game_id is not None:
        query = query.where(Incoming.game_id == _known(game_id))
    return _facts(RECEIVED, session.execute(query.order_by(Incoming.received_at, Incoming.id)).all())


def _known(game_id: str) -> str:
    if session.get(Game, game_id) is None:
        raise Problem("not-found", f"There is no game {game_id}.")
    return game_id


def _facts(names: Any, rows: Sequence[Any]) -> list[dict[str, Any]]:
    return [dict(zip(names, map(_plain, row), strict=True)) for row in rows]


def _plain(value: Any) -> Any:
    return rfc3339(value) if isinstance(value, datetime) else value
