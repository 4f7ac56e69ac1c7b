"""The story of a game in sentences: the travel log in parts, and what happened round by round.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Iterable, Sequence

from server.application.game.story import DetectiveMove, Leg, Round
from server.engine import BoardView, LogEntry
from server.vocabulary.words import counted, pawn_name, service, taken, used


def log_in_parts(view: BoardView) -> list[str]:
    """Return the travel log as a line for each part, which ends when Mr. X shows himself."""
    parts: list[list[LogEntry]] = [[]]
    for entry in view["log"]:
        parts[-1].append(entry)
        if entry.get("surfaced"):
            parts.append([])
    return [_part(part) for part in parts if part]


def _part(entries: Sequence[LogEntry]) -> str:
    first, last = entries[0]["window"], entries[-1]["window"]
    is_seen, told = entries[-1].get("surfaced"), "; ".join(map(_entry, entries))
    if first == last:
        return f"Move {first}: {told}." if is_seen else f"Move {first}: {told}; still unseen."
    return f"Moves {first} to {last}: {told}." if is_seen else f"Moves {first} to {last}: {told}; still unseen."


def _entry(entry: LogEntry) -> str:
    text = taken(entry["ticket"])
    if entry["ticket"] == "black" and "transport" in entry:
        text += f" for {service(entry['transport'])}"
    if entry["station"] is None:
        return text
    if entry.get("surfaced"):
        return f"{text} to {entry['station']}, where he was seen"
    return f"{text} to {entry['station']}"


def told(rounds: Iterable[Round]) -> list[str]:
    """Return a line for each round."""
    return [_round(each) for each in rounds]


def _round(each: Round) -> str:
    parts = [f"Mr. X{_from(each.start)} {' and then '.join(map(_leg, each.legs))}"] if each.legs else []
    parts += map(_detective_move, each.moves)
    is_seen = bool(each.legs) and each.legs[-1].surfaced
    told = f"Round {each.number}: {'; '.join(parts)}." if parts else f"Round {each.number}: nobody could move."
    if each.possible is None:
        return told
    stations = counted(each.possible, "one station", "{n} stations")
    if is_seen:
        return f"{told} Unseen, he could have been on {stations}."
    return f"{told} By his tickets he could be on {stations}."


def _from(start: int | None) -> str:
    return "" if start is None else f" from {start}"


def _leg(leg: Leg) -> str:
    ticket = f"with {used(leg.ticket)}"
    if leg.station is None:
        return ticket
    by = f" for {service(leg.transport)}" if leg.ticket == "black" and leg.transport else ""
    if leg.surfaced:
        return f"to {leg.station} {ticket}{by}, where he was seen"
    return f"to {leg.station} {ticket}{by}"


def _detective_move(move: DetectiveMove) -> str:
    return f"{pawn_name(move.pawn)} {move.start} to {move.station} with {used(move.ticket)}"
