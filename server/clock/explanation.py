"""The steps to a deadline in words, in any time zone: in full for the player they concern, in part for the others.

Everybody may know that a deadline moved because of a player's night or absence. Only that player may know whose it
was, when it ends, and in which zone.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from server.clock.kinds import gives_under_an_hour
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import parse_duration, parse_length, rfc3339, say_duration, say_length

StoredStep = list[str | int | None]  # kind, words, at, and seat

_FOR_OTHERS = {
    "pause": "somebody it waits for is away",
    "night": "it would have been night for somebody it waits for",
}


class Step(NamedTuple):
    """A step to a deadline: `kind` is from, given, more, pause, night, due, or none; in `words` `{}` stands for `at`.

    Only the holder of `seat` may read the words of the step; everybody may if it is None.
    """

    kind: str
    words: str
    at: datetime | None = None
    seat: int | None = None

    def stored(self) -> StoredStep:
        """Return the step as it is stored, in JSON."""
        return [self.kind, self.words, None if self.at is None else self.at.isoformat(), self.seat]


def read_steps(rows: Iterable[StoredStep]) -> list[Step]:
    """Return steps from what `Step.stored` returned."""
    return [_read(row) for row in rows]


def _read(row: StoredStep) -> Step:
    kind, words, at, seat = row
    assert isinstance(kind, str)
    assert isinstance(words, str)
    assert not isinstance(seat, str)
    return Step(kind, words, datetime.fromisoformat(str(at)) if at else None, seat)


def explain(steps: Iterable[Step], seat: int | None, say: Callable[[datetime], str]) -> list[str]:
    """Return the steps as the holder of `seat` (None: a spectator) may know them; `say` writes a time.

    How many nights or absences of others there are is not told, so the line for them stands once.
    """
    lines: list[str] = []
    for step in steps:
        if step.seat in (None, seat):
            lines.append(step.words.format(say(step.at)) if step.at else step.words)
        elif (line := _FOR_OTHERS[step.kind]) not in lines:
            lines.append(line)
    return lines


def describe(clock: Clock) -> str:
    """Return a clock in a sentence or two, for its players."""
    parts = [_KINDS[clock["kind"]](clock)]
    zone = clock.get("zone", "UTC")
    if (off := clock.get("days_off")) and not gives_under_an_hour(clock):
        parts.append(f"The days off are {', '.join(_DAYS[day] for day in off)}, in {zone}.")
    if grace := parse_duration(clock.get("grace", "PT0S")):
        parts.append(f"A player who is late has {say_duration(grace)} of grace.")
    if clock.get("detectives_late") == "easy":
        parts.append(_EASY)
    return " ".join(parts)


_EASY = "The server moves the pawns of late detectives as easy bots do, to where Mr. X was last seen."
_DAYS = {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday",
    "sun": "Sunday",
}  # fmt: skip


def _said(text: str) -> str:
    return say_length(parse_length(text))


def _weekly(days: Sequence[str]) -> str:
    return "every day" if len(days) == len(_DAYS) else f"on {', '.join(_DAYS[day] for day in days)}"


_KINDS: dict[str, Callable[[Clock], str]] = {
    "per_phase": lambda clock: (
        f"Mr. X has {_said(clock['mr_x'])} for each of his turns, and the detectives together "
        f"have {_said(clock['detectives'])} for theirs."
    ),
    "per_move": lambda clock: (
        f"Mr. X has {_said(clock['mr_x'])} for each of his turns, and each detective has "
        f"{_said(clock['detectives'])} from when their own turn comes."
    ),
    "bank": lambda clock: (
        f"Everybody has {_said(clock['bank'])} for the whole game, and {_said(clock['increment'])} "
        f"more after each of their turns, up to {_said(clock['cap'])}."
    ),
    "schedule": lambda clock: (
        f"Each side has time until {clock['at']} in {clock.get('zone', 'UTC')}, "
        f"{_weekly(clock['days'])}, "
        f"and at least {_said(clock['least'])}."
    ),
    "none": lambda _clock: "There are no deadlines.",
}


def in_zone(zone: str) -> Callable[[datetime], str]:
    """Return a function that writes a time as RFC 3339, followed by the local time if `zone` is not UTC."""

    def say(at: datetime) -> str:
        return f"{rfc3339(at)}" + ("" if zone == "UTC" else f" ({at.astimezone(ZoneInfo(zone)):%a %d %b %H:%M} {zone})")

    return say
