"""The steps to a deadline, stored as values and shown in words: in full for the player they concern, else in part.

Everybody may know that a deadline moved because of a player's night or absence. Only that player may know whose it
was, when it ends, and in which zone.
"""

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from server.clock.kinds import LENGTHS, gives_under_an_hour
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import parse_duration, parse_length, rfc3339, say_duration, say_length
from server.vocabulary.translation import gettext, gettext_noop, pgettext, pgettext_noop

StoredStep = list[str | int | dict[str, str] | None]  # kind, values (in rows of 0.2.0 a sentence), at, and seat

_WORDS = pgettext_noop("step", {
    "from": "from {at}",
    "mr_x": "Mr. X has {length}",
    "detectives": "the detectives have {length}",
    "each": "each detective has {length}",
    "bank": "{held} in the bank",
    "schedule": "at {time} {zone} {days}, at least {length} later",
    "grace": "grace of {length}",
    "more": "{length} more, {why}",
    "pause": "{pause}, until {at}",
    "night": "{at} is in your night",
    "due": "due {at}",
    "none": "this game has no deadlines",
})  # fmt: skip
_SHORT_DAYS = pgettext_noop("short day", ("mon", "tue", "wed", "thu", "fri", "sat", "sun"))
WEEKDAY_NAMES = pgettext_noop("weekday", {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday",
    "sun": "Sunday",
})  # fmt: skip
OUTAGES = gettext_noop({
    "server": "as the server was out",
    "clock": "as the server's clock was set",
    "mailbox": "as mail could not be read",
    "relay": "as mail could not be sent",
    "restore": "as the server was restored from a backup",
})  # fmt: skip
# The words of codes, by the field that they stand in; 0.2.0 stored the words.
_CODES = gettext_noop({
    "why": {"vote": "by vote", "player": "by the player", "operator": "given by the operator", **OUTAGES},
    "pause": {
        "vote": "paused by vote", "player": "paused by the player", "away": "you are away",
        **{day: f"{name} is off" for day, name in WEEKDAY_NAMES.items()},
    },
    "days": {"all": "every day"},
})  # fmt: skip
_BY_WORDS = {words: code for codes in _CODES.values() for code, words in codes.items()}
_FOR_OTHERS = gettext_noop({
    "pause": "somebody it waits for is away",
    "night": "it would have been night for somebody it waits for",
})  # fmt: skip


class Step(NamedTuple):
    """A step to a deadline: its kind, a key of `_WORDS`, and what stands in its words: `values`, and the time `at`.

    Only the holder of `seat` may read the step; everybody may if it is None.
    """

    kind: str
    values: dict[str, str]
    at: datetime | None = None
    seat: int | None = None

    def stored(self) -> StoredStep:
        """Return the step as it is stored, in JSON."""
        return [self.kind, self.values, None if self.at is None else self.at.isoformat(), self.seat]


def read_steps(rows: Iterable[StoredStep]) -> list[Step]:
    """Return steps from what `Step.stored` returned."""
    return [_read(row) for row in rows]


def _read(row: StoredStep) -> Step:
    kind, values, at, seat = row
    assert isinstance(kind, str)
    assert isinstance(values, str | dict)
    assert isinstance(seat, int | None)
    if isinstance(values, str):
        kind, values = _taken_apart(kind, values)
    return Step(kind, values, datetime.fromisoformat(str(at)) if at else None, seat)


def _taken_apart(kind: str, sentence: str) -> tuple[str, dict[str, str]]:
    """Return the kind and the values of a step of 0.2.0; the sentence is its value if it is unknown."""
    for name in _WORDS if kind == "given" else (kind,):
        form = re.escape(_WORDS[name].replace("{at}", "{}"))
        if match := re.fullmatch(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", form), sentence):
            return name, {field: code_of(words) for field, words in match.groupdict().items()}
    return kind, {"sentence": sentence}


def code_of(words: str) -> str:
    """Return the code or the duration for words that 0.2.0 stored, and a code as it is."""
    units = re.sub(r" (day|hour|minute|second)s?(?: and |$)", lambda unit: unit[1][0].upper(), words)
    if length := re.fullmatch(r"(?=\d)(\d+D)?([\dHMS]*)", units):
        return f"P{length[1] or ''}" + (f"T{length[2]}" if length[2] else "")
    return _BY_WORDS.get(words, words)


def explain(steps: Iterable[Step], seat: int | None, say: Callable[[datetime], str]) -> list[str]:
    """Return the steps as the holder of `seat` (None: a spectator) may know them; `say` writes a time.

    How many nights or absences of others there are is not told, so the line for them stands once.
    """
    lines: list[str] = []
    for step in steps:
        if step.seat in (None, seat):
            lines.append(_told(step, say))
        elif (line := gettext(_FOR_OTHERS[step.kind])) not in lines:
            lines.append(line)
    return lines


def describe(clock: Clock) -> str:
    """Return a clock in a sentence or two, for its players."""
    parts = [_of_kind(clock)]
    if (off := clock.get("days_off")) and not gives_under_an_hour(clock):
        zone = clock.get("zone", "UTC")
        parts.append(gettext("The days off are {days}, in {zone}.", days=_day_names(off), zone=zone))
    if grace := parse_duration(clock.get("grace", "PT0S")):
        parts.append(gettext("A player who is late has {length} of grace.", length=say_duration(grace)))
    if clock.get("detectives_late") == "easy":
        parts.append(
            gettext("The server moves the pawns of late detectives as easy bots do, to where Mr. X was last seen.")
        )
    return " ".join(parts)


def _said(text: str) -> str:
    return say_length(parse_length(text))


def _day_names(days: Iterable[str]) -> str:
    return ", ".join(pgettext("weekday", WEEKDAY_NAMES[day]) for day in days)


def _of_kind(clock: Clock) -> str:
    """Return what a kind of clock gives, with its lengths in words."""
    lengths = {name: _said(str(value)) for name, value in clock.items() if name in LENGTHS}
    time, zone, days = clock.get("at"), clock.get("zone", "UTC"), clock.get("days", ())
    when = gettext("every day") if len(days) == len(WEEKDAY_NAMES) else gettext("on {days}", days=_day_names(days))
    return gettext(_KINDS[clock["kind"]], time=time, zone=zone, days=when, **lengths)


_KINDS = gettext_noop({
    "per_phase":
        "Mr. X has {mr_x} for each of his turns, and the detectives together have {detectives} for theirs.",
    "per_move":
        "Mr. X has {mr_x} for each of his turns, and each detective has {detectives} from when their own turn comes.",
    "bank":
        "Everybody has {bank} for the whole game, and {increment} more after each of their turns, up to {cap}.",
    "schedule": "Each side has time until {time} in {zone}, {days}, and at least {least}.",
    "none": "There are no deadlines.",
})  # fmt: skip


def in_zone(zone: str) -> Callable[[datetime], str]:
    """Return a function that writes a time as RFC 3339, followed by the local time if `zone` is not UTC."""

    def say(at: datetime) -> str:
        return f"{rfc3339(at)}" + ("" if zone == "UTC" else f" ({at.astimezone(ZoneInfo(zone)):%a %d %b %H:%M} {zone})")

    return say


def _told(step: Step, say: Callable[[datetime], str]) -> str:
    at = say(step.at) if step.at else ""
    if sentence := step.values.get("sentence"):
        return sentence.replace("{}", at)
    values = {field: _in_words(field, value) for field, value in step.values.items()}
    return pgettext("step", _WORDS[step.kind], at=at, **values)


def _in_words(field: str, value: str) -> str:
    if field in ("length", "held") and re.match(r"P[T\d]", value):
        return _said(value) if field == "length" else say_duration(parse_duration(value))
    if field == "pause" and value in WEEKDAY_NAMES:
        return gettext("{day} is off", day=_day_names([value]))
    if field == "days" and value != "all":
        return ", ".join(pgettext("short day", day) if day in _SHORT_DAYS else day for day in value.split(", "))
    words = _CODES.get(field, {}).get(value)
    return value if words is None else gettext(words)
