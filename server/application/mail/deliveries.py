"""Deliveries: the mails to a player and their states, without their texts, which are not kept."""

from collections.abc import Callable
from datetime import datetime
from typing import TypedDict

from sqlalchemy import or_, select, tuple_, update

from server.application.game import situation_statements as statements
from server.application.game.access import closed_to
from server.house_rules import notices
from server.house_rules.standing import Motion, Standing, role_of
from server.models import Motion as MotionRow
from server.models import Outgoing, Player, execute, session
from server.vocabulary.by_name import ByName
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem
from server.vocabulary.mails import MAIL_KINDS

_COLUMNS = (
    Outgoing.id, Outgoing.kind, Outgoing.game_id, Outgoing.state, Outgoing.attempts, Outgoing.error,
    Outgoing.created_at, Outgoing.not_before, Outgoing.sent_at, Outgoing.told_in,
)  # fmt: skip


class MailView(TypedDict):
    """A mail to a player, as the player sees it; `told_in` is the mail in which it was told."""

    id: str
    kind: str
    game: str | None
    state: str
    attempts: int
    error: str | None
    created_at: str
    not_before: str | None
    sent_at: str | None
    told_in: str | None


def mails_to(
    player: Player, after: str | None = None, limit: int | None = None, game: Standing | None = None
) -> list[MailView]:
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
    return [
        {
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
        for row in session.execute(query)
    ]


def write_again(row: Outgoing, attempts: int, at: datetime, fence: str | None) -> bool:
    """Have a mail that came back written and sent again at `at`; return False if its kind cannot be.

    What it told besides, of other mails, waits again with it.
    """
    if not MAIL_KINDS[row.kind].is_written_again:
        return False
    details = _DETAILS[row.kind](row) if row.kind in _DETAILS else {}
    if details is None:
        return False
    waiting = {"state": "pending", "attempts": attempts, "not_before": at, "fence": fence}
    told = (Outgoing.told_in == row.id, Outgoing.kind.in_(_WITHOUT_DETAILS))
    execute(update(Outgoing).where(*told).values(**waiting, told_in=None))
    row.details = details or None
    for name, value in waiting.items():
        setattr(row, name, value)
    return True


# Of a mail that was sent no details are kept; these are made again from what the database knows of the game.
_DETAILS: ByName[Callable[[Outgoing], dict[str, object] | None]] = ByName(MAIL_KINDS)


@_DETAILS.add
def _ended(row: Outgoing) -> dict[str, object] | None:
    """Return that there are none, unless the operator ended the game: of that the mail tells what is not kept."""
    return {} if row.game is not None and row.game.reason != "voided" else None


@_DETAILS.add
def _invitation(row: Outgoing) -> dict[str, object] | None:
    """Return the details of an invitation of a player by name; one to an address ends when it comes back."""
    seats = row.game.seats if row.game is not None and not row.cause else []
    reserved = next((seat.number for seat in seats if seat.invited_id == row.player_id), None)
    return None if reserved is None else {"seat": reserved}


@_DETAILS.add
def _vote(row: Outgoing) -> dict[str, object] | None:
    found = session.get(MotionRow, row.cause)
    if found is None or row.game is None:
        return None
    motion = Motion(*(getattr(found, name) for name in statements.MOTION_COLUMNS))
    pawns = {seat.number: seat.pawns for seat in row.game.seats}
    is_mr_x = any(seat.player_id == row.player_id and role_of(seat.pawns) == "mr_x" for seat in row.game.seats)
    return notices.details_of_vote(motion, pawns.get(motion.seat or 0, []), is_mr_x=is_mr_x)


_WITHOUT_DETAILS = [kind.name for kind in MAIL_KINDS.values() if kind.is_written_again and kind.name not in _DETAILS]


def _place(player: Player, after: str) -> tuple[datetime, str]:
    mine = (Outgoing.id == after, Outgoing.player_id == player.id)
    row = session.execute(select(Outgoing.created_at, Outgoing.id).where(*mine)).first()
    if row is None:
        raise Problem("form", "the id of a mail to you, as it stands in an earlier answer.", field="after")
    return row.created_at, row.id
