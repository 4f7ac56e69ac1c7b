"""Vacation: a number of days a year in which no time of a player passes.

Players take days themselves; if they opt in, the server spends some when they would be late. Where the detectives have
their time together, none passes while one of those who have still to move is away. The other players learn only that
the deadline moved.
"""

from collections.abc import Collection, Iterable
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from server.clock import gives_under_an_hour
from server.clock.local import instant
from server.house_rules import timers
from server.house_rules.draft import Draft
from server.house_rules.standing import Absence, Holder, Seat, Sight, Timer
from server.house_rules.turns import awaited_seats
from server.vocabulary.durations import DAY, rfc3339, say_duration
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

SECOND = timedelta(seconds=1)
YEARLY = 21 * DAY
AUTOMATIC = 3 * DAY  # spent for one deadline
FARTHEST = 366 * DAY


def is_away(game: Sight, seat: Seat, now: datetime) -> bool:
    """Return True if the holder of the seat is away now."""
    mine = (absence for absence in game.absences if absence.player_id == seat.player_id)
    return any(absence.begin <= now < absence.end for absence in mine)


def not_away(game: Sight, seats: Iterable[Seat], now: datetime) -> list[Seat]:
    """Return the seats of people who are not away now; those of bots are left out."""
    return [seat for seat in seats if seat.player_id and not is_away(game, seat, now)]


def spend(draft: Draft, seat: Seat, timer: Timer) -> None:
    """Spend vacation days automatically for a player about to miss the deadline, at most once per turn.

    Nothing is spent for a player who has not opted in, or has no whole day left, nor where time is short.
    """
    holder = seat.holder
    is_evening = gives_under_an_hour(draft.game.clock)
    if holder is None or not holder.spends_vacation or is_evening or _was_spent(draft, holder, timer):
        return
    zone = ZoneInfo(holder.zone)
    mine = [each for each in draft.game.absences if each.player_id == holder.id]
    left = YEARLY - _taken(mine, timer.due_at.astimezone(zone).year, zone)
    days = min(AUTOMATIC, left // DAY * DAY)
    if days:
        begin = timer.due_at - SECOND  # before the deadline: time that is over cannot stand still
        spent = Absence(draft.sources.new_id("absence"), holder.id, begin, begin + days, is_automatic=True)
        draft.game.absences.append(spent)


def wait_for_player(draft: Draft, player_id: str) -> None:
    """Move the deadlines that wait for a player, if the absences and nights of the late players say so."""
    late = awaited_seats(draft.game, draft.state, draft.game.queue)
    own = next((seat.number for seat in late if seat.player_id == player_id), None)
    numbers = [seat.number for seat in late]
    if own and timers.recompute(draft, serial=draft.game.events + 1, only=numbers, night=own):
        draft.publish("postponed", due_at=rfc3339(draft.game.due_at))


def plan_absence(
    earlier: Collection[Absence], first: date, last: date, zone: str, now: datetime
) -> tuple[datetime, datetime]:
    """Return when an absence begins and ends that a player takes from one day to the end of another.

    The days are those of the player's `zone`, and `earlier` are the player's other absences.

    Raises:
        Problem: `form` if the days are not valid, `enough` if the player has not so many left in a year.
    """
    place = ZoneInfo(zone)
    today = now.astimezone(place).date()
    if last < first:
        sentence = gettext("This absence would end, on {last}, before it begins, on {first}.", last=last, first=first)
        raise Problem("form", sentence)
    if first < today:
        raise refusal(
            "form", "An absence begins today ({today} in {zone}) or later, not on {first}.",
            today=today, zone=zone, first=first,
        )  # fmt: skip
    if last - today > FARTHEST:
        raise refusal("form", "An absence is over within a year from today.")
    begin, end = max(_midnight(first, place), now), _midnight(last + DAY, place)
    for other in earlier:
        if other.begin < end and other.end > begin:
            begun, ended = (at.astimezone(place).date() for at in (other.begin, other.end - SECOND))
            raise refusal("form", "You are away from {begin} to {end} already.", begin=begun, end=ended)
    for year in range(begin.astimezone(place).year, end.astimezone(place).year + 1):
        left = max(YEARLY - _taken(earlier, year, place), timedelta(0))
        if _within(begin, end, year, place) > left:
            raise refusal(
                "enough", "Of your {days} days of vacation in {year} you have {left} left.",
                days=YEARLY.days, year=year, left=say_duration(left),
            )  # fmt: skip
    return begin, end


def absences_as_json(absences: Collection[Absence], zone: str, now: datetime) -> dict[str, Any]:
    """Return a player's absences of this year and later ones, and the days that are left this year."""
    place = ZoneInfo(zone)
    begins = _midnight(date(now.astimezone(place).year, 1, 1), place)
    return {
        "absences": [each.as_json for each in absences if each.end > begins],
        "days_left": days_left(absences, zone, now),
    }


def days_left(absences: Collection[Absence], zone: str, now: datetime) -> int:
    """Return how many whole days of this year's vacation a player with these absences has left."""
    place = ZoneInfo(zone)
    return (YEARLY - _taken(absences, now.astimezone(place).year, place)) // DAY


# Parts -------------------------------------------------------------------------------------------


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return instant(datetime.combine(day, time()), zone)


def _taken(absences: Iterable[Absence], year: int, zone: ZoneInfo) -> timedelta:
    """Return how much of these absences is in that year."""
    return sum((_within(each.begin, each.end, year, zone) for each in absences), timedelta(0))


def _within(begin: datetime, end: datetime, year: int, zone: ZoneInfo) -> timedelta:
    """Return how much of the span is in that year by the player's local time, so that every day is a whole one."""
    first, last = (at.astimezone(zone).replace(tzinfo=None) for at in (begin, end))
    first, last = max(first, datetime(year, 1, 1)), min(last, datetime(year + 1, 1, 1))  # noqa: DTZ001 of the wall
    return max(last - first, timedelta(0))


def _was_spent(draft: Draft, holder: Holder, timer: Timer) -> bool:
    since = timer.began_at or timer.due_at
    mine = (absence for absence in draft.game.absences if absence.player_id == holder.id)
    return any(absence.is_automatic and absence.end > since for absence in mine)
