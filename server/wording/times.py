"""Times and deadlines in words, in the reader's time zone."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from server.durations import say_duration


def moment(time: datetime, zone: str) -> str:
    """Return a time with its zone: `Tuesday 24 November, 18:00 in London`, or `… 18:00 UTC`."""
    local = time.astimezone(ZoneInfo(zone))
    return f"{local:%A} {local.day} {local:%B, %H:%M} {'UTC' if zone == 'UTC' else f'in {_place(zone)}'}"


def short_moment(time: datetime, zone: str) -> str:
    """Return a time as short as a subject needs it: `Tue 24 Nov 18:00 London`."""
    local = time.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b %H:%M} {_place(zone)}"


def until(due: datetime, written: datetime, zone: str) -> str:
    """Return a deadline, and how long that is from when the text was `written`: `… (2 days from Sunday 18:00)`."""
    local = written.astimezone(ZoneInfo(zone))
    return f"{moment(due, zone)} ({say_duration(_rounded(due - written))} from {local:%A %H:%M})"


def _rounded(length: timedelta) -> timedelta:
    """Return the nearest length that takes two units to say: two days for some seconds less."""
    step = timedelta(hours=1) if length >= timedelta(days=1) else timedelta(minutes=1)
    if length < timedelta(hours=1):
        step = timedelta(seconds=1)
    return round(length / step) * step


def _place(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")
