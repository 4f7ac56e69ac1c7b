"""Facts of a game as English sentences, for mails read by eye or by ear.

No line of them, nor any part of one after re-wrapping, may read as a command: a list of stations never ends a
paragraph with a bare number.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from server import engine
from server.models import Event

PLAIN = ("taxi", "bus", "underground")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WITH = {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "black": "a black ticket"}
MOST_PLACES = 12


def pawn_name(pawn: str) -> str:
    """`Red`, or `Mr. X`."""
    return "Mr. X" if pawn == "mr_x" else pawn.capitalize()


def number(n: int) -> str:
    """Small numbers in words."""
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


def join(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def moment(time: datetime, zone: str) -> str:
    """An absolute time with its zone: `Tuesday 24 November 2026, 18:00 in London (18:00 UTC)`."""
    local = time.astimezone(ZoneInfo(zone))
    text = f"{local:%A} {local.day} {local:%B %Y, %H:%M}"
    if zone == "UTC":
        return f"{text} UTC"
    return f"{text} in {_place(zone)} ({time:%H:%M} UTC)"


def short_moment(time: datetime, zone: str) -> str:
    """The same for a subject: `Tue 24 Nov 18:00 London`."""
    local = time.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b %H:%M} {_place(zone)}"


def _place(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")


def happening(event: Event) -> str | None:
    """What an event was, as everybody may know it; None for what needs no telling."""
    if event.kind == "moved":
        return _moved(event.data)
    if event.kind == "granted":
        return "Mr. X let his time run out and was given one more turn."
    if event.kind == "reinstated":
        return "The game was taken up again by the host's operator."
    return None


def _moved(data: Mapping[str, Any]) -> str:
    words = data["notation"].split()
    if data["pawn"] == "mr_x":
        text = _mr_x_moved(words)
    else:
        text = f"{pawn_name(data['pawn'])} went to {words[2]} with {_WITH[words[1]]}"
        if data["by"] == "house":
            text += " (moved by the house, as the time had run out)"
    for pawn in data["passed_over"]:
        text += f"; {pawn_name(pawn)} could not move and was passed over"
    return text + "."


def _mr_x_moved(words: list[str]) -> str:
    surfaced, _, taken = " ".join(words).partition(" surface")
    words = surfaced.split()
    double = words[0] == "double"
    legs = [_leg(words[i], words[i + 1]) for i in range(1 if double else 0, len(words), 2)]
    text = f"Mr. X made a double move: {legs[0]}, then {legs[1]}" if double else f"Mr. X took {legs[0]}"
    if taken:
        tickets = [f"{pawn_name(pawn)}'s {ticket}" for pawn, ticket in (w.split(":") for w in taken.split())]
        text += f"; he showed himself of his own will and took {join(tickets)} ticket{'s'[: len(tickets) > 1]}"
    return text


def _leg(ticket: str, station: str) -> str:
    return _WITH[ticket] + (f" and showed himself at {station}" if station != "?" else "")


def since(events: Iterable[Event]) -> str:
    """What happened, in one paragraph."""
    told = [text for event in events if (text := happening(event))]
    return " ".join(told) or "Nothing has happened yet."


def choices(moves: Sequence[engine.Move], tickets: Mapping[str, int | None]) -> list[str]:
    """The single moves of one pawn, a line for each ticket. Each line ends in words."""
    lines = []
    for ticket in (*PLAIN, "black"):
        stations = [str(m.station) for m in moves if not m.double and m.legs[0].ticket == ticket]
        if stations:
            held = tickets[ticket]
            left = "as many as you like" if held is None else f"{held} left"
            lines.append(f"with {_WITH[ticket]} to {join(stations, 'or')} (tickets: {left})")
    return lines


def stand(view: Mapping[str, Any], pawns: Iterable[str]) -> str:
    """Where detectives are and what they hold."""
    parts = []
    for pawn in pawns:
        facts = view["pawns"][pawn]
        held = "/".join(str(facts["tickets"][ticket]) for ticket in PLAIN)
        state = f", {facts['state']}" if facts["state"] != "active" else ""
        parts.append(f"{pawn_name(pawn)} at {facts['station']} ({held}{state})")
    return ", ".join(parts)


def mr_x_holds(view: Mapping[str, Any]) -> str:
    """`10/8/5, four black tickets and two double moves`."""
    held = view["pawns"]["mr_x"]["tickets"]
    plain = "/".join("any" if held[ticket] is None else str(held[ticket]) for ticket in PLAIN)
    black, double = held["black"], held["double"]
    return (
        f"{plain}, {number(black)} black ticket{'s' * (black != 1)} "
        f"and {number(double)} double move{'s' * (double != 1)}"
    )


def travel_log(view: Mapping[str, Any]) -> str:
    """The travel log, window by window."""
    if not view["log"]:
        return "The travel log is empty."
    windows = []
    for entry in view["log"]:
        text = f"{entry['window']} {entry['ticket']}"
        if entry["station"] is not None:
            text += f" to {entry['station']}"
        if entry.get("surfaced"):
            text += " (seen)"
        windows.append(text)
    return f"The travel log, window by window: {'; '.join(windows)}; and no more so far."


def places(view: Mapping[str, Any]) -> str:
    """Where Mr. X can be, as the public log tells."""
    possible = sorted(engine.deduce(view))
    if not possible:
        return ""
    if len(possible) > MOST_PLACES:
        return f"The log allows him {len(possible)} places."
    if len(possible) == 1:
        return f"The log allows him one place: station {possible[0]} it is."
    return f"The log allows him {number(len(possible))} places: {join([str(s) for s in possible])}, and no other."


def next_surfacing(view: Mapping[str, Any]) -> str:
    """On which window he must show himself next."""
    used = len(view["log"])
    coming = [window for window in view["options"]["surfacing"] if window > used]
    return f"He must show himself on window {coming[0]} (windows filled so far: {used})." if coming else ""


def result(outcome: Mapping[str, Any]) -> str:
    """Who won, and why."""
    if outcome["winner"] == "draw":
        return f"The game is a draw: {_REASONS.get(outcome['reason'], outcome['reason'])}."
    who = "Mr. X has" if outcome["winner"] == "mr_x" else "The detectives have"
    return f"{who} won: {_REASONS.get(outcome['reason'], outcome['reason'])}."


_REASONS = {
    "captured": "a detective moved onto Mr. X's station",
    "onto_detective": "Mr. X moved onto a detective",
    "log_full": "the travel log is full, and he was not caught",
    "rounds_over": "the last round is over, and he was not caught",
    "detectives_stranded": "no detective can move any more",
    "mr_x_trapped": "Mr. X could not move",
    "both_stuck": "neither side can move any more",
    "out_of_time": "Mr. X let his time run out twice",
}
