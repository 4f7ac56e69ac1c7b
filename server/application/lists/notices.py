"""Notices: a reminder, a message or a question, as the programs of the one player who gets the mail read it.

A notice is made from that mail's row of the outbox, so nobody else has it. It has no number, as no event has it: by a
number Mr. X could count what the detectives say.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Integer, String, and_, bindparam, or_, select
from sqlalchemy.orm import aliased

from server.application.game.access import CLOSED_TO_PLAYER, GAMES_OF_PLAYER
from server.application.game.situation_statements import MOTION_COLUMNS, columns
from server.application.people.players import is_hidden_from
from server.house_rules import standing
from server.models import Deadline, Event, Message, Motion, Outgoing, Seat, rows
from server.models.types import UtcTime
from server.vocabulary.by_name import ByName
from server.vocabulary.durations import rfc3339
from server.vocabulary.mails import MAIL_KINDS, mails

_KINDS = mails(lambda kind: bool(kind.entry))
_PLAYER = bindparam("player", type_=String)
_OWN, _AUTHOR, _TIMEOUT = aliased(Seat), aliased(Seat), aliased(Deadline)
_IS_OF_ITS_TURN = (
    _TIMEOUT.game_id == Deadline.game_id, _TIMEOUT.kind == "timeout", _TIMEOUT.state == "armed",
    _TIMEOUT.round == Deadline.round, _TIMEOUT.side == Deadline.side, _TIMEOUT.seat == Deadline.seat,
)  # fmt: skip
_IS_DRAW = (Outgoing.kind == "draw", Event.game_id == Outgoing.game_id, Event.number == Outgoing.event)
# A reminder and a question are for the player of a seat, and so is what is said to the team while they hear it: who has
# held a seat of the detectives never gets that of Mr. X. He is not asked whether the detectives wait for him.
_IS_HEARD = or_(Message.audience == "all", Message.event >= _OWN.team_since)
_IS_FOR_READER = or_(
    and_(Outgoing.kind == "talk", ~is_hidden_from(_PLAYER), _IS_HEARD),
    and_(Outgoing.kind == "reminder", Deadline.id.is_not(None), _OWN.number.is_not(None)),
    and_(Outgoing.kind == "vote", Motion.id.is_not(None), or_(Motion.kind != "claim", _OWN.number > 1)),
    and_(Outgoing.kind == "draw", Event.number.is_not(None), _OWN.number.is_not(None)),
)
_NOTICES = (
    select(
        Outgoing.id, Outgoing.game_id, Outgoing.kind, Outgoing.created_at,
        _OWN.pawns.label("own"), _TIMEOUT.due_at.label("due_at"), Event.data.label("draw"),
        Message.text, Message.audience, _AUTHOR.number.label("author"), _AUTHOR.pawns.label("pawns"),
        *columns(Motion, MOTION_COLUMNS, "motion_"),
    )
    .outerjoin(_OWN, and_(_OWN.game_id == Outgoing.game_id, _OWN.player_id == _PLAYER))
    .outerjoin(Deadline, Deadline.id == Outgoing.cause)
    .outerjoin(_TIMEOUT, and_(*_IS_OF_ITS_TURN))
    .outerjoin(Event, and_(*_IS_DRAW))
    .outerjoin(Message, Message.id == Outgoing.cause)
    .outerjoin(Motion, Motion.id == Outgoing.cause)
    .outerjoin(_AUTHOR, and_(_AUTHOR.game_id == Outgoing.game_id, _AUTHOR.number.in_((Message.seat, Motion.seat))))
    .where(Outgoing.player_id == _PLAYER, Outgoing.kind.in_(_KINDS), _IS_FOR_READER)
    .where(Outgoing.game_id.in_(GAMES_OF_PLAYER), Outgoing.game_id.not_in(CLOSED_TO_PLAYER))
)  # fmt: skip
_SINCE = _NOTICES.where(Outgoing.created_at >= bindparam("first", type_=UtcTime))
_SINCE = _SINCE.order_by(Outgoing.created_at, Outgoing.id).limit(bindparam("most", type_=Integer))
_ONE = _NOTICES.where(Outgoing.id == bindparam("notice"))


# Each returns what a kind of mail tells.
_DATA: ByName[Callable[[Any], dict[str, object]]] = ByName({*_KINDS})


class Notice(NamedTuple):
    """The facts that a mail tells one player; `kind` is reminded, said or asked."""

    id: str
    game_id: str
    kind: str
    at: datetime
    data: Mapping[str, object]


def since(player: str, first: datetime, most: int) -> list[Notice]:
    """Return at most so many notices to a player from a time on, in their order."""
    return [_notice(row) for row in rows(_SINCE, player=player, first=first, most=most)]


def one(player_id: str, notice_id: str) -> Notice | None:
    """Return a notice to a player; None if it tells what is no longer so."""
    found = [_notice(row) for row in rows(_ONE, player=player_id, notice=notice_id)]
    return next((notice for notice in found if notice.data.get("due_at", "") is not None), None)


def _notice(row: Any) -> Notice:
    return Notice(row.id, row.game_id, MAIL_KINDS[row.kind].entry, row.created_at, _DATA[row.kind](row))


@_DATA.add
def _reminder(row: Any) -> dict[str, object]:
    return {"pawns": row.own, "due_at": rfc3339(row.due_at)}


@_DATA.add
def _talk(row: Any) -> dict[str, object]:
    return {"from": {"seat": row.author, "pawns": row.pawns}, "to": row.audience, "text": row.text}


@_DATA.add
def _vote(row: Any) -> dict[str, object]:
    """Return what the event that opened the vote says."""
    motion = standing.Motion(*(getattr(row, f"motion_{name}") for name in MOTION_COLUMNS))
    by = {} if motion.seat is None else {"seat": motion.seat, "pawns": row.pawns}
    told = {"vote": motion.id, "what": motion.kind, **motion.public_wish}
    return told | by | {"closes_at": rfc3339(motion.closes_at)}


@_DATA.add
def _draw(row: Any) -> dict[str, object]:
    return {"what": "draw", "seat": row.draw["seat"], "pawns": row.draw["pawns"]}
