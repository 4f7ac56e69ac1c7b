"""The statements that read the situation of a game, and those that write what follows from a decision."""

from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from functools import cache
from typing import ClassVar, Protocol

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    String,
    Update,
    and_,
    bindparam,
    case,
    exists,
    func,
    null,
    or_,
    select,
)

from server.application.game import access
from server.house_rules.situation import COLUMNS
from server.house_rules.standing import (
    Absence,
    HeldMove,
    Invitation,
    Motion,
    QueuedMove,
    Seat,
    Timer,
)
from server.models import (
    ARMED,
    FIRED,
    OPEN,
    Ballot,
    Base,
    Deadline,
    Event,
    Game,
    MailWish,
    Message,
    Player,
    ReplyToken,
    table_of,
)
from server.models import Absence as AbsenceRow
from server.models import HeldMove as HeldRow
from server.models import Invitation as InvitationRow
from server.models import Motion as MotionRow
from server.models import Outage as OutageRow
from server.models import QueuedMove as QueuedRow
from server.models import Seat as SeatRow
from server.models import Webhook as WebhookRow
from server.models.actors import MAY_ACT
from server.models.types import UtcTime

MOVES = "moves"  # the mail frequency of players who want a mail for every move
_CREDITED = ("granted", "done")  # the states of outages that are given back


def _column(model: type[Base], name: str) -> ColumnElement[object]:
    return model.__mapper__.column_attrs[name].columns[0]


class Fields(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]


def _names(value: type[Fields], *without: str) -> tuple[str, ...]:
    """Return the fields of a value of the situation that are columns of its table."""
    return tuple(each.name for each in fields(value) if each.name not in without)


def columns(model: type[Base], names: Iterable[str], before: str = "") -> list[ColumnElement[object]]:
    """Return the columns of a model under these names, with a word `before` each."""
    return [_column(model, name).label(f"{before}{name}") for name in names]


def by_column(model: type[Base], values: Mapping[str, object]) -> dict[str, object]:
    """Return values by the names of their columns in the database."""
    return {_column(model, name).name: value for name, value in values.items()}


# Of the games themselves
_WITHOUT_SECRETS = [
    null().label(name) if name == "log_secrets" else _column(Game, name).label(name) for name in COLUMNS
]
_IS_ANY = Game.id == bindparam("game")
_LOCKED = {with_board: select(*what).with_for_update() for with_board, what in (
    (True, columns(Game, COLUMNS)), (False, _WITHOUT_SECRETS),
)}  # fmt: skip
# With the secrets of the sealed log, and without.
ANY_GAME = {with_board: query.where(_IS_ANY) for with_board, query in _LOCKED.items()}
VISIBLE_GAME = {with_board: query.where(*access.VISIBLE) for with_board, query in _LOCKED.items()}
# Of what is around them
_GAME_ID: BindParameter[str] = bindparam("game")
SEAT_COLUMNS = _names(Seat, "holder", "bounces", "is_guest", "invited_id", "invitation", "is_to_be_drawn")
TIMER_COLUMNS = _names(Timer)
QUEUED_COLUMNS = _names(QueuedMove)
HELD_COLUMNS = _names(HeldMove)
MOTION_COLUMNS = _names(Motion, "ballots")
ABSENCE_COLUMNS = _names(Absence)
_WAS_SENT = and_(
    Deadline.kind == "reminder", Deadline.state == FIRED,
    Deadline.side == bindparam("side"), Deadline.round == bindparam("round"),
)  # fmt: skip
TIMERS = (
    select(*columns(Deadline, TIMER_COLUMNS))
    .where(Deadline.game_id == _GAME_ID, or_(Deadline.state == ARMED, _WAS_SENT))
    .order_by(Deadline.due_at, Deadline.seat)
)
QUEUE = (
    select(*columns(QueuedRow, QUEUED_COLUMNS))
    .where(QueuedRow.game_id == _GAME_ID)
    .order_by(QueuedRow.kept_at, QueuedRow.pawn)
)
HELD = (
    select(*columns(HeldRow, HELD_COLUMNS)).where(HeldRow.game_id == _GAME_ID).order_by(HeldRow.plays_at, HeldRow.pawn)
)
_IS_RECENTLY_OPENED = MotionRow.opened_at > bindparam("since", type_=UtcTime())
MOTIONS = (
    select(*columns(MotionRow, MOTION_COLUMNS))
    .where(MotionRow.game_id == _GAME_ID, or_(MotionRow.state.in_(("open", "carried")), _IS_RECENTLY_OPENED))
    .order_by(MotionRow.opened_at, MotionRow.id)
)
BALLOTS = (
    select(Ballot.motion_id, Ballot.seat, Ballot.is_for)
    .join(MotionRow, MotionRow.id == Ballot.motion_id)
    .where(MotionRow.game_id == _GAME_ID, MotionRow.state == OPEN)
    .order_by(Ballot.seat)
)
_PEOPLE = select(SeatRow.player_id).where(SeatRow.game_id == _GAME_ID, SeatRow.player_id.is_not(None))
_IS_RECENT = AbsenceRow.end > bindparam("since", type_=UtcTime())
_OF_PEOPLE = (AbsenceRow.player_id.in_(_PEOPLE), _IS_RECENT)
ABSENCES = (
    select(*columns(AbsenceRow, ABSENCE_COLUMNS)).where(*_OF_PEOPLE).order_by(AbsenceRow.player_id, AbsenceRow.begin)
)
HAS_ABSENCES = exists().where(*_OF_PEOPLE)
_IS_DRAW_CHANGE = (
    Event.game_id == _GAME_ID,
    Event.kind == "draw",
    Event.at > bindparam("day_ago", type_=UtcTime()),
)
DRAW_CHANGES = (
    select(Event.data["seat"].as_integer().label("seat"), Event.at).where(*_IS_DRAW_CHANGE).order_by(Event.number)
)
HAS_DRAW_CHANGES = exists().where(*_IS_DRAW_CHANGE)
_IS_OWED = (OutageRow.number > bindparam("last"), or_(*(OutageRow.state == state for state in _CREDITED)))
OWED = (
    select(OutageRow.number, OutageRow.cause, OutageRow.begin, OutageRow.end)
    .where(*_IS_OWED)
    .order_by(OutageRow.number)
)
# A UNION and no OR, with which SQLite would read all webhooks.
_HAS_PLAYER_OR_HOST = WebhookRow.player_id.in_(_PEOPLE.union(select(bindparam("host", type_=String))))
_IS_ON = WebhookRow.off_because.is_(None)
_WEBHOOK = select(WebhookRow.id, WebhookRow.player_id).where(_IS_ON).order_by(WebhookRow.id)
WEBHOOKS = _WEBHOOK.where(_HAS_PLAYER_OR_HOST)
_IS_OF_ROUND = (
    ReplyToken.game_id == _GAME_ID,
    ReplyToken.round == bindparam("round"),
    ReplyToken.question.is_not(None),
)
# Only a question to the player who sits there now.
_HOLDS_SEAT = and_(
    SeatRow.game_id == ReplyToken.game_id,
    SeatRow.number == ReplyToken.seat,
    ReplyToken.nonce.startswith(SeatRow.nonce),
)
QUESTIONS = select(ReplyToken.seat, ReplyToken.question).join(SeatRow, _HOLDS_SEAT).where(*_IS_OF_ROUND)
# Most games have nothing of these, so the statement that reads the seats asks for all of them.
SEATS = (
    select(
        *columns(SeatRow, SEAT_COLUMNS),
        Player.zone, Player.night, Player.spends_vacation, Player.bounces, Player.network,
        (func.coalesce(MailWish.mail, Player.mail) == MOVES).label("wants_moves"),
        exists().where(QueuedRow.game_id == _GAME_ID).label("has_queue"),
        exists().where(HeldRow.game_id == _GAME_ID).label("has_held"),
        exists().where(MotionRow.game_id == _GAME_ID).label("has_motions"),
        HAS_ABSENCES.label("has_absences"),
        HAS_DRAW_CHANGES.label("has_draw_changes"),
        exists().where(*_IS_OWED).label("has_owed"),
        exists().where(_HAS_PLAYER_OR_HOST, _IS_ON).label("has_webhooks"),
        exists().where(*_IS_OF_ROUND).label("has_questions"),
        MAY_ACT,
    )
    .outerjoin(Player, Player.id == SeatRow.player_id)
    .outerjoin(MailWish, and_(MailWish.player_id == SeatRow.player_id, MailWish.game_id == SeatRow.game_id))
    .where(SeatRow.game_id == _GAME_ID)
    .order_by(SeatRow.number)
)  # fmt: skip
_NEWCOMER: BindParameter[str] = bindparam("newcomer")
ABSENCES_OF = (
    select(*columns(AbsenceRow, ABSENCE_COLUMNS))
    .where(AbsenceRow.player_id == _NEWCOMER, _IS_RECENT)
    .order_by(AbsenceRow.begin)
)
WEBHOOKS_OF = _WEBHOOK.where(WebhookRow.player_id == _NEWCOMER)
# Before the start
_TO_TEAM = exists().where(Message.game_id == _GAME_ID, Message.audience == "team")
LOBBY = (
    select(
        SeatRow.invited_id, *columns(InvitationRow, Invitation._fields, "invitation_"),
        select(Game.position).where(Game.id == _GAME_ID).scalar_subquery().label("position"),
        _TO_TEAM.label("has_team_talk"),
    )
    .outerjoin(InvitationRow, InvitationRow.id == SeatRow.invitation_id)
    .where(SeatRow.game_id == _GAME_ID)
    .order_by(SeatRow.number)
)  # fmt: skip
WEBHOOKS_OF_INVITED = _WEBHOOK.join(SeatRow, SeatRow.invited_id == WebhookRow.player_id).where(
    SeatRow.game_id == _GAME_ID
)
# What a decision can change
SEAT_CHANGES = tuple(name for name in SEAT_COLUMNS if name not in ("number", "pawns"))
RESERVED = ("invited_id", "invitation_id")
TIMER_CHANGES = ("due_at", "try_at", "state")
MOTION_CHANGES = ("state", "opened_at", "closes_at")


def _parameters(model: type[Base], names: Iterable[str]) -> dict[ColumnElement[object], BindParameter[object]]:
    """Return the columns of these names with parameters for their new values: `new_` and the name."""
    columns = [_column(model, name) for name in names]
    return {column: bindparam(f"new_{name}", type_=column.type) for name, column in zip(names, columns, strict=True)}


_THE_SEAT = (SeatRow.game_id == _GAME_ID, SeatRow.number == bindparam("of"))
UPDATE_SEATS = table_of(SeatRow).update().values(_parameters(SeatRow, (*SEAT_CHANGES, *RESERVED))).where(*_THE_SEAT)
CLEAR_SEATS = table_of(SeatRow).update().values(player_id=None).where(*_THE_SEAT)
_THE_INVITATION = InvitationRow.id == bindparam("of")
_EMPTIED = bindparam("emptied", "", type_=_column(InvitationRow, "words").type)
END_INVITATIONS = (
    table_of(InvitationRow)
    .update()
    .where(_THE_INVITATION)
    .values(
        email=None, digest=None,
        words=case((InvitationRow.words.is_not(None), _EMPTIED)),  # that there were some is counted
    )
)  # fmt: skip
UPDATE_REMINDED = (
    table_of(InvitationRow)
    .update()
    .where(_THE_INVITATION)
    .values(
        reminded_at=bindparam("new_reminded_at", type_=UtcTime()),
        digest=func.coalesce(bindparam("new_digest", type_=String), InvitationRow.digest),
    )
)
UPDATE_TIMERS = (
    table_of(Deadline).update().values(_parameters(Deadline, TIMER_CHANGES)).where(Deadline.id == bindparam("of"))
)
UPDATE_MOTIONS = (
    table_of(MotionRow).update().values(_parameters(MotionRow, MOTION_CHANGES)).where(MotionRow.id == bindparam("of"))
)
_THE_BALLOT = (Ballot.motion_id == bindparam("of"), Ballot.seat == bindparam("by"))
DELETE_BALLOTS = table_of(Ballot).delete().where(*_THE_BALLOT)
UPDATE_BALLOTS = table_of(Ballot).update().values(_parameters(Ballot, ("is_for",))).where(*_THE_BALLOT)
DELETE_HELD = table_of(HeldRow).delete().where(HeldRow.game_id == _GAME_ID, HeldRow.pawn == bindparam("of"))
DELETE_QUEUED = table_of(QueuedRow).delete().where(QueuedRow.game_id == _GAME_ID, QueuedRow.pawn == bindparam("of"))


@cache
def update_game(changed: tuple[str, ...]) -> Update:
    """Return the UPDATE of a game that sets the columns `changed`, if its version is still the one that was loaded."""
    games = table_of(Game)
    is_as_loaded = (games.c.id == bindparam("game"), games.c.version == bindparam("loaded"))
    return games.update().values(_parameters(Game, changed)).where(*is_as_loaded).returning(games.c.id)
