"""Times and lengths of time as text: RFC 3339, and durations such as `P2D` and `PT10M`."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple, overload

from server.vocabulary.translation import gettext, ngettext
from server.vocabulary.words import join, quoted

DAY = timedelta(days=1)
_FORM = re.compile(
    "P(?=[0-9T])(?:(?P<weeks>[0-9]{1,6})W)?(?:(?P<days>[0-9]{1,6})D)?"
    "(?:T(?=[0-9])(?:(?P<hours>[0-9]{1,6})H)?(?:(?P<minutes>[0-9]{1,6})M)?(?:(?P<seconds>[0-9]{1,9})S)?)?"
)
PATTERN = re.sub(r"\?P<\w+>", "", _FORM.pattern)  # without the names of its groups, which not every language knows
_UNITS: Mapping[int, Callable[[int], str]] = {  # each in seconds
    86_400: lambda n: ngettext("{n} day", "{n} days", n),
    3_600: lambda n: ngettext("{n} hour", "{n} hours", n),
    60: lambda n: ngettext("{n} minute", "{n} minutes", n),
    1: lambda n: ngettext("{n} second", "{n} seconds", n),
}


@overload
def rfc3339(time: datetime) -> str: ...
@overload
def rfc3339(time: None) -> None: ...
@overload
def rfc3339(time: datetime | None) -> str | None: ...
def rfc3339(time: datetime | None) -> str | None:
    """Return `time`, which is in UTC, in the one form used everywhere, rounded down to the second."""
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_until(moment: datetime, now: datetime) -> int:
    """Return the whole seconds from `now` to `moment`, at least one, for a Retry-After."""
    return max(1, int((moment - now).total_seconds()) + 1)


class Length(NamedTuple):
    """A length of time as people mean it: whole calendar days, and a time of hours and less."""

    days: int
    time: timedelta


def parse_length(text: object) -> Length:
    """Return the length of `text`; ValueError with a sentence if it is no duration.

    Months and years are not accepted: their length depends on when one begins.
    """
    match = _FORM.fullmatch(text) if isinstance(text, str) else None
    given = {unit: int(n) for unit, n in match.groupdict().items() if n} if match else {}
    if not given:
        raise ValueError(
            gettext("{text} is not a duration; write P2D for two days or PT10M for ten minutes", text=quoted(text))
        )
    days = given.pop("days", 0) + 7 * given.pop("weeks", 0)
    return Length(days, timedelta(**given))


def parse_duration(text: object) -> timedelta:
    """Return the length of `text` with days of 24 hours."""
    length = parse_length(text)
    return timedelta(days=length.days) + length.time


def format_duration(length: timedelta) -> str:
    """Return `length` in whole seconds as an ISO 8601 duration."""
    seconds = int(length.total_seconds())
    days, seconds = divmod(seconds, 86_400)
    hours, seconds = divmod(seconds, 3_600)
    minutes, seconds = divmod(seconds, 60)
    time = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M"), (seconds, "S")) if n)
    text = "P" + (f"{days}D" if days else "") + (f"T{time}" if time else "")
    return text if text != "P" else "PT0S"


def say_length(length: Length) -> str:
    """Return `length` in words: `2 days` for calendar days, `48 hours` for hours."""
    hours, rest = divmod(int(length.time.total_seconds()), 3_600)
    days = _UNITS[86_400](length.days) if length.days else ""
    time = _UNITS[3_600](hours) if hours and not rest else ""
    time = time or (say_duration(length.time) if rest or not days else "")
    return join([part for part in (days, time) if part])


def say_duration(length: timedelta) -> str:
    """Return `length` in words, in its two largest units: `2 days`, `1 hour and 30 minutes`."""
    rest = max(0, int(length.total_seconds()))
    parts = []
    for size, in_words in _UNITS.items():
        n, rest = divmod(rest, size)
        if n:
            parts.append(in_words(n))
    return join(parts[:2]) if parts else _UNITS[1](0)
