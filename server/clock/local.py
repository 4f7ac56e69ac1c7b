"""Conversion between instants and wall-clock times of a zone; both ways keep the order of times in summer time too.

When clocks are set back, an hour on the wall comes twice. A time in it means its second occurrence, and during that
occurrence the wall clock is taken to stand still at the end of the hour, so nobody's day is shorter than the wall
clock says. When clocks are set forward, an hour never comes; a time in it means the first instant after the gap.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

SECOND = timedelta(seconds=1)


def wall(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the wall-clock time at the instant `at`, without a zone; it never goes back."""
    local = at.astimezone(zone)
    if not local.fold:
        return local.replace(tzinfo=None)
    back = _offset(local.replace(fold=0)) - _offset(local)
    change = _change(at - back, at, zone)
    return (change - SECOND).astimezone(zone).replace(tzinfo=None) + SECOND


def instant(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant, in UTC, at which the wall clock shows `local`."""
    before, after = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    late = after.astimezone(UTC)
    if _offset(before) < _offset(after):  # the wall clock never shows it
        return _change(late, before.astimezone(UTC), zone)
    return late


def _offset(local: datetime) -> timedelta:
    offset = local.utcoffset()
    assert offset is not None
    return offset


def _change(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """Return the first second after `low` with the offset that holds at `high`."""
    at_the_end = _offset(high.astimezone(zone))
    steps = int((high - low) / SECOND) + 1
    first, last = 0, steps
    while first < last:
        middle = (first + last) // 2
        if _offset((low + middle * SECOND).astimezone(zone)) == at_the_end:
            last = middle
        else:
            first = middle + 1
    return low + first * SECOND
