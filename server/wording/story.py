"""The story of a game in sentences: the travel log in parts, and what happened round by round.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

from server.application.game.story import DetectiveMove, Leg, Round
from server.engine import BoardView, LogEntry
from server.vocabulary.translation import gettext, npgettext, pgettext
from server.vocabulary.words import logged, number, pawn_name, service, used


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
    if not is_seen:
        told = gettext("{told}; still unseen", told=told)
    if first == last:
        return gettext("Move {n}: {told}.", n=first, told=told)
    return gettext("Moves {first} to {last}: {told}.", first=first, last=last, told=told)


def _entry(entry: LogEntry) -> str:
    text = logged(entry["ticket"])
    if entry["ticket"] == "black" and "transport" in entry:
        text = pgettext("took", "{ticket} for {transport}", ticket=text, transport=service(entry["transport"]))
    if entry["station"] is None:
        return text
    if entry.get("surfaced"):
        return pgettext("took", "{ticket} to {station}, where he was seen", ticket=text, station=entry["station"])
    return pgettext("took", "{ticket} to {station}", ticket=text, station=entry["station"])


def told(rounds: Iterable[Round]) -> list[str]:
    """Return a line for each round."""
    return [_round(each) for each in rounds]


def _round(each: Round) -> str:
    parts = [_mr_x(each.start, each.legs)] if each.legs else []
    parts += map(_detective_move, each.moves)
    is_seen = bool(each.legs) and each.legs[-1].surfaced
    told = gettext(
        "Round {n}: {told}." if parts else "Round {n}: nobody could move.", n=each.number, told="; ".join(parts)
    )
    if each.possible is None:
        return told
    stations = npgettext("on", "one station", "{n} stations", each.possible, n=number(each.possible))
    if is_seen:
        return gettext("{told} Unseen, he could have been on {stations}.", told=told, stations=stations)
    return gettext("{told} By his tickets he could be on {stations}.", told=told, stations=stations)


def _mr_x(start: int | None, legs: Sequence[Leg]) -> str:
    """Return how Mr. X moved in a round; in a double move he has two legs."""
    ways = reduce(lambda first, second: pgettext("story", "{first} and then {second}", first=first, second=second),
                  map(_leg, legs))  # fmt: skip
    return gettext("Mr. X {ways}" if start is None else "Mr. X from {start} {ways}", start=start, ways=ways)


def _leg(leg: Leg) -> str:
    ticket = pgettext("story", "with {ticket}", ticket=used(leg.ticket))
    if leg.ticket == "black" and leg.transport and leg.station is not None:
        ticket = pgettext("story", "{ticket} for {transport}", ticket=ticket, transport=service(leg.transport))
    if leg.station is None:
        return ticket
    if leg.surfaced:
        return pgettext("story", "to {station} {ticket}, where he was seen", station=leg.station, ticket=ticket)
    return pgettext("story", "to {station} {ticket}", station=leg.station, ticket=ticket)


def _detective_move(move: DetectiveMove) -> str:
    return pgettext(
        "story", "{pawn} {start} to {station} with {ticket}",
        pawn=pawn_name(move.pawn), start=move.start, station=move.station, ticket=used(move.ticket),
    )  # fmt: skip
