"""Pauses: time that does not count, such as days off, absences, and pauses by vote."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from heapq import merge
from typing import NamedTuple
from zoneinfo import ZoneInfo

from server.clock.local import instant, wall
from server.vocabulary.durations import DAY, Length

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Pause(NamedTuple):
    """A time from `begin` to `end` (exclusive) in which no clock runs; `why` is the code of the reason.

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
                    yield Pause(first, last, WEEKDAYS[day.weekday()])
            day += DAY


def _span(pause: Pause) -> tuple[datetime, datetime]:
    return pause.begin, pause.end


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
