"""The steps to a deadline in words: whole for whom they are about, less for the others, in anybody's zone.

That a deadline moved on account of somebody's night or absence is everybody's business; whose it was, when it is over,
and where on Earth that is, are not.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from server.durations import parse_duration, parse_length, rfc3339, say_duration, say_length

_FOR_OTHERS = {
    "pause": "somebody it waits for is away",
    "night": "it would have been night for somebody it waits for",
}


class Step(NamedTuple):
    """One step: `kind` is from, given, more, pause, night, due, or none; in `words` `{}` stands for `at`.

    `seat` is the only one who is to read more than that there was such a step.
    """

    kind: str
    words: str
    at: datetime | None = None
    seat: int | None = None

    def stored(self) -> list[Any]:
        """As it is stored, in JSON."""
        return [self.kind, self.words, self.at and self.at.isoformat(), self.seat]


def read_steps(rows: Iterable[list[Any]]) -> list[Step]:
    """Steps as `stored` wrote them."""
    return [Step(kind, words, datetime.fromisoformat(at) if at else None, seat) for kind, words, at, seat in rows]


def explain(steps: Iterable[Step], seat: int | None, say: Callable[[datetime], str]) -> list[str]:
    """The steps as whoever sits on `seat` (None is nobody) may know them; `say` writes a time."""
    lines = [_told(step, say) if step.seat in (None, seat) else _FOR_OTHERS[step.kind] for step in steps]
    return list(dict.fromkeys(lines))


def describe(clock: Mapping[str, Any]) -> str:
    """A clock in a sentence or two, for who is to play by it."""
    parts = [_KINDS[clock["kind"]](clock)]
    zone = clock.get("zone", "UTC")
    if off := clock.get("days_off"):
        parts.append(f"The days off are {', '.join(_DAYS[day] for day in off)}, in {zone}.")
    if grace := parse_duration(clock.get("grace", "PT0S")):
        parts.append(f"Who is late has {say_duration(grace)} of grace.")
    return " ".join(parts)


_DAYS = {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday",
    "sun": "Sunday",
}  # fmt: skip


def _said(text: str) -> str:
    return say_length(parse_length(text))


def _weekly(days: Sequence[str]) -> str:
    return "every day" if len(days) == len(_DAYS) else f"on {', '.join(_DAYS[day] for day in days)}"


_KINDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "per_phase": lambda clock: (
        f"Mr. X has {_said(clock['mr_x'])} for each of his turns, and the detectives together "
        f"have {_said(clock['detectives'])} for theirs."
    ),
    "per_move": lambda clock: (
        f"Mr. X has {_said(clock['mr_x'])} for each of his turns, and each detective has "
        f"{_said(clock['detectives'])} from when his own turn comes."
    ),
    "bank": lambda clock: (
        f"Everybody has {_said(clock['bank'])} for the whole game, and {_said(clock['increment'])} "
        f"more after each of his turns, up to {_said(clock['cap'])}."
    ),
    "schedule": lambda clock: (
        f"Each side has time until {clock['at']} in {clock.get('zone', 'UTC')}, "
        f"{_weekly(clock['days'])}, "
        f"and at least {_said(clock['least'])}."
    ),
    "none": lambda _clock: "There are no deadlines.",
}


def in_zone(zone: str) -> Callable[[datetime], str]:
    """Writes a time as RFC 3339, with what the wall shows in `zone` where that is not UTC."""

    def say(at: datetime) -> str:
        return f"{rfc3339(at)}" + ("" if zone == "UTC" else f" ({at.astimezone(ZoneInfo(zone)):%a %d %b %H:%M} {zone})")

    return say


def _told(step: Step, say: Callable[[datetime], str]) -> str:
    return step.words.format(say(step.at)) if step.at else step.words
