"""Times and deadlines in words, in the reader's time zone."""

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

from server.clock.explanation import WEEKDAY_NAMES
from server.vocabulary.translation import gettext, pgettext, pgettext_noop

_SHORT_WEEKDAYS = pgettext_noop("short weekday", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
_MONTHS = pgettext_noop("month", (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
))  # fmt: skip
_SHORT_MONTHS = pgettext_noop("short month", (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
))  # fmt: skip
_DAYS = tuple(WEEKDAY_NAMES.values())


def moment(time: datetime, zone: str) -> str:
    """Return a time with its zone: `Tuesday 24 November, 18:00 in London`, or `… 18:00 UTC`."""
    local = time.astimezone(ZoneInfo(zone))
    weekday, month, hour = pgettext("weekday", _DAYS[local.weekday()]), month_name(local), f"{local:%H:%M}"
    return _in(gettext("{weekday} {day} {month}, {time}", weekday=weekday, day=local.day, month=month, time=hour), zone)


def month_name(day: date) -> str:
    """Return the name of the month of a day: `November`."""
    return pgettext("month", _MONTHS[day.month - 1])


def short_moment(time: datetime, zone: str) -> str:
    """Return a time as short as a subject needs it: `Tue 24 Nov 18:00 London`."""
    return f"{short_day(time, zone)} {time.astimezone(ZoneInfo(zone)):%H:%M} {_place(zone)}"


def time_of_day(time: datetime, zone: str) -> str:
    """Return a time of today or tomorrow: `18:00 in London`, or `18:00 UTC`."""
    return _in(f"{time.astimezone(ZoneInfo(zone)):%H:%M}", zone)


def short_day(time: datetime, zone: str) -> str:
    """Return the day of a time: `Tue 24 Nov`."""
    local = time.astimezone(ZoneInfo(zone))
    weekday = pgettext("short weekday", _SHORT_WEEKDAYS[local.weekday()])
    month = pgettext("short month", _SHORT_MONTHS[local.month - 1])
    return pgettext("short", "{weekday} {day} {month}", weekday=weekday, day=local.day, month=month)


def days_typed(text: str) -> str:
    """Return the days of a command, such as `24 Dec to 2 Jan` or `today back Friday`, as its reader would type them."""
    return _IN_COMMANDS.sub(_day_typed, text)


def _day_typed(said: re.Match[str]) -> str:
    day, month, word = said.groups()
    if day:
        return pgettext("typed", "{day} {month}", day=day, month=pgettext("short month", month))
    return pgettext("weekday" if word in _DAYS else "typed", word)


_BETWEEN = pgettext_noop("typed", ("today", "tomorrow", "to", "back"))
_IN_COMMANDS = re.compile(rf"(\d+) ({'|'.join(_SHORT_MONTHS)})\w*|\b({'|'.join((*_DAYS, *_BETWEEN))})\b")


def _in(time: str, zone: str) -> str:
    return f"{time} UTC" if zone == "UTC" else gettext("{time} in {place}", time=time, place=_place(zone))


def _place(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")
