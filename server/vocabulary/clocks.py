"""The shape of a clock, as games store it and as programs send it."""

from typing import TypedDict


class ClockValues(TypedDict, total=False):
    """The values of clocks: those that every kind has, and those of some, see `KINDS`."""

    zone: str
    days_off: list[str]
    reminders: list[float]
    grace: str
    cover: bool
    open_after: int | None
    detectives_late: str
    mr_x_late: str
    provisional: str
    mr_x: str
    detectives: str
    bank: str
    increment: str
    cap: str
    at: str
    days: list[str]
    least: str


class Clock(ClockValues):
    """A clock as plain data. Games store it as it was chosen; `with_defaults` fills in what every kind has."""

    kind: str
