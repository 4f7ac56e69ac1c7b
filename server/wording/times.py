"""Times and deadlines in words, in the reader's time zone."""

from datetime import datetime
from zoneinfo import ZoneInfo


def moment(time: datetime, zone: str) -> str:
    """Return a time with its zone: `Tuesday 24 November, 18:00 in London`, or `… 18:00 UTC`."""
    local = time.astimezone(ZoneInfo(zone))
    told = f"{local:%A} {local.day} {local:%B, %H:%M}"
    return f"{told} UTC" if zone == "UTC" else f"{told} in {_place(zone)}"


def short_moment(time: datetime, zone: str) -> str:
    """Return a time as short as a subject needs it: `Tue 24 Nov 18:00 London`."""
    local = time.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b %H:%M} {_place(zone)}"


def time_of_day(time: datetime, zone: str) -> str:
    """Return a time of today or tomorrow: `18:00 in London`, or `18:00 UTC`."""
    local = time.astimezone(ZoneInfo(zone))
    return f"{local:%H:%M} UTC" if zone == "UTC" else f"{local:%H:%M} in {_place(zone)}"


def short_day(time: datetime, zone: str) -> str:
    """Return the day of a time: `Tue 24 Nov`."""
    local = time.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b}"


def _place(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")
