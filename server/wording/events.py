"""Events of a game as sentences.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from server.application.decisions.draft import PublicEvent
from server.application.decisions.outages import WHYS
from server.durations import parse_duration, say_duration
from server.wording.words import TICKET_NAMES, join, pawn_name, pawn_names


def since(events: Iterable[PublicEvent], reader: Sequence[str], *, has_moved: bool) -> str:
    """Return what happened since the last move of the reader, who has the pawns `reader`.

    Without a move of theirs (`has_moved`) the events are those since the start.
    """
    sentences = happenings(events, reader)
    if not sentences:
        return "Nothing has happened since your last move." if has_moved else "Nothing has happened yet."
    return ("Since your last move: " if has_moved else "So far: ") + " ".join(sentences)


def happenings(events: Iterable[PublicEvent], reader: Sequence[str]) -> list[str]:
    """Return a sentence for each event worth telling, in their order; last what stands of draws."""
    events = list(events)
    groups = groupby(events, _is_by_server)
    return [text for is_by_server, group in groups for text in _sentences(is_by_server, list(group), reader)] + _offers(
        events
    )


def _offers(events: Iterable[PublicEvent]) -> list[str]:
    """Return which offers of a draw still stand: who agrees to one, or that nobody does any more."""
    offers: dict[str, bool] = {}
    for event in events:
        if event.kind == "ended":
            offers.clear()
        elif event.kind == "draw":
            offers[pawn_names(event.data["pawns"])] = event.data["agrees"]
        elif event.kind in ("substituted", "resigned"):
            offers.pop(pawn_names(event.data["pawns"]), None)
    if not offers:
        return []
    agreeing = [pawns for pawns, agrees in offers.items() if agrees]
    return [f"{join(agreeing) if agreeing else 'Nobody'} would end the game in a draw that all agree on."]


def _is_by_server(event: PublicEvent) -> bool:
    return event.kind == "moved" and event.data["by"] == "house"


def _sentences(is_by_server: bool, events: Sequence[PublicEvent], reader: Sequence[str]) -> list[str]:
    """Return sentences about events; moves that the server made in a row, for players out of time, are one."""
    if is_by_server:
        moves = ", ".join(_went(event.data, "") for event in events)
        return [f"The time ran out, and the house moved {moves}."]
    return [text for event in events if (text := _sentence(event, reader))]


def _sentence(event: PublicEvent, reader: Sequence[str]) -> str | None:
    """Return what an event was, as everybody may know it; None where it is not worth telling."""
    if event.kind == "granted":
        late = "You let your time run out and were" if "mr_x" in reader else "Mr. X let his time run out and was"
        return f"{late} given one more turn."
    describe = _SENTENCES.get(event.kind)
    return describe(event.data) if describe else None


_SENTENCES: dict[str, Callable[[Mapping[str, Any]], str]] = {
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
    """Return what a vote is about, to stand after "to"."""
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
    return f"A teammate moved {_went(data, '')}" if data["by"] == "cover" else _went(data, "went ")


def _went(data: Mapping[str, Any], verb: str) -> str:
    words = data["notation"].split()
    if data["pawn"] == "mr_x":
        text = _mr_x_moved(words)
    else:
        text = f"{pawn_name(data['pawn'])} {verb}to {words[2]} with {TICKET_NAMES[words[1]]}"
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
    return f"with {TICKET_NAMES[ticket]}" + (f" to {station}, where he was seen" if station != "?" else "")
