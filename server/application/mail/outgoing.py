"""Mails of the outbox as they are read to be written: each with its reader, its game, and what stands around it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, and_, bindparam, or_, select
from sqlalchemy.orm import aliased

from server.application.game.look import standings_of
from server.application.game.situation_statements import columns
from server.house_rules.standing import Standing
from server.models import PENDING, PLAYER_COLUMNS, MailWish, Message, Outgoing, Player, Told, detached, rows
from server.models.leases import AT
from server.runtime import now
from server.vocabulary.mails import MAIL_KINDS, mails


class TalkMessage(NamedTuple):
    """A message that a mail brings; `author` is the name of who wrote it."""

    id: str
    serial: int
    seat: int
    audience: str
    text: str
    event: int
    author: str


@dataclass(eq=False)
class Mail:
    """A row of the outbox, see `server.models.Outgoing`, as a value.

    player: its reader, a value too; None for an address that is no player's yet
    wish: how much mail they want about the game, if that differs from what they usually want
    told: the newest event of the game that a digest has told them of
    is_overtaken: a later mail, sent or to be sent, tells all that this one does
    has_early: an answer waits that this mail may tell before it is due, see `is_early`
    """

    id: str
    game_id: str | None
    event: int | None
    player_id: str | None
    kind: str
    cause: str
    details: dict[str, Any] | None
    state: str
    message: bytes | None
    fence: str | None
    not_before: datetime
    created_at: datetime
    sent_at: datetime | None
    wish: str | None
    told: int | None
    is_overtaken: bool
    has_early: bool
    player: Player | None = None
    said: TalkMessage | None = None
    game: Standing | None = None


_OWN = ("id", "game_id", "event", "player_id", "kind", "cause", "details", "state", "message", "fence", "not_before",
        "created_at", "sent_at")  # fmt: skip
_ALONE = len(_OWN) + 4  # columns before those of the player

# Which mails tell nothing that a later one does not tell.
SUPERSEDED_BY = {
    kind.name: kind.superseded_by for kind in MAIL_KINDS.values() if kind.superseded_by and not kind.only_if
}
_LATER, _AUTHOR, _ANSWER = aliased(Outgoing), aliased(Player), aliased(Outgoing)
# A move of the server that ends the game, and the end itself, are one event.
_OVERTAKES = or_(
    *(
        and_(Outgoing.kind == kind, _LATER.kind.in_(kinds), _LATER.event >= Outgoing.event + int(kind != "late"))
        for kind, kinds in SUPERSEDED_BY.items()
    )
)
_IS_OVERTAKEN = and_(
    Outgoing.kind.in_(SUPERSEDED_BY),
    select(_LATER.id).where(
        _LATER.game_id == Outgoing.game_id, _LATER.player_id == Outgoing.player_id, _LATER.event >= Outgoing.event,
        _OVERTAKES,
    ).exists(),
)  # fmt: skip


def is_early(answer: Any) -> Any:
    """Return the condition that a row is an answer that is not due yet, and is told before that in a whole mail."""
    kinds = mails(lambda kind: kind.merged == "answer")
    is_free = and_(answer.state == PENDING, answer.fence.is_(None), answer.not_before > AT)
    return and_(answer.kind.in_(kinds), is_free)


_HAS_EARLY = and_(
    Outgoing.kind.in_(mails(lambda kind: kind.merged in ("whole", "turn"))),
    select(_ANSWER.id).where(
        _ANSWER.player_id == Outgoing.player_id, _ANSWER.game_id == Outgoing.game_id, _ANSWER.message.is_(None),
        is_early(_ANSWER),
    ).exists(),
)  # fmt: skip
SELECT_MAILS = (
    select(
        *columns(Outgoing, _OWN),
        MailWish.mail.label("wish"), Told.event.label("told"),
        _IS_OVERTAKEN.label("is_overtaken"), _HAS_EARLY.label("has_early"),
        *(column.label(f"reader_{column.name}") for column in PLAYER_COLUMNS),
        *columns(Message, TalkMessage._fields[:-1], "said_"), _AUTHOR.name.label("said_author"),
    )
    .select_from(Outgoing)
    .outerjoin(Player, Player.id == Outgoing.player_id)
    .outerjoin(MailWish, and_(MailWish.player_id == Outgoing.player_id, MailWish.game_id == Outgoing.game_id))
    .outerjoin(Told, and_(Told.player_id == Outgoing.player_id, Told.game_id == Outgoing.game_id))
    .outerjoin(Message, and_(Message.id == Outgoing.cause, Outgoing.kind == "talk"))
    .outerjoin(_AUTHOR, _AUTHOR.id == Message.player_id)
)  # fmt: skip
"""Select mails with all that they are written from. Callers add conditions, and give the time as `at`."""
_BY_IDS = SELECT_MAILS.where(Outgoing.id.in_(bindparam("ids", expanding=True)))


def load(ids: Collection[str]) -> dict[str, Mail]:
    """Return the mails of these ids, by them and in their order, with all that they are written from."""
    read = mails_of_rows(rows(_BY_IDS, ids=list(ids), at=now())) if ids else {}
    return {row_id: read[row_id] for row_id in ids if row_id in read}


def mails_of_rows(read: Sequence[Row[Any]]) -> dict[str, Mail]:
    """Return the mails of rows that `SELECT_MAILS` has read, by their ids and in their order, with their games."""
    by_id = {row.id: _mail(row) for row in read}
    games = standings_of(list({mail.game_id: None for mail in by_id.values() if mail.game_id is not None}))
    for mail in by_id.values():
        mail.game = games.get(mail.game_id or "")
    return by_id


def _mail(row: Row[Any]) -> Mail:
    values = tuple(row)
    mail = Mail(*values[:_ALONE])
    mail.is_overtaken, mail.has_early = bool(mail.is_overtaken), bool(mail.has_early)
    if row.player_id is not None:
        mail.player = detached(values[_ALONE : _ALONE + len(PLAYER_COLUMNS)])
    if row.said_id is not None:
        mail.said = TalkMessage(*values[-len(TalkMessage._fields) :])
    return mail
