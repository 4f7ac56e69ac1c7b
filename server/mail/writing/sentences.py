"""Facts of a game as English sentences, for mails read by eye or by ear.

No line of them, nor any part of one after re-wrapping, may read as a command: a list of stations never ends a
paragraph with a bare number, and the word that begins talk by mail is not used.
"""

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from server import engine
from server.application.game.as_of import Happened
from server.application.time.outages import WHYS
from server.durations import parse_duration, say_duration
from server.engine.tickets import PLAIN
from server.mail.reading.normalise import plain

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WITH = {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "black": "a black ticket"}
MOST_PLACES = 12
QUOTED_WIDTH = 50  # with its marks less than the 56 columns of the narrowest mail program
MOST_STATIONS = 7  # in one line of choices: so many fit without a break


def pawn_name(pawn: str) -> str:
    """`Red`, or `Mr. X`."""
    return "Mr. X" if pawn == "mr_x" else pawn.capitalize()


def pawn_names(pawns: Sequence[str]) -> str:
    """`Red and Green`."""
    return join([pawn_name(pawn) for pawn in pawns])


def number(n: int) -> str:
    """Small numbers in words."""
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


def join(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def count(n: int, word: str) -> str:
    """`one ticket`, `two tickets`."""
    return f"{number(n)} {word}{'s' * (n != 1)}"


# Times ----------------------------------------------------------------------------------------


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


def until(due: datetime, written: datetime, zone: str) -> str:
    """Until when there is time, and how long that is from when the mail was written."""
    local = written.astimezone(ZoneInfo(zone))
    return f"{moment(due, zone)}, which is {say_duration(_about(due - written))} from {local:%A %H:%M}"


def _about(length: timedelta) -> timedelta:
    """The nearest length that two units say: what is some seconds short of two days is told as two days."""
    step = timedelta(hours=1) if length >= timedelta(days=1) else timedelta(minutes=1)
    if length < timedelta(hours=1):
        step = timedelta(seconds=1)
    return round(length / step) * step


def _place(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")


# Words of others ------------------------------------------------------------------------------


def quoted(words: str) -> str:
    """What a person chose, such as a name, between quotation marks.

    A mail program may break a line within it. The marks keep its pieces from reading as commands, but for one that
    begins with the word for talk; that word gets an apostrophe.
    """
    first, *rest = words.split(" ")
    return '"' + " ".join([first, *(f"'{word}" if _TALK.match(plain(word)) else word for word in rest)]) + '"'


def quoted_lines(words: str) -> str:
    """The same for what may be longer than a line: each line has marks of its own, so short that none is broken."""
    # Letters of the East take two columns each.
    is_wide = any(unicodedata.east_asian_width(letter) in "FW" for letter in words)
    return "\n".join(map(quoted, textwrap.wrap(words, QUOTED_WIDTH // 2 if is_wide else QUOTED_WIDTH)))


def reason(sentence: str) -> str:
    """A sentence of the rules or the use cases on why something is not done, fit to stand in the middle of a mail."""
    return _TALK.sub(lambda word: "Tell" if word[0][0].isupper() else "tell", sentence)


_TALK = re.compile(r"(?<!\")\bsay\b", re.IGNORECASE)


# What happened --------------------------------------------------------------------------------


def since(events: Iterable[Happened], reader: Sequence[str], *, has_moved: bool) -> str:
    """What happened since the reader's last move, or since the start if he has made none. `reader`: his pawns."""
    told = happenings(events, reader)
    if not told:
        return "Nothing has happened since your last move." if has_moved else "Nothing has happened yet."
    return ("Since your last move: " if has_moved else "So far: ") + " ".join(told)


def happenings(events: Iterable[Happened], reader: Sequence[str]) -> list[str]:
    """A sentence for each of these events that needs telling, in their order."""
    events = list(events)
    told = [text for is_house, group in groupby(events, _by_house) for text in _told(is_house, list(group), reader)]
    return told + _offers(events)


def _offers(events: Iterable[Happened]) -> list[str]:
    """What of all that was said of a draw still stands: who would have one, or that nobody would any more."""
    said: dict[str, bool] = {}
    for event in events:
        if event.kind == "ended":
            said.clear()
        elif event.kind == "draw":
            said[pawn_names(event.data["pawns"])] = event.data["agrees"]
        elif event.kind in ("substituted", "resigned"):
            said.pop(pawn_names(event.data["pawns"]), None)
    if not said:
        return []
    who = [pawns for pawns, agrees in said.items() if agrees]
    return [f"{join(who) if who else 'Nobody'} would end the game in a draw that all agree on."]


def _by_house(event: Happened) -> bool:
    return event.kind == "moved" and event.data["by"] == "house"


def _told(is_house: bool, events: Sequence[Happened], reader: Sequence[str]) -> list[str]:
    """Sentences about events; moves of the house make one together, and what needs no telling none."""
    if is_house:
        moves = ", ".join(_went(event.data, "") for event in events)
        return [f"The time ran out, and the house moved {moves}."]
    return [text for event in events if (text := _happening(event, reader))]


def _happening(event: Happened, reader: Sequence[str]) -> str | None:
    """What an event was, as everybody may know it; None where it needs no telling."""
    if event.kind == "granted":
        late = "You let your time run out and were" if "mr_x" in reader else "Mr. X let his time run out and was"
        return f"{late} given one more turn."
    tell = _HAPPENINGS.get(event.kind)
    return tell(event.data) if tell else None


_HAPPENINGS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "moved": lambda data: f"{_moved(data)}.",
    "host": lambda data: f"Whoever plays {pawn_names(data['pawns'])} became the host.",
    "extended": lambda data: (
        f"Whoever runs this server gave {say_duration(parse_duration(data['by']))} more for this half of the round."
    ),
    "bounced": lambda data: f"Mails to {pawn_names(data['pawns'])} do not arrive any more.",
    "reached": lambda data: f"Mails to {pawn_names(data['pawns'])} arrive again.",
    "late": lambda data: f"The time of {pawn_names(data['pawns'])} was up, and there was grace.",
    "postponed": lambda _: "The deadline moved, as somebody it waits for is away or asleep.",
    "decided": lambda data: _decided(data) if data["what"] != "claim" else "",
    "outage": lambda data: f"The deadline moved by {say_duration(parse_duration(data['by']))}, {WHYS[data['cause']]}.",
    "corrected": lambda _: "The server's clock had been wrong by days, so what it had begun began anew.",
    "intruded": lambda data: (
        f"A mail from the address of another player came to the reply address of {pawn_names(data['pawns'])}, "
        "and was not obeyed."
    ),
    "offered": lambda data: f"The seat of {pawn_names(data['pawns'])} may be taken by somebody else.",
    "reinstated": lambda _: "The game had ended; whoever runs this server withdrew the result, and it goes on.",
    "repaired": lambda _: "A fault of the server had left the game in disorder; the operator repaired it.",
    "substituted": lambda data: f"The seat of {pawn_names(data['pawns'])} changed hands.",
    "unsealed": lambda data: f"Whoever runs this server looked into {data['looked_at']}, though it was sealed.",
}


def _decided(data: Mapping[str, Any]) -> str:
    if data.get("lapsed"):
        return f"The vote to {motion(data)} has lapsed, as that was over first."
    return f"It was voted {'' if data['carried'] else 'not '}to {motion(data)}."


def motion(wish: Mapping[str, Any]) -> str:
    """What a vote is about, after "to"."""
    match wish["what"]:
        case "pause":
            return f"pause the game for at most {say_duration(parse_duration(wish['length']))}"
        case "extend":
            return f"give {say_duration(parse_duration(wish['length']))} more for this deadline"
        case "resume":
            return "go on with the game that is paused"
        case "clock":
            return "play by another clock from now on"
    return "claim the game"


def _moved(data: Mapping[str, Any]) -> str:
    return f"A colleague moved {_went(data, '')}" if data["by"] == "cover" else _went(data, "went ")


def _went(data: Mapping[str, Any], verb: str) -> str:
    words = data["notation"].split()
    if data["pawn"] == "mr_x":
        text = _mr_x_moved(words)
    else:
        text = f"{pawn_name(data['pawn'])} {verb}to {words[2]} with {_WITH[words[1]]}"
    for pawn in data["passed_over"]:
        text += f"; {pawn_name(pawn)} could not move and was passed over"
    return text


def _mr_x_moved(words: list[str]) -> str:
    surfaced, _, taken = " ".join(words).partition(" surface")
    words = surfaced.split()
    double = words[0] == "double"
    legs = [_leg(words[i], words[i + 1]) for i in range(1 if double else 0, len(words), 2)]
    text = f"Mr. X made a double move, first {legs[0]}, then {legs[1]}" if double else f"Mr. X moved {legs[0]}"
    if taken:
        tickets = [f"{pawn_name(pawn)}'s {ticket}" for pawn, ticket in (w.split(":") for w in taken.split())]
        text += f"; he showed himself of his own will and took {join(tickets)} ticket{'s'[: len(tickets) > 1]}"
    return text


def _leg(ticket: str, station: str) -> str:
    return f"with {_WITH[ticket]}" + (f" to {station}, where he was seen" if station != "?" else "")


# What can be done -----------------------------------------------------------------------------


def choices(moves: Sequence[engine.Move], tickets: Mapping[str, int | None]) -> list[str]:
    """What one pawn can do, a line for each kind of ticket it may hold. Each line ends in words."""
    lines = []
    for ticket in (*PLAIN, "black"):
        if ticket not in tickets:
            continue
        stations = [str(m.station) for m in moves if not m.double and m.legs[0].ticket == ticket]
        left = f"({_left(tickets[ticket])})"
        lines += [
            f"with {_WITH[ticket]} to {join(stations[i : i + MOST_STATIONS], 'or')} {left}"
            for i in range(0, len(stations), MOST_STATIONS)
        ] or [f"with {_WITH[ticket]} nowhere {left}"]
    if any(move.double for move in moves):
        lines.append(f"with a double move, two of such moves at once ({_left(tickets['double'])})")
    return lines


def _left(held: int | None) -> str:
    return "no limit" if held is None else f"{held or 'none'} left"


STATES = {
    "active": "has no move to make now",
    "blocked": "is hemmed in: every station it could reach is taken",
    "stranded": "is stranded: it holds no ticket for any line there",
}


# Where all are --------------------------------------------------------------------------------


def stand(view: Mapping[str, Any], pawns: Iterable[str]) -> str:
    """Where detectives are and what they hold."""
    parts = []
    for pawn in pawns:
        facts = view["pawns"][pawn]
        held = "/".join(str(facts["tickets"][ticket]) for ticket in PLAIN)
        state = f", {facts['state']}" if facts["state"] != "active" else ""
        parts.append(f"{pawn_name(pawn)} at {facts['station']} ({held}{state})")
    return ", ".join(parts)


def mr_x_holds(view: Mapping[str, Any], is_reader: bool = False) -> str:
    """`Mr. X holds 10 taxi, 8 bus and 5 underground tickets, four black tickets and two double moves.`"""
    held = view["pawns"]["mr_x"]["tickets"]
    counted = [f"{held[ticket]} {ticket}" for ticket in PLAIN if held[ticket] is not None]
    unlimited = [ticket for ticket in PLAIN if held[ticket] is None]
    parts = [f"{join(counted)} tickets"] if counted else []
    parts += [f"{join(unlimited)} tickets without limit"] if unlimited else []
    parts += [count(held["black"], "black ticket"), count(held["double"], "double move")]
    return f"{'You hold' if is_reader else 'Mr. X holds'} {join(parts)}."


def travel_log(view: Mapping[str, Any], *, is_over: bool = False) -> str:
    """The travel log, window by window."""
    if not view["log"]:
        return "The travel log is empty."
    rest = "and that is all" if is_over else "and no more so far"
    return f"The travel log, window by window: {'; '.join(map(_window, view['log']))}; {rest}."


def _window(entry: Mapping[str, Any]) -> str:
    text = f"{entry['window']} {entry['ticket']}"
    if entry["station"] is not None:
        text += f" to {entry['station']}"
    if entry["ticket"] == "black" and "transport" in entry:
        text += f" by {entry['transport']}"
    if entry.get("surfaced"):
        text += " (seen)"
    return text


def places(view: Mapping[str, Any], *, in_full: bool = False) -> str:
    """Where Mr. X can be, as the public log tells; nothing in a game in which everybody is to find out himself.

    Many places are only counted, or listed if they are wanted `in_full`: some to an item, each of which ends in words.
    """
    if not view["options"]["deduction"]:
        return ""
    possible = sorted(engine.deduce(view))
    if in_full and len(possible) > MOST_PLACES:
        told = [[str(s) for s in possible[i : i + MOST_STATIONS]] for i in range(0, len(possible), MOST_STATIONS)]
        items = "".join(f"\n - {join(some)} ({len(some)} of them)" for some in told)
        return f"The log allows him {len(possible)} places:{items}"
    if not possible:
        return ""
    if len(possible) > MOST_PLACES:
        return f"The log allows him {len(possible)} places."
    if len(possible) == 1:
        return f"The log allows him one place: station {possible[0]} it is."
    return f"The log allows him {number(len(possible))} places: {join([str(s) for s in possible])}, and no other."


def next_surfacing(view: Mapping[str, Any], is_reader: bool = False) -> str:
    """On which window Mr. X must show himself next."""
    used = view["log"][-1]["window"] if view["log"] else (view.get("position") or {}).get("log_used", 0)
    coming = [window for window in view["options"]["surfacing"] if window > used]
    who, himself = ("You", "yourself") if is_reader else ("He", "himself")
    if not coming:
        return f"{who} need not show {himself} any more."
    filled = f"{count(used, 'window')} {'is' if used == 1 else 'are'} filled so far"
    return f"{who} must show {himself} on window {coming[0]}; {filled}."


# The end --------------------------------------------------------------------------------------


def result(outcome: Mapping[str, Any]) -> str:
    """Who won, and why."""
    why = _REASONS.get(outcome["reason"], outcome["reason"])
    if outcome["winner"] == "draw":
        return f"The game is a draw: {why}."
    who = "Mr. X has" if outcome["winner"] == "mr_x" else "The detectives have"
    return f"{who} won: {why}."


_REASONS = {
    "captured": "Mr. X was caught",
    "log_full": "the travel log is full, and Mr. X was not caught",
    "rounds_over": "the last round is over, and Mr. X was not caught",
    "detectives_stranded": "no detective can move any more",
    "mr_x_trapped": "Mr. X could not move",
    "both_stuck": "neither side can move any more",
    "out_of_time": "Mr. X let his time run out more than once",
    "abandoned": "nothing has happened for months",
    "expired": "it did not begin",
    "resigned": "the other side gave the game up",
    "agreed": "everybody at the table has agreed on it",
    "voided": "whoever runs this server has ended it",
}
