"""Events of a game as sentences.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any

from server.clock import OUTAGES
from server.house_rules.draft import PublicEvent
from server.vocabulary.by_name import ByName
from server.vocabulary.durations import format_duration, parse_duration, parse_length, say_duration, say_length
from server.vocabulary.events import EVENT_KINDS
from server.vocabulary.translation import gettext, ngettext, npgettext, pgettext
from server.vocabulary.votes import BY_NAME
from server.vocabulary.words import join, pawn_name, pawn_names, taken, ticket_name, used

SHORTEST_TOLD = timedelta(minutes=1)  # of outages: a deadline is told to the minute
# Returns the player of pawns in words, such as `Ben (Red and Green)`.
Who = Callable[[Sequence[str]], str]
Facts = Mapping[str, Any]  # of an event


def happenings(events: Iterable[PublicEvent], reader: Sequence[str], who: Who = pawn_names) -> list[str]:
    """Return sentences on the events worth telling, in their order; last what stands of draws.

    The reader has the pawns `reader`. Plain moves of detectives in a row are one sentence, and so are outages of one
    cause.
    """
    return [text for _, text in numbered(events, reader, who)]


def numbered(events: Iterable[PublicEvent], reader: Sequence[str], who: Who = pawn_names) -> list[tuple[int, str]]:
    """Return the sentences of `happenings`, each with the number of the last event that it tells of."""
    events = list(events)
    told: list[tuple[int, str]] = []
    news = [event for event in events if EVENT_KINDS[event.kind].sentence is not None]
    for form, group in groupby(news, _form):
        told += _sentences(form, list(group), reader, who)
    return told + _offers(events, who)


def _offers(events: Iterable[PublicEvent], who: Who) -> list[tuple[int, str]]:
    """Return which offers of a draw still stand: who agrees to one, or that nobody does any more."""
    offers: dict[str, bool] = {}
    newest = 0
    for event in events:
        ends = EVENT_KINDS[event.kind].ends_offers
        if event.kind == "draw":
            offers[who(event.data["pawns"])] = event.data["agrees"]
            newest = event.number
        elif ends == "all":
            offers.clear()
        elif ends == "own":
            offers.pop(who(event.data["pawns"]), None)
    if not offers:
        return []
    agreeing = [player for player, agrees in offers.items() if agrees]
    if not agreeing:
        return [(newest, gettext("Nobody offers a draw any more."))]
    told = gettext("{who} offered a draw; the game ends when all players have agreed.", who=join(agreeing))
    return [(newest, told)]


def _form(event: PublicEvent) -> str:
    """Return the form of an event: events of one form in a row are one sentence. "" is no form.

    It is `late` for a move of the server in place of a late player, `plain` for one of a detective, or what its kind
    has together, such as the cause of an outage.
    """
    if together := EVENT_KINDS[event.kind].together:
        return f"{event.kind} {event.data[together]}"
    if event.kind != "moved" or event.data["pawn"] == "mr_x":
        return ""
    by = event.data["by"]
    return "late" if by == "house" else "" if by == "cover" else "plain"


def _sentences(form: str, events: Sequence[PublicEvent], reader: Sequence[str], who: Who) -> list[tuple[int, str]]:
    """Return sentences about successive events of one form; each of the form "" has its own."""
    groups = [events] if form else [[event] for event in events]
    return [(group[-1].number, text) for group in groups if (text := _sentence(group, reader, who))]


def _sentence(events: Sequence[PublicEvent], reader: Sequence[str], who: Who) -> str:
    """Return what events of one form were, as everybody may know it; empty where it is not worth telling."""
    kind, data = events[-1].kind, events[-1].data
    if sentence := EVENT_KINDS[kind].sentence:
        named = {"who": who(data["pawns"]), "pawns": pawn_names(data["pawns"])} if data.get("pawns") else {}
        return gettext(sentence, **data | named)
    return _SENTENCES[kind]([event.data for event in events], reader, who)


# The sentences that take more than the facts of one event. Each is given those of all of them, and the reader's pawns.
_SENTENCES: ByName[Callable[[Sequence[Facts], Sequence[str], Who], str]] = ByName(
    {kind.name for kind in EVENT_KINDS.values() if kind.sentence == ""}
)


@_SENTENCES.add
def _granted(_grants: Sequence[Facts], reader: Sequence[str], who: Who) -> str:
    if "mr_x" in reader:
        return gettext("Your time ran out, and you were given one more turn.")
    return gettext("The time ran out for {who}, who was given one more turn.", who=who(["mr_x"]))


@_SENTENCES.add
def _outage(outages: Sequence[Facts], _reader: Sequence[str], _who: Who) -> str:
    together = sum((parse_duration(outage["by"]) for outage in outages), timedelta())
    if together < SHORTEST_TOLD:
        return ""
    length = say_length(parse_length(format_duration(together)))  # as the steps of the deadline say it
    return gettext("The deadline moved by {length}, {why}.", length=length, why=gettext(OUTAGES[outages[-1]["cause"]]))


@_SENTENCES.add
def _extended(extensions: Sequence[Facts], _reader: Sequence[str], _who: Who) -> str:
    length = say_duration(parse_duration(extensions[-1]["by"]))
    return gettext("The operator gave {length} more for these moves.", length=length)


@_SENTENCES.add
def _resigned(resignations: Sequence[Facts], _reader: Sequence[str], _who: Who) -> str:
    (data,) = resignations
    pawns = pawn_names(data["pawns"])
    if data.get("had_to_go"):
        return gettext("The player of {pawns} had to go, and a bot plays on.", pawns=pawns)
    return gettext("The player of {pawns} resigned.", pawns=pawns)


@_SENTENCES.add
def _unsealed(looks: Sequence[Facts], _reader: Sequence[str], _who: Who) -> str:
    if looks[-1]["looked_at"] == "the game":
        return gettext("The operator looked into the game, though it was sealed.")
    return gettext("The operator looked into a mail, though it was sealed.")


@_SENTENCES.add
def _decided(decisions: Sequence[Facts], _reader: Sequence[str], _who: Who) -> str:
    (data,) = decisions
    if data["what"] == "claim":
        return ""
    if data.get("expired"):
        return gettext("The vote to {motion} expired, as that deadline is over.", motion=motion(data))
    if data["carried"]:
        return gettext("The players decided to {motion}.", motion=motion(data))
    return gettext("There were not enough votes to {motion}.", motion=motion(data))


def motion(wish: Mapping[str, object]) -> str:
    """Return what a vote is about, to stand after "to"."""
    length = say_duration(parse_duration(wish["length"])) if "length" in wish else ""
    side = pgettext("give", "Mr. X") if wish.get("side") == "mr_x" else pgettext("give", "the detectives")
    return pgettext("motion", BY_NAME[str(wish["what"])].words, length=length, side=side)


def majority(wish: Mapping[str, object]) -> str:
    """Return how many have to be for what a vote is about."""
    if BY_NAME[str(wish["what"])].needs_all:
        return gettext("All who are not away must be for it.")
    return gettext("More than half of those who are not away must be for it.")


@_SENTENCES.add
def _moved(moves: Sequence[Facts], _reader: Sequence[str], who: Who) -> str:
    newest = moves[-1]
    if newest["pawn"] == "mr_x":
        told = _mr_x_moved(newest["notation"].split())
    elif newest["by"] == "cover":
        told = gettext("A teammate moved {rides}.", rides=_rides([newest]))
    elif newest["by"] == "house":
        late = join(list(dict.fromkeys(who([move["pawn"]]) for move in moves)))
        told = gettext("The time ran out for {late}, and the server moved {rides}.", late=late, rides=_went(moves))
    else:
        told = f"{_went(moves, has_verb=True)}."
    return f"{told} {could_not_move(moves)}".rstrip()


def could_not_move(moves: Iterable[Facts]) -> str:
    """Return which pawns could not move after these moves, as a sentence; "" if all could."""
    pawns = list(dict.fromkeys(pawn for move in moves for pawn in move["passed_over"]))
    if not pawns:
        return ""
    return ngettext("{pawns} could not move.", "{pawns} could not move.", len(pawns), pawns=pawn_names(pawns))


def _went(moves: Sequence[Facts], *, has_verb: bool = False) -> str:
    """Return `Red went to 58 and Blue to 9 with a bus, Green to 3 with a taxi`: the ticket once for moves in a row."""
    groups = [list(group) for _, group in groupby(moves, _ticket)]
    return ", ".join(_rides(group, has_verb=has_verb and not i) for i, group in enumerate(groups))


def _rides(moves: Sequence[Facts], *, has_verb: bool = False) -> str:
    """Return moves with the same ticket, such as `Red went to 58 with a bus`. The text never ends in a number."""
    went = [{"pawn": pawn_name(data["pawn"]), "station": data["notation"].split()[2]} for data in moves]
    places = [pgettext("moved", "{pawn} to {station}", **each) for each in went]
    if has_verb:
        places[0] = pgettext("moved", "{pawn} went to {station}", **went[0])
    return npgettext(
        "moved", "{places} with {ticket}", "{places} with {ticket}", len(moves),
        places=join(places), ticket=used(_ticket(moves[-1])),
    )  # fmt: skip


def _ticket(data: Facts) -> str:
    return str(data["notation"].split()[1])


def brief(event: PublicEvent) -> str:
    """Return a move in few words: `Red taxi 46`, or `Mr. X double: bus, taxi`; "" if it takes more to tell it."""
    data = event.data
    rest = data["notation"] if data["pawn"] == "mr_x" else data["notation"].partition(" ")[2]
    if "surface" in rest:
        return ""
    pawn, move = pawn_name(data["pawn"]), _briefly(rest.split())
    if data["by"] == "house":
        return gettext("{pawn}, out of time, {move}", pawn=pawn, move=move)
    return gettext("{pawn}, by a teammate, {move}", pawn=pawn, move=move) if data["by"] == "cover" else f"{pawn} {move}"


def _briefly(words: list[str]) -> str:
    is_double = words[0] == "double"
    legs = [(ticket_name(words[i]), words[i + 1]) for i in range(is_double, len(words), 2)]
    told = [ticket if station == "?" else f"{ticket} {station}" for ticket, station in legs]
    return gettext("double: {rides}", rides=", ".join(told)) if is_double else told[0]


def _mr_x_moved(words: list[str]) -> str:
    """Return what Mr. X did in a turn, as a sentence."""
    surfaced, _, given = " ".join(words).partition(" surface")
    words = surfaced.split()
    double = words[0] == "double"
    legs = [_leg(words[i], words[i + 1]) for i in range(1 if double else 0, len(words), 2)]
    if double:
        told = gettext("Mr. X made a double move: {first}, then {second}", first=legs[0], second=legs[1])
    elif words[1] == "?":
        told = gettext("Mr. X took {ticket}", ticket=legs[0])
    else:
        told = gettext("Mr. X took {ticket} to {station}, where he was seen", ticket=taken(words[0]), station=words[1])
    if not given:
        return f"{told}."
    pairs = [pair.split(":") for pair in given.split()]
    tickets = [pgettext("took", "{pawn}'s {ticket}", pawn=pawn_name(of), ticket=ticket_name(it)) for of, it in pairs]
    return ngettext(
        "{told}; he showed himself of his own will and took {tickets} ticket.",
        "{told}; he showed himself of his own will and took {tickets} tickets.",
        len(tickets), told=told, tickets=join(tickets),
    )  # fmt: skip


def _leg(ticket: str, station: str) -> str:
    if station == "?":
        return taken(ticket)
    return pgettext("took", "{ticket} to {station}, where he was seen", ticket=taken(ticket), station=station)
