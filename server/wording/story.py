"""The story of a game in sentences: the travel log in parts, and what happened round by round.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server.application.game.story import Leg, Ride, Round
from server.wording.words import TICKET_NAMES, count, pawn_name


def log_in_parts(view: Mapping[str, Any]) -> list[str]:
    """Return the travel log as a line for each part, which ends when Mr. X shows himself."""
    parts: list[list[Mapping[str, Any]]] = [[]]
    for entry in view["log"]:
        parts[-1].append(entry)
        if entry.get("surfaced"):
            parts.append([])
    return [_part(part) for part in parts if part]


def _part(entries: Sequence[Mapping[str, Any]]) -> str:
    first, last = entries[0]["window"], entries[-1]["window"]
    moves = f"Move {first}" if first == last else f"Moves {first} to {last}"
    end = "" if entries[-1].get("surfaced") else "; still unseen"
    return f"{moves}: {'; '.join(map(_entry, entries))}{end}."


def _entry(entry: Mapping[str, Any]) -> str:
    text = TICKET_NAMES[entry["ticket"]]
    if entry["ticket"] == "black" and "transport" in entry:
        text += f" for {TICKET_NAMES.get(entry['transport'], 'the ferry')}"
    if entry["station"] is None:
        return text
    return f"{text} to {entry['station']}{', where he was seen' if entry.get('surfaced') else ''}"


def told(rounds: Iterable[Round]) -> list[str]:
    """Return a line for each round."""
    return [_round(each) for each in rounds]


def _round(each: Round) -> str:
    parts = [f"Mr. X{_from(each.start)} {' and then '.join(map(_leg, each.legs))}"] if each.legs else []
    parts += map(_ride, each.rides)
    is_seen = bool(each.legs) and each.legs[-1].surfaced
    could = "Unseen, he could have been" if is_seen else "By his tickets he could be"
    known = "" if each.possible is None else f" {could} on {count(each.possible, 'station')}."
    return f"Round {each.number}: {'; '.join(parts) or 'nobody could move'}.{known}"


def _from(start: int | None) -> str:
    return "" if start is None else f" from {start}"


def _leg(leg: Leg) -> str:
    ticket = f"with {TICKET_NAMES[leg.ticket]}"
    if leg.station is None:
        return ticket
    by = f" for {TICKET_NAMES.get(leg.transport, 'the ferry')}" if leg.ticket == "black" and leg.transport else ""
    return f"to {leg.station} {ticket}{by}{', where he was seen' if leg.surfaced else ''}"


def _ride(ride: Ride) -> str:
    return f"{pawn_name(ride.pawn)} {ride.start} to {ride.station} with {TICKET_NAMES[ride.ticket]}"
