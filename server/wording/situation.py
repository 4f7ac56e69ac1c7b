"""The situation of a game as sentences: what pawns can do, where they are, and how a game ended.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server import engine
from server.engine.tickets import PLAIN
from server.wording.words import TICKET_NAMES, count, join, number, pawn_name

MOST_PLACES = 12  # places of Mr. X that are listed unasked
MOST_STATIONS = 7  # in one line of choices: so many fit without a break


def choices(moves: Sequence[engine.Move], tickets: Mapping[str, int | None]) -> list[str]:
    """Return what one pawn can do: a line for each kind of ticket that it may hold, which ends in words."""
    lines = []
    for ticket in (*PLAIN, "black"):
        if ticket not in tickets:
            continue
        stations = [str(m.station) for m in moves if not m.double and m.legs[0].ticket == ticket]
        left = f"({_left(tickets[ticket])})"
        lines += [
            f"with {TICKET_NAMES[ticket]} to {join(stations[i : i + MOST_STATIONS], 'or')} {left}"
            for i in range(0, len(stations), MOST_STATIONS)
        ] or [f"with {TICKET_NAMES[ticket]} nowhere {left}"]
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


def stand(view: Mapping[str, Any], pawns: Iterable[str]) -> str:
    """Return where detectives are and the tickets they hold: `Red at 46 (10/8/4), Green at 13 (9/8/4, stranded)`."""
    parts = []
    for pawn in pawns:
        facts = view["pawns"][pawn]
        state = f", {facts['state']}" if facts["state"] != "active" else ""
        parts.append(f"{pawn_name(pawn)} at {facts['station']} ({tickets_left(view, pawn)}{state})")
    return ", ".join(parts)


def tickets_left(view: Mapping[str, Any], pawn: str) -> str:
    """Return the taxi, bus and underground tickets that a detective holds: `10/8/4`."""
    return "/".join(str(view["pawns"][pawn]["tickets"][ticket]) for ticket in PLAIN)


def mr_x_holds(view: Mapping[str, Any], is_reader: bool = False) -> str:
    """Return `Mr. X holds 10 taxi, 8 bus and 5 underground tickets, four black tickets and two double moves.`"""
    held = view["pawns"]["mr_x"]["tickets"]
    counted = [f"{held[ticket]} {ticket}" for ticket in PLAIN if held[ticket] is not None]
    unlimited = [ticket for ticket in PLAIN if held[ticket] is None]
    parts = [f"{join(counted)} tickets"] if counted else []
    parts += [f"{join(unlimited)} tickets without limit"] if unlimited else []
    parts += [count(held["black"], "black ticket"), count(held["double"], "double move")]
    return f"{'You hold' if is_reader else 'Mr. X holds'} {join(parts)}."


def travel_log(view: Mapping[str, Any], *, is_over: bool = False) -> str:
    """Return the travel log, move by move."""
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
    """Return where Mr. X can be by the public log; nothing in a game in which players find that out themselves.

    More than `MOST_PLACES` are counted only, unless they are wanted `in_full`: then as a list whose items end in words.
    """
    if not view["options"]["deduction"]:
        return ""
    possible = sorted(engine.deduce(view))
    if in_full and len(possible) > MOST_PLACES:
        groups = [[str(s) for s in possible[i : i + MOST_STATIONS]] for i in range(0, len(possible), MOST_STATIONS)]
        items = "".join(f"\n - {join(some)} ({len(some)} of them)" for some in groups)
        return f"The log allows him {len(possible)} places:{items}"
    if not possible:
        return ""
    if len(possible) > MOST_PLACES:
        return f"The log allows him {len(possible)} places."
    if len(possible) == 1:
        return f"The log allows him one place: station {possible[0]} it is."
    return f"The log allows him {number(len(possible))} places: {join([str(s) for s in possible])}, and no other."


def next_surfacing(view: Mapping[str, Any], is_reader: bool = False) -> str:
    """Return at which move of the travel log Mr. X must show himself next."""
    used = view["log"][-1]["window"] if view["log"] else (view.get("position") or {}).get("log_used", 0)
    coming = [window for window in view["options"]["surfacing"] if window > used]
    who, himself = ("You", "yourself") if is_reader else ("He", "himself")
    if not coming:
        return f"{who} need not show {himself} any more."
    filled = f"{count(used, 'window')} {'is' if used == 1 else 'are'} filled so far"
    return f"{who} must show {himself} on window {coming[0]}; {filled}."


def result(outcome: Mapping[str, Any]) -> str:
    """Return who won, and why."""
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
