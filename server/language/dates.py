"""Days as people write them: `24 Dec`, `24.12.`, `2026-12-24`, `Monday`, `tomorrow`. None has two readings."""

import re
from datetime import date, timedelta

from server.vocabulary.errors import Problem, refusal

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# The units of lengths of time in commands, by the letters of ISO 8601.
UNITS = {"M": "minute", "H": "hour", "D": "day", "W": "week"}
_FROM = re.compile("^from ", re.IGNORECASE)
_MARKS = str.maketrans(",.", "  ")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.?(?:\d{4})?")
_ENDING = re.compile("(?:st|nd|rd|th)$")
_BETWEEN = re.compile(r",? (?:to|until|till|-) ", re.IGNORECASE)
_BACK = re.compile(r",? back(?: on)? ", re.IGNORECASE)  # before the first day that is none of them
_BEGUN = timedelta(days=60)  # a span without a year that began within this time goes on


def span(text: str, today: date) -> tuple[date, date]:
    """Return the first and the last day of `24 Dec to 2 Jan`, or one day twice if only one is named.

    `today back 2 Jan` ends on the day before. A span that has begun begins today.

    Raises:
        Problem: `form`, when the text is no span.
    """
    first, *rest = _BETWEEN.split(_FROM.sub("", text.strip()))
    if not rest and (found := _BACK.split(first))[1:]:
        begin = day(found[0], today)
        return begin, max(begin, day(found[-1], begin) - timedelta(days=1))
    if len(rest) > 1:
        raise _unreadable(text)
    begin = day(first, today)
    if not rest:
        return begin, begin
    earlier = day(first, today - _BEGUN)
    if earlier < today <= (end := day(rest[0], earlier)):
        return today, end
    return begin, day(rest[0], begin)


def day(text: str, since: date) -> date:
    """Return the day that is named; without a year, the first such day from `since` on."""
    words = text.lower().translate(_MARKS).split()
    if words in (["today"], ["now"]):
        return since
    if words == ["tomorrow"]:
        return since + timedelta(days=1)
    if len(words) == 1 and words[0][:3] in _WEEKDAYS and not words[0][-1:].isdigit():
        return since + timedelta(days=(_WEEKDAYS.index(words[0][:3]) - since.weekday()) % 7)
    if found := _ISO.fullmatch(text.strip()):
        return _date(int(found[1]), int(found[2]), int(found[3]), text)
    if _DOTTED.fullmatch(text.strip()):
        numbers = [int(word) for word in words]
        return _next(numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else None, since, text)
    return _with_a_month(words, since, text)


def _with_a_month(words: list[str], since: date, text: str) -> date:
    """Return the day of `24 Dec`, `Dec 24th`, `Thu 24 Dec 2026`."""
    named = [word for word in words if word[:3] not in _WEEKDAYS]
    months = [_MONTHS.index(word[:3]) + 1 for word in named if word[:3] in _MONTHS]
    numbers = [_ENDING.sub("", word) for word in named if word[:3] not in _MONTHS]
    if len(months) != 1 or not 1 <= len(numbers) <= 2 or not all(number.isdecimal() for number in numbers):
        raise _unreadable(text)
    return _next(int(numbers[0]), months[0], int(numbers[1]) if len(numbers) > 1 else None, since, text)


def _next(day: int, month: int, year: int | None, since: date, text: str) -> date:
    if year is not None:
        return _date(year, month, day, text)
    for coming in range(since.year, since.year + 9):  # a leap day may be eight years off
        try:
            found = date(coming, month, day)
        except ValueError:
            continue
        if found >= since:
            return found
    raise _unreadable(text)


def _date(year: int, month: int, day: int, text: str) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise _unreadable(text) from None


def _unreadable(text: str) -> Problem:
    return refusal(
        "form", '"{text}" is no day that can be read for certain; write one such as 24 Dec or 2026-12-24.', text=text
    )
