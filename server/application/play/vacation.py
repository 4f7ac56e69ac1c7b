"""Vacation: a number of days a year in which no time of a player passes.

Players take days themselves; if they opt in, the server spends some when they would be late. Where the detectives have
their time together, none passes while one of those who have still to move is away. The other players learn only that
the deadline moved.
"""

from datetime import date, datetime, time
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select

from server.application.game.deciding import Decided, use_case
from server.application.game.situations import carry_out, load
from server.clock.local import instant
from server.house_rules import vacation as decisions
from server.models import Absence, Game, Player, Seat, session
from server.runtime import now, runtime
from server.vocabulary.durations import DAY, rfc3339
from server.vocabulary.errors import Problem

_SPENDERS = select(Player.id).join(Seat, Seat.player_id == Player.id).order_by(Player.id)
_SPENDERS = _SPENDERS.where(Seat.game_id == bindparam("game"), Player.spends_vacation)
_SPENDERS = _SPENDERS.with_for_update(key_share=True, of=Player)


@use_case
def take(player_id: str, first: date, last: date) -> Decided[Absence]:
    """Take vacation from the beginning of one day to the end of another, by the player's own calendar.

    Raises:
        Problem: `form` if the days are not valid, `enough` if the player has not so many left in the year.
    """
    player = lock_with_games(player_id)
    zone = ZoneInfo(player.zone)
    decisions.check_days(first, last, now().astimezone(zone).date(), player.zone)
    begin, end = max(_midnight(first, zone), now()), _midnight(last + DAY, zone)
    _check_free(player, begin, end)
    decisions.check_quota(begin, end, _spans(player), zone)

    def write() -> Absence:
        absence = Absence(id=runtime().new_id("absence"), player_id=player.id, begin=begin, end=end)
        session.add(absence)
        update_deadlines(player)
        return absence

    return Decided(write)


@use_case
def cancel(player_id: str, absence_id: str | None = None) -> Decided[int]:
    """End an absence now, or cancel it before it begins; all of them if none is named. Return how many it ended.

    Deadlines that have moved stay where they are.

    Raises:
        Problem: `not-found` if the player has no such absence that is not over.
    """
    query = select(Absence).where(Absence.player_id == player_id, Absence.end > now())
    ended = session.scalars(query if absence_id is None else query.where(Absence.id == absence_id)).all()
    if absence_id is not None and not ended:
        raise Problem("not-found", "There is no such absence of yours, or it is over.")

    def write() -> int:
        for absence in ended:
            if absence.begin < now():
                absence.end = now()
            else:
                session.delete(absence)
        return len(ended)

    return Decided(write)


def absences_of(player: Player) -> dict[str, Any]:
    """Return the absences of this year and later ones, and the days that are left this year."""
    zone = ZoneInfo(player.zone)
    year = now().astimezone(zone).year
    begins = _midnight(date(year, 1, 1), zone)
    query = select(Absence).where(Absence.player_id == player.id, Absence.end > begins).order_by(Absence.begin)
    return {
        "absences": [facts(absence) for absence in session.scalars(query)],
        "days_left": (decisions.YEARLY - decisions.taken(_spans(player), year, zone)) // DAY,
    }


def facts(absence: Absence) -> dict[str, Any]:
    """Return an absence as its owner sees it."""
    return {
        "id": absence.id,
        "begin": rfc3339(absence.begin),
        "end": rfc3339(absence.end),
        "automatic": absence.is_automatic,
    }


def lock_with_games(player_id: str, *game_ids: str) -> Player:
    """Lock and return the player, and after that, in one order, these games and all that may wait for the player.

    Every transaction that needs a player and games locks them in this order, so that no two wait for each other.
    """
    player = session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
    theirs = select(Seat.game_id).join(Game).where(Seat.player_id == player_id, Game.status == "running")
    wanted = theirs.union(select(Game.id).where(Game.id.in_(game_ids)))
    query = select(Game.id).where(Game.id.in_(wanted)).order_by(Game.id)
    session.execute(query.with_for_update())
    return player


def lock_spenders(game_id: str | None) -> None:
    """Lock the players of a game who opted in to spending days, so that no two games spend the same days.

    Like `lock_with_games`, it locks the players before the game.
    """
    session.execute(_SPENDERS, {"game": game_id})


def update_deadlines(player: Player) -> None:
    """Move the deadlines that wait for a player, who is locked, if the player's absences and nights say so."""
    query = select(Game.id).join(Seat).where(Seat.player_id == player.id, Game.status == "running").order_by(Game.id)
    for game_id in session.scalars(query).all():
        carry_out(load(game_id), partial(decisions.wait_for, player.id))


def _check_free(player: Player, begin: datetime, end: datetime) -> None:
    overlapping = (Absence.player_id == player.id, Absence.begin < end, Absence.end > begin)
    other = session.scalar(select(Absence).where(*overlapping).limit(1))
    if other is not None:
        raise Problem("form", f"You are away from {rfc3339(other.begin)} to {rfc3339(other.end)} already.")


def _spans(player: Player) -> list[tuple[datetime, datetime]]:
    query = select(Absence.begin, Absence.end).where(Absence.player_id == player.id)
    return [(absence.begin, absence.end) for absence in session.execute(query)]


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return instant(datetime.combine(day, time()), zone)
