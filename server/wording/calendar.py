"""Deadlines as a calendar that programs subscribe to: iCalendar, RFC 5545.

Times are UTC, so no zones are described. `_folded` and `_escaped` are all of the standard that such a feed needs, which
is why no library writes it.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

PRODUCT = "-//Black Ticket//Deadlines//EN"
WIDTH = 75  # bytes of a line, without its end (RFC 5545, 3.1)
EVERY = "PT1H"  # how often a program may ask again


class Entry(NamedTuple):
    """An entry of the calendar: `uid` stays the same when its time moves; `written` is when that was set."""

    uid: str
    title: str
    at: datetime
    written: datetime


def feed(name: str, entries: Iterable[Entry]) -> str:
    """Return the calendar of that name."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:{PRODUCT}",
        "CALSCALE:GREGORIAN",
        f"X-WR-CALNAME:{_escaped(name)}",
        f"NAME:{_escaped(name)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{EVERY}",
        f"X-PUBLISHED-TTL:{EVERY}",
        *(line for entry in entries for line in _lines(entry)),
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _lines(entry: Entry) -> list[str]:
    return [
        "BEGIN:VEVENT",
        f"UID:{_escaped(entry.uid)}",
        f"DTSTAMP:{_utc(entry.written)}",
        f"DTSTART:{_utc(entry.at)}",
        f"SUMMARY:{_escaped(entry.title)}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _utc(time: datetime) -> str:
    return f"{time:%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    """Return a value of the type TEXT (3.3.11), on one line."""
    for letter in ("\\", ";", ","):
        text = text.replace(letter, f"\\{letter}")
    return "\\n".join(text.splitlines())


def _folded(line: str) -> str:
    """Return a line in pieces of at most `WIDTH` bytes, the blank before the later ones included; no letter is cut."""
    pieces, piece = [], ""
    for letter in line:
        if len(f"{piece}{letter}".encode()) > WIDTH:
            pieces.append(piece)
            piece = " "
        piece += letter
    return "\r\n".join([*pieces, piece])
