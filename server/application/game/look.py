"""Look at a game: the one way in which a reader gets it, with what is around it and without its secrets.

Nobody locks a game to read it, so it can change between two statements. The last statement reads the version again,
and if that is another one by then, everything is read again.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Executable, Row, String, and_, bindparam, exists, select

from server.application.game import access
from server.application.game import situation_statements as statements
from server.house_rules.situation import PUBLIC_COLUMNS, Situation
from server.house_rules.standing import Absence, Invitation, Motion, QueuedMove, Seat, Sight, Standing, Timer
from server.models import ARMED, Account, Deadline, Game, Player, rows
from server.models import Invitation as InvitationRow
from server.models import Motion as MotionRow
from server.models import Seat as SeatRow
from server.runtime import now
from server.vocabulary.durations import DAY
from server.vocabulary.translation import gettext

_ID = bindparam("game", type_=String)
_TIMEOUTS = and_(Deadline.game_id == Game.id, Deadline.kind == "timeout", Deadline.state == ARMED)
_GAME = (
    select(
        *statements.columns(Game, PUBLIC_COLUMNS),
        *statements.columns(Deadline, statements.TIMER_COLUMNS, "timer_"),
        access.has_queue_for(bindparam("player", type_=String)).label("has_queue"),
        exists().where(MotionRow.game_id == Game.id).correlate(Game).label("has_motions"),
        statements.HAS_ABSENCES.label("has_absences"),
        statements.HAS_DRAW_CHANGES.label("has_draw_changes"),
    )
    .select_from(Game)
    .outerjoin(Deadline, _TIMEOUTS)
    .order_by(Deadline.due_at, Deadline.seat)
)
_VISIBLE, _ANY = _GAME.where(*access.VISIBLE), _GAME.where(Game.id == _ID)


def _seats_with(*more: Any) -> Any:
    """Return a query of seats with their players and invitations, and more columns behind those."""
    query = select(
        *statements.columns(SeatRow, statements.SEAT_COLUMNS),
        SeatRow.invited_id,
        Player.bounces,
        Player.network,
        *statements.columns(InvitationRow, Invitation._fields, "invitation_"),
        *more,
    )
    query = query.outerjoin(Player, Player.id == SeatRow.player_id)
    return query.outerjoin(InvitationRow, InvitationRow.id == SeatRow.invitation_id)


_SEATS = _seats_with(select(Game.version).where(Game.id == _ID).scalar_subquery().label("version"))
_SEATS = _SEATS.where(SeatRow.game_id == _ID).order_by(SeatRow.number)
# The columns of a game are long, and come with its first seat only.
_STANDINGS = _seats_with(SeatRow.game_id, *statements.columns(Game, PUBLIC_COLUMNS, "its_"))
_STANDINGS = _STANDINGS.outerjoin(Game, and_(Game.id == SeatRow.game_id, SeatRow.number == 1))
_STANDINGS = _STANDINGS.where(SeatRow.game_id.in_(bindparam("games", expanding=True)))
_STANDINGS = _STANDINGS.order_by(SeatRow.game_id, SeatRow.number)


def look(game_id: str, player: Account | None, *, code: str | None = None) -> Sight:
    """Return the game as `player` may look at it, a spectator if None; `Problem` as `access.locked_visible`."""
    return _look(_VISIBLE, access.parameters(game_id, player, code))


def look_at_any(game_id: str, player: Account | None = None) -> Sight:
    """Return any game as `player` would look at it, whether they may see it or not; `Problem` not-found."""
    return _look(_ANY, access.parameters(game_id, player), gettext("There is no such game."))


def _look(query: Executable, given: dict[str, str | None], *sentence: str) -> Sight:
    while True:
        found = rows(query, **given, since=now(), day_ago=now() - DAY)
        if not found:
            raise access.not_found(*sentence)
        sight, version = _read(found, given["player"])
        if sight.version == version:
            return sight


def _read(found: Sequence[Row[Any]], reader: str | None) -> tuple[Sight, str]:
    """Return what is around a game, with the version that it has in the end; `found` has a row for each timeout."""
    game = found[0]
    timers = [Timer(*tuple(row)[len(PUBLIC_COLUMNS) : -4]) for row in found if row.timer_id is not None]
    queue = [QueuedMove(*tuple(row)) for row in rows(statements.QUEUE, game=game.id)] if game.has_queue else []
    motions = motions_of(game.id) if game.has_motions else []
    seats = rows(_SEATS, game=game.id)
    sight = Sight(
        **dict(zip(PUBLIC_COLUMNS, game, strict=False)),
        seats=[_seat(row, game) for row in seats],
        timers=timers,
        queue=queue,
        motions=motions,
        absences=[Absence(*tuple(row)) for row in rows(statements.ABSENCES, game=game.id, since=now())]
        if game.has_absences
        else [],
        draw_changes=draw_changes_of(game.id) if game.has_draw_changes else [],
    )
    own = sight.seat_held_by(reader)
    if own is None or own.role == "mr_x":
        sight.queue = []
    return sight, seats[0].version


def sight_of(game: Situation, reader: str | None) -> Sight:
    """Return what a reader, by their id, finds of a game as a decision has left it."""
    own = game.seat_held_by(reader)
    return Sight(
        **{name: getattr(game, name) for name in PUBLIC_COLUMNS},
        seats=[replace(seat, holder=None, is_to_be_drawn=_is_to_be_drawn(seat, game)) for seat in game.seats],
        timers=game.timeouts(),
        queue=game.queue if own is not None and own.role == "detective" else [],
        motions=game.motions,
        absences=game.absences,
        draw_changes=game.draw_changes,
    )


def motions_of(game_id: str) -> list[Motion]:
    """Return the motions of a game that a `Sight` has, those that are open with their ballots."""
    known = rows(statements.MOTIONS, game=game_id, since=now() - 7 * DAY)
    motions = {row.id: Motion(*tuple(row)) for row in known}
    for ballot in rows(statements.BALLOTS, game=game_id):
        motions[ballot.motion_id].ballots[ballot.seat] = ballot.is_for
    return list(motions.values())


def draw_changes_of(game_id: str) -> list[tuple[int, datetime]]:
    """Return the seat and the time of each offer of a draw, or withdrawal of one, within a day."""
    return [(row.seat, row.at) for row in rows(statements.DRAW_CHANGES, game=game_id, day_ago=now() - DAY)]


def _seat(row: Any, game: Any) -> Seat:
    seat = Seat(*tuple(row)[: len(statements.SEAT_COLUMNS)])
    seat.bounces, seat.is_guest = bool(row.bounces), row.network is not None
    return with_invited(seat, game, row)


def with_invited(seat: Seat, game: Any, row: Any) -> Seat:
    """Return the seat of a game with whom it is reserved for, by a row that has `invited_id` and the invitation."""
    return _with_guest(seat, game, row.invited_id, _invitation(row, "invitation_"))


def _with_guest(seat: Seat, game: Any, invited_id: str | None, invitation: Invitation | None) -> Seat:
    seat.invited_id, seat.invitation = invited_id, invitation
    seat.is_to_be_drawn = _is_to_be_drawn(seat, game)
    return seat


def _invitation(row: Any, prefix: str = "") -> Invitation | None:
    """Return the invitation whose columns a row has, each behind `prefix`; None without a row or an id there."""
    columns = [row and getattr(row, prefix + name) for name in Invitation._fields]
    return Invitation(*columns) if columns[0] else None


def _is_to_be_drawn(seat: Seat, game: Any) -> bool:
    return bool(game.status == "open" and game.seating != "chosen" and seat.bot is None)


def standings_of(ids: Sequence[str]) -> dict[str, Standing]:
    """Return how each of these games stands, by their ids, in one statement."""
    standings: dict[str, Standing] = {}
    for row in rows(_STANDINGS, games=ids) if ids else ():
        if row.number == 1:
            columns = dict(zip(PUBLIC_COLUMNS, tuple(row)[-len(PUBLIC_COLUMNS) :], strict=True))
            standings[row.game_id] = Standing(**columns, seats=[])
        game = standings[row.game_id]
        game.seats.append(_seat(row, game))
    return standings


def standing_of(row: Game) -> Standing:
    """Return how a game stands that was read as a row: for a list, for a mail, or by a command of the lobby."""
    seats = []
    for each in row.seats:
        seat = Seat(*(getattr(each, name) for name in statements.SEAT_COLUMNS))
        seat.bounces, seat.is_guest = bool(each.bounces), bool(each.is_guest)
        seats.append(_with_guest(seat, row, each.invited_id, _invitation(each.invitation)))
    return Standing(**{name: getattr(row, name) for name in PUBLIC_COLUMNS}, seats=seats)
