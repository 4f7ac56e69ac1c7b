"""Deliveries: the mails to a player and their states, without their texts, which are not kept."""

from typing import Any

from sqlalchemy import or_, select, tuple_

from server.application.decisions.standing import Standing
from server.application.errors import Problem
from server.application.game.access import closed_to
from server.durations import rfc3339
from server.models import Outgoing, Player, session

# Kinds of mails that are written again if they come back for now, as they tell of the game alone: their bytes are not
# kept, because the length of Mr. X's depends on where he is.
WRITTEN_AGAIN = ("turn", "go", "moved", "started", "final")
_COLUMNS = (
    Outgoing.id, Outgoing.kind, Outgoing.game_id, Outgoing.state, Outgoing.attempts, Outgoing.error,
    Outgoing.created_at, Outgoing.not_before, Outgoing.sent_at, Outgoing.told_in,
)  # fmt: skip


def of(
    player: Player, after: str | None = None, limit: int | None = None, game: Standing | None = None
) -> list[dict[str, Any]]:
    """Return the mails to `player`, the newest first, after the one with the id `after`, at most `limit`.

    With `game` only those about it, without answers. `state` is held, pending, gathered, sent, bounced, superseded,
    suppressed or dead. Mails about a game that is closed to the player are left out.
    """
    open_to_them = or_(Outgoing.game_id.is_(None), Outgoing.game_id.not_in(closed_to(player)))
    query = select(*_COLUMNS).where(Outgoing.player_id == player.id, open_to_them, Outgoing.kind != "withheld")
    if game is not None:
        query = query.where(Outgoing.game_id == game.id, Outgoing.kind.not_in(("answer", "advice")))
    if after is not None:
        query = query.where(tuple_(Outgoing.created_at, Outgoing.id) < _place(player, after))
    query = query.order_by(Outgoing.created_at.desc(), Outgoing.id.desc()).limit(limit)
    return [_facts(row) for row in session.execute(query)]


def _place(player: Player, after: str) -> tuple[Any, str]:
    mine = (Outgoing.id == after, Outgoing.player_id == player.id)
    row = session.execute(select(Outgoing.created_at, Outgoing.id).where(*mine)).first()
    if row is None:
        raise Problem("form", "after: the id of a mail to you, as it stands in an earlier answer.")
    return row.created_at, row.id


def _facts(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "game": row.game_id,
        "state": row.state,
        "attempts": row.attempts,
        "error": row.error,
        "created_at": rfc3339(row.created_at),
        "not_before": rfc3339(row.not_before) if row.state in ("pending", "held") else None,
        "sent_at": rfc3339(row.sent_at),
        "told_in": row.told_in,
    }
