"""The board as sentences: the lines at a station, the pawns near it, and the shortest ways between two.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise

from server.engine import Board, BoardView
from server.engine.ticket_kinds import PLAIN, TRANSPORTS
from server.vocabulary.translation import gettext, ngettext
from server.vocabulary.words import join, line, number, pawn_name

MOST_WAYS = 5


def station(board: Board, view: BoardView, at: int) -> str:
    """Describe a station: the lines that leave it, and the pawns on it or a move away, as the viewer may know.

    A station on which a detective stands is named as taken.
    """
    if at not in board.stations:
        return _unknown(at)
    stops = {kind: board.links[kind].get(at, ()) for kind in TRANSPORTS}
    lines = [
        gettext("by {line} to {stations}", line=line(kind), stations=join([str(stop) for stop in there]))
        for kind, there in stops.items() if there
    ]  # fmt: skip
    near = {stop for there in stops.values() for stop in there}
    pawns = {pawn: seen["station"] for pawn, seen in view["pawns"].items()}
    here = [pawn_name(pawn) for pawn, where in pawns.items() if where == at]
    beside = [
        gettext("{pawn} at {station}", pawn=pawn_name(pawn), station=where)
        for pawn, where in pawns.items() if where in near
    ]  # fmt: skip
    taken = [str(where) for pawn, where in pawns.items() if where in near and pawn != "mr_x"]
    told = [
        gettext("Station {station} is linked {lines}, and nowhere else.", station=at, lines="; ".join(lines)),
        gettext("On it: {pawns}.", pawns=join(here)) if here else gettext("No pawn in sight is on it."),
        ngettext("One move away: {pawns}.", "One move away: {pawns}.", len(beside), pawns=join(beside))
        if beside else gettext("No pawn in sight is one move away."),
    ]  # fmt: skip
    if taken:
        told.append(gettext("Nobody else can go to {stations} now.", stations=join(taken, "or")))
    return " ".join(told)


def between(board: Board, start: int, goal: int) -> str:
    """Describe the shortest journeys from one station to another, for a detective with tickets enough."""
    for at in (start, goal):
        if at not in board.stations:
            return _unknown(at)
    if start == goal:
        return gettext("To describe the ways between two stations, name two different ones.")
    journeys = _journeys(board, start, goal)
    shown = [_in_words(board, journey) for journey in journeys[:MOST_WAYS]]
    ways = reduce(lambda ways, way: gettext("{ways}; or {way}", ways=ways, way=way), shown)
    moves, more = len(journeys[0]) - 1, len(journeys) - MOST_WAYS
    told = ngettext(
        "It takes one move from {start} to {goal}: {ways}, and nothing is shorter.",
        "It takes {n} moves from {start} to {goal}: {ways}, and nothing is shorter.",
        moves, n=number(moves), start=start, goal=goal, ways=ways,
    )  # fmt: skip
    rest = ngettext("There are {n} more of that length.", "There are {n} more of that length.", more)
    return f"{told} {rest}" if more > 0 else told


def _far(board: Board, pawn: str, start: int, goal: int) -> str:
    """Return how many moves away `goal` is, for a detective with tickets enough."""
    if start == goal:
        return gettext("{pawn} stands there", pawn=pawn_name(pawn))
    n = len(_journeys(board, start, goal)[0]) - 1
    return ngettext("{pawn} is one move away", "{pawn} is {n} moves away", n, pawn=pawn_name(pawn), n=number(n))


def described(board: Board, view: BoardView, stations: Sequence[int]) -> list[str]:
    """Return the sentences on the ways between two stations, and on one station or two, each told once."""
    told = [station(board, view, at) for at in dict.fromkeys(stations)]
    return [between(board, *stations), *told] if len(stations) == 2 else told


def around(board: Board, view: BoardView, own: Iterable[str]) -> list[str]:
    """Return the sentences on the stations of the pawns `own`."""
    return [station(board, view, at) for at in _stations_of(view, own).values()]


def last_seen(board: Board, view: BoardView, own: Iterable[str]) -> str:
    """Return where Mr. X was seen last, and how far each detective of `own` is from there.

    The text is empty if he is one of `own`, if `own` is empty, or if he has not been seen.
    """
    at = _stations_of(view, own)
    mr_x = view["pawns"].get("mr_x")
    seen = mr_x.get("last_seen") if mr_x else None
    if not seen or not at or "mr_x" in at:
        return ""
    distances = [_far(board, pawn, where, seen["station"]) for pawn, where in at.items()]
    return gettext(
        "Mr. X was last seen at {station}, on move {window}: {distances}.",
        station=seen["station"], window=seen["window"], distances=join(distances),
    )  # fmt: skip


def _stations_of(view: BoardView, own: Iterable[str]) -> dict[str, int]:
    pawns = ((pawn, view["pawns"].get(pawn)) for pawn in own)
    return {pawn: facts["station"] for pawn, facts in pawns if facts and facts["station"] is not None}


def _unknown(at: int) -> str:
    return gettext("There is no station {station} on this board.", station=at)


def _journeys(board: Board, start: int, goal: int) -> list[list[int]]:
    """Return all the shortest ways, found step by step from the start."""
    ways, seen = [[start]], {start}
    while not any(way[-1] == goal for way in ways):
        ways = [[*way, stop] for way in ways for stop in _next(board, way[-1]) if stop not in seen]
        seen |= {way[-1] for way in ways}
    return [way for way in ways if way[-1] == goal]


def _next(board: Board, at: int) -> list[int]:
    return sorted({stop for line in PLAIN for stop in board.links[line].get(at, ())})


def _in_words(board: Board, way: Sequence[int]) -> str:
    """Return a way, such as `by taxi to 105, then by taxi or bus to 89`."""
    trips = []
    for a, b in pairwise(way):
        lines = join([line(kind) for kind in PLAIN if b in board.links[kind].get(a, ())], "or")
        trips.append(gettext("by {lines} to {station}", lines=lines, station=b))
    return reduce(lambda way, trip: gettext("{way}, then {trip}", way=way, trip=trip), trips)
