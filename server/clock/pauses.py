"""Time that does not count: days off, absences, pauses by vote; and nights, which only move a deadline."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from heapq import merge
from typing import NamedTuple
from zoneinfo import ZoneInfo

from server.clock.local import instant, wall
from server.durations import DAY, Length

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
LONGEST_NIGHTS = timedelta(hours=36)  # nights that leave no free moment for longer are ignored


class Pause(NamedTuple):
    """A time from `begin` to `end` (exclusive) in which no clock runs; `why` is the reason in a few words.

    `seat` is the seat of the absent player; None if the pause is public.
    """

    begin: datetime
    end: datetime
    why: str = ""
    seat: int | None = None


@dataclass(frozen=True)
class Calendar:
    """The calendar of a game: its zone, the weekdays that do not count (six at most), and its pauses."""

    zone: ZoneInfo
    days_off: Collection[str] = ()
    pauses: tuple[Pause, ...] = ()

    def since(self, begin: datetime) -> Iterator[Pause]:
        """Yield the pauses that end after `begin`, in order and merged if they touch; endless if there are days off."""
        held: Pause | None = None
        for pause in self.listed(begin):
            if held is None:
                held = pause
            elif pause.begin <= held.end:
                held = held._replace(end=max(held.end, pause.end))
            else:
                yield held
                held = pause
        if held is not None:
            yield held

    def listed(self, begin: datetime) -> Iterator[Pause]:
        """Yield the same pauses unmerged, each with its reason."""
        once = (pause for pause in self.pauses if begin < pause.end > pause.begin)
        return merge(self._weekly(begin), sorted(once, key=_span), key=_span)

    def _weekly(self, begin: datetime) -> Iterator[Pause]:
        day = begin.astimezone(self.zone).date() - DAY
        while self.days_off:
            if WEEKDAYS[day.weekday()] in self.days_off:
                first, last = (instant(datetime.combine(date, time()), self.zone) for date in (day, day + DAY))
                if begin < last > first:
                    yield Pause(first, last, f"{day:%A} is off")
            day += DAY


def _span(pause: Pause) -> tuple[datetime, datetime]:
    return pause.begin, pause.end


class Night(NamedTuple):
    """The local hours in `zone` in which the holder of `seat` must not have a deadline."""

    begin: time
    end: time
    zone: ZoneInfo
    seat: int | None = None

    def end_if_in(self, at: datetime) -> datetime | None:
        """Return the end of the night that `at` is in; None by day."""
        today = at.astimezone(self.zone).date()
        for day in (today - DAY, today):
            morning = day if self.begin < self.end else day + DAY
            begin = instant(datetime.combine(day, self.begin), self.zone)
            end = instant(datetime.combine(morning, self.end), self.zone)
            if begin <= at < end:
                return end
        return None


def after(begin: datetime, length: Length, calendar: Calendar) -> datetime:
    """Return when `length` of counted time has passed since `begin`.

    Days are calendar days and are counted first; hours are hours.
    """
    zone, at = calendar.zone, begin
    if length.days:
        on_the_wall = (Pause(wall(pause.begin, zone), wall(pause.end, zone)) for pause in calendar.since(begin))
        at = instant(_advance(wall(begin, zone), length.days * DAY, on_the_wall), zone)
    return _advance(at, length.time, calendar.since(at))


def counted(begin: datetime, end: datetime, calendar: Calendar) -> timedelta:
    """Return how much of the time from `begin` to `end` counts."""
    total = max(end - begin, timedelta(0))
    for pause in calendar.since(begin):
        if pause.begin >= end:
            break
        total -= min(pause.end, end) - max(pause.begin, begin)
    return total


def by_day(due: datetime, nights: Collection[Night]) -> datetime:
    """Return the first instant from `due` on that is in none of the nights; `due` itself if they leave none."""
    at = due
    while at - due <= LONGEST_NIGHTS:
        mornings = [end for night in nights if (end := night.end_if_in(at)) is not None]
        if not mornings:
            return at
        at = max(mornings)
    return due


def _advance(at: datetime, left: timedelta, pauses: Iterable[Pause]) -> datetime:
    for pause in pauses:
        if pause.end <= at:
            continue
        running = max(pause.begin - at, timedelta(0))
        if left <= running:
            break
        left -= running
        at = pause.end
    return at + left
