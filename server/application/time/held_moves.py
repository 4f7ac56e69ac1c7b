"""Play held moves when their time has come: `server.house_rules.holding` decides, and the worker calls."""

from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, exists, func, select, update

from server.application.game.situations import carry_out, load
from server.application.time import deadlines, outages
from server.house_rules import holding
from server.models import HeldMove, execute, leases, rows, transaction
from server.models.types import UtcTime
from server.runtime import now

_IS_DUE: ColumnElement[bool] = HeldMove.try_at <= bindparam("at", type_=UtcTime())
_IS_ANY_DUE = select(exists().where(_IS_DUE))
_FIRST: ColumnElement[datetime] = func.min(HeldMove.plays_at)
_DUE = select(HeldMove.game_id, _FIRST).where(_IS_DUE).group_by(HeldMove.game_id)
_DUE = _DUE.order_by(_FIRST, HeldMove.game_id).limit(100)
_DUE_UNTIL = _DUE.where(HeldMove.plays_at < bindparam("until", type_=UtcTime()))
_OF_GAME = (HeldMove.game_id == bindparam("game"), HeldMove.plays_at <= bindparam("at", type_=UtcTime()))
_ATTEMPTS = select(func.max(HeldMove.attempts)).where(*_OF_GAME)
_TRY_LATER = (
    update(HeldMove)
    .where(*_OF_GAME)
    .values(try_at=bindparam("later", type_=UtcTime()), attempts=HeldMove.attempts + bindparam("more"))
)


def due(at: datetime) -> list[tuple[str, datetime]]:
    """Return the ids of games in which a held move is to be played, each with the time of the first.

    None is while a NO to it could not arrive: while deadlines wait, as the server or its mail is out.
    """
    if not rows(_IS_ANY_DUE, at=at)[0][0]:
        return []
    until = deadlines.fires_until(at)
    found = rows(_DUE, at=at) if until is None else rows(_DUE_UNTIL, at=at, until=until)
    return [tuple(row) for row in found]


def play(game_id: str) -> None:
    """Play what is due in a game, after it has got back the time of outages, by which it may be due later."""
    with transaction():
        situation = outages.settled(load(game_id))
        if any(held.plays_at <= now() for held in situation.held):
            carry_out(situation, holding.play_due)


def wait_for_mail(game_id: str, since: datetime) -> bool:
    """Have what is due in a game since then wait a little, as a mail that came in time cannot be read now.

    Return False if it waits no longer, after a day.
    """
    if now() - since > outages.LONGEST:
        return False
    with transaction():
        execute(_TRY_LATER, {"game": game_id, "at": now(), "later": now() + deadlines.HOLD, "more": 0})
    return True


def postpone(game_id: str, *, is_counted: bool = True) -> None:
    """Schedule the next attempt in a game in which playing failed: ever more rarely, but without end."""
    with transaction():
        attempts = (rows(_ATTEMPTS, game=game_id, at=now())[0][0] or 0) + is_counted
        later = leases.back_off(attempts, deadlines.LONGEST_RETRY, first=deadlines.RETRY)
        execute(_TRY_LATER, {"game": game_id, "at": now(), "later": later, "more": int(is_counted)})
