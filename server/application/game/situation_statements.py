"""The statements that read the situation of a game, and those that write what follows from a decision."""

from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from typing import ClassVar, Protocol

from sqlalchemy import BindParameter, ColumnElement, String, and_, bindparam, exists, func, literal, null, or_, select

from server import models
from server.application.game import access
from server.house_rules import standing
from server.house_rules.situation import COLUMNS
from server.models import ARMED, FIRED, OPEN, Base
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
    null().label(name) if name == "log_secrets" else _column(models.Game, name).label(name) for name in COLUMNS
]
_IS_ANY = models.Game.id == bindparam("game")
_LOCKED = {with_board: select(*what).with_for_update() for with_board, what in (
    (True, columns(models.Game, COLUMNS)), (False, _WITHOUT_SECRETS),
)}  # fmt: skip
# With the secrets of the sealed log, and without.
ANY_GAME = {with_board: query.where(_IS_ANY) for with_board, query in _LOCKED.items()}
VISIBLE_GAME = {with_board: query.where(*access.VISIBLE) for with_board, query in _LOCKED.items()}
# Of what is around them
_GAME_ID: BindParameter[str] = bindparam("game")
SEAT_COLUMNS = _names(standing.Seat, "holder", "bounces", "is_guest", "invited_id", "invitation", "is_to_be_drawn")
TIMER_COLUMNS = _names(standing.Timer)
QUEUED_COLUMNS = _names(standing.QueuedMove)
HELD_COLUMNS = _names(standing.HeldMove)
MOTION_COLUMNS = _names(standing.Motion, "ballots")
ABSENCE_COLUMNS = _names(standing.Absence)
_WAS_SENT = and_(
    models.Deadline.kind == "reminder", models.Deadline.state == FIRED,
    models.Deadline.side == bindparam("side"), models.Deadline.round == bindparam("round"),
)  # fmt: skip
TIMERS = (
    select(*columns(models.Deadline, TIMER_COLUMNS))
    .where(models.Deadline.game_id == _GAME_ID, or_(models.Deadline.state == ARMED, _WAS_SENT))
    .order_by(models.Deadline.due_at, models.Deadline.seat)
)
QUEUE = (
    select(*columns(models.QueuedMove, QUEUED_COLUMNS))
    .where(models.QueuedMove.game_id == _GAME_ID)
    .order_by(models.QueuedMove.kept_at, models.QueuedMove.pawn)
)
HELD = (
    select(*columns(models.HeldMove, HELD_COLUMNS))
    .where(models.HeldMove.game_id == _GAME_ID)
    .order_by(models.HeldMove.plays_at, models.HeldMove.pawn)
)
_IS_RECENTLY_OPENED = models.Motion.opened_at > bindparam("since", type_=UtcTime())
MOTIONS = (
    select(*columns(models.Motion, MOTION_COLUMNS))
    .where(models.Motion.game_id == _GAME_ID, or_(models.Motion.state.in_(("open", "carried")), _IS_RECENTLY_OPENED))
    .order_by(models.Motion.opened_at, models.Motion.id)
)
BALLOTS = (
    select(models.Ballot.motion_id, models.Ballot.seat, models.Ballot.is_for)
    .join(models.Motion, models.Motion.id == models.Ballot.motion_id)
    .where(models.Motion.game_id == _GAME_ID, models.Motion.state == OPEN)
    .order_by(models.Ballot.seat)
)
_PEOPLE = select(models.Seat.player_id).where(models.Seat.game_id == _GAME_ID, models.Seat.player_id.is_not(None))
_IS_RECENT = models.Absence.end > bindparam("since", type_=UtcTime())
_OF_PEOPLE = (models.Absence.player_id.in_(_PEOPLE), _IS_RECENT)
ABSENCES = (
    select(*columns(models.Absence, ABSENCE_COLUMNS))
    .where(*_OF_PEOPLE)
    .order_by(models.Absence.player_id, models.Absence.begin)
)
HAS_ABSENCES = exists().where(*_OF_PEOPLE)
_IS_DRAW_CHANGE = (
    models.Event.game_id == _GAME_ID,
    models.Event.kind == "draw",
    models.Event.at > bindparam("day_ago", type_=UtcTime()),
)
DRAW_CHANGES = (
    select(models.Event.data["seat"].as_integer().label("seat"), models.Event.at)
    .where(*_IS_DRAW_CHANGE)
    .order_by(models.Event.number)
)
HAS_DRAW_CHANGES = exists().where(*_IS_DRAW_CHANGE)
_IS_OWED = (models.Outage.number > bindparam("last"), or_(*(models.Outage.state == state for state in _CREDITED)))
OWED = (
    select(models.Outage.number, models.Outage.cause, models.Outage.begin, models.Outage.end)
    .where(*_IS_OWED)
    .order_by(models.Outage.number)
)
# A UNION and no OR, with which SQLite would read all webhooks.
_HAS_PLAYER_OR_HOST = models.Webhook.player_id.in_(_PEOPLE.union(select(bindparam("host", type_=String))))
_IS_ABOUT_GAME = models.Webhook.games.is_(None) | models.Webhook.games.contains(literal(" ") + _GAME_ID + " ")
IS_ON = and_(models.Webhook.off_because.is_(None), _IS_ABOUT_GAME)
_WEBHOOK = select(models.Webhook.id, models.Webhook.player_id, models.Webhook.device.is_not(None))
_WEBHOOK = _WEBHOOK.where(IS_ON).order_by(models.Webhook.id)
WEBHOOKS = _WEBHOOK.where(_HAS_PLAYER_OR_HOST)
_IS_OF_ROUND = (
    models.ReplyToken.game_id == _GAME_ID,
    models.ReplyToken.round == bindparam("round"),
    models.ReplyToken.question.is_not(None),
)
# Only a question to the player who sits there now.
_HOLDS_SEAT = and_(
    models.Seat.game_id == models.ReplyToken.game_id,
    models.Seat.number == models.ReplyToken.seat,
    models.ReplyToken.nonce.startswith(models.Seat.nonce),
)
QUESTIONS = (
    select(models.ReplyToken.seat, models.ReplyToken.question).join(models.Seat, _HOLDS_SEAT).where(*_IS_OF_ROUND)
)
_WISH = models.MailWish
# Most games have nothing of these, so the statement that reads the seats asks for all of them.
SEATS = (
    select(
        *columns(models.Seat, SEAT_COLUMNS),
        *columns(models.Player, ("zone", "night", "spends_vacation", "bounces", "network")),
        (func.coalesce(models.MailWish.mail, models.Player.mail) == MOVES).label("wants_moves"),
        exists().where(models.QueuedMove.game_id == _GAME_ID).label("has_queue"),
        exists().where(models.HeldMove.game_id == _GAME_ID).label("has_held"),
        exists().where(models.Motion.game_id == _GAME_ID).label("has_motions"),
        HAS_ABSENCES.label("has_absences"),
        HAS_DRAW_CHANGES.label("has_draw_changes"),
        exists().where(*_IS_OWED).label("has_owed"),
        exists().where(_HAS_PLAYER_OR_HOST, IS_ON).label("has_webhooks"),
        exists().where(*_IS_OF_ROUND).label("has_questions"),
        MAY_ACT,
    )
    .outerjoin(models.Player, models.Player.id == models.Seat.player_id)
    .outerjoin(models.MailWish, and_(_WISH.player_id == models.Seat.player_id, _WISH.game_id == models.Seat.game_id))
    .where(models.Seat.game_id == _GAME_ID)
    .order_by(models.Seat.number)
)  # fmt: skip
_NEWCOMER: BindParameter[str] = bindparam("newcomer")
ABSENCES_OF = (
    select(*columns(models.Absence, ABSENCE_COLUMNS))
    .where(models.Absence.player_id == _NEWCOMER, _IS_RECENT)
    .order_by(models.Absence.begin)
)
WEBHOOKS_OF = _WEBHOOK.where(models.Webhook.player_id == _NEWCOMER)
# Before the start
_TO_TEAM = exists().where(models.Message.game_id == _GAME_ID, models.Message.audience == "team")
LOBBY = (
    select(
        models.Seat.invited_id, *columns(models.Invitation, standing.Invitation._fields, "invitation_"),
        select(models.Game.position).where(models.Game.id == _GAME_ID).scalar_subquery().label("position"),
        _TO_TEAM.label("has_team_talk"),
    )
    .outerjoin(models.Invitation, models.Invitation.id == models.Seat.invitation_id)
    .where(models.Seat.game_id == _GAME_ID)
    .order_by(models.Seat.number)
)  # fmt: skip
WEBHOOKS_OF_INVITED = _WEBHOOK.join(models.Seat, models.Seat.invited_id == models.Webhook.player_id).where(
    models.Seat.game_id == _GAME_ID
)
