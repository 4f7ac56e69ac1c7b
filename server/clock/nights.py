"""Nights: the hours in which a player must not have a deadline. They move a deadline, and count as any other time."""

from collections.abc import Collection
from datetime import datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from server.clock.local import instant
from server.vocabulary.durations import DAY

LONGEST_NIGHTS = timedelta(hours=36)  # nights that leave no free moment for longer are ignored


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


def by_day(due: datetime, nights: Collection[Night]) -> datetime:
    """Return the first instant from `due` on that is in none of the nights; `due` itself if they leave none."""
    at = due
    while at - due <= LONGEST_NIGHTS:
        mornings = [end for night in nights if (end := night.end_if_in(at)) is not None]
        if not mornings:
            return at
        at = max(mornings)
    return due
