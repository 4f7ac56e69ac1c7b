"""The board as sentences: the lines at a station, the pawns near it, and the shortest ways between two.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from server.engine import Board, BoardView
from server.engine.ticket_kinds import PLAIN, TRANSPORTS
from server.vocabulary.words import counted, join, pawn_name

MOST_WAYS = 5


def station(board: Board, view: BoardView, at: int) -> str:
    """Describe a station: the lines that leave it, and the pawns on it or a move away, as the viewer may know.

    A station on which a detective stands is named as taken.
    """
    if at not in board.stations:
        return _unknown(at)
    stops = {line: board.links[line].get(at, ()) for line in TRANSPORTS}
    lines = [f"by {line} to {join([str(stop) for stop in there])}" for line, there in stops.items() if there]
    near = {stop for there in stops.values() for stop in there}
    pawns = {pawn: seen["station"] for pawn, seen in view["pawns"].items()}
    here = [pawn_name(pawn) for pawn, where in pawns.items() if where == at]
    beside = [f"{pawn_name(pawn)} at {where}" for pawn, where in pawns.items() if where in near]
    taken = [str(where) for pawn, where in pawns.items() if where in near and pawn != "mr_x"]
    told = [f"One move away: {join(beside)}." if beside else "No pawn in sight is one move away."]
    told += [f"Nobody else can go to {join(taken, 'or')} now."] if taken else []
    return " ".join(
        (
            f"Station {at} is linked {'; '.join(lines)}, and nowhere else.",
            f"On it: {join(here)}." if here else "No pawn in sight is on it.",
            *told,
        )
    )


def between(board: Board, start: int, goal: int) -> str:
    """Describe the shortest journeys from one station to another, for a detective with tickets enough."""
    for at in (start, goal):
        if at not in board.stations:
            return _unknown(at)
    if start == goal:
        return "To describe the ways between two stations, name two different ones."
    journeys = _journeys(board, start, goal)
    texts = [", then ".join(f"by {_lines(board, a, b)} to {b}" for a, b in pairwise(way)) for way in journeys]
    more = len(texts) - MOST_WAYS
    rest = f" There are {more} more of that length." if more > 0 else ""
    moves = counted(len(journeys[0]) - 1, "one move", "{n} moves")
    return f"It takes {moves} from {start} to {goal}: {'; or '.join(texts[:MOST_WAYS])}, and nothing is shorter.{rest}"


def far(board: Board, start: int, goal: int) -> str:
    """Return how many moves away `goal` is, for a detective with tickets enough, to stand after a name."""
    if start == goal:
        return "stands there"
    return f"is {counted(len(_journeys(board, start, goal)[0]) - 1, 'one move', '{n} moves')} away"


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
    distances = [f"{pawn_name(pawn)} {far(board, where, seen['station'])}" for pawn, where in at.items()]
    return f"Mr. X was last seen at {seen['station']}, on move {seen['window']}: {join(distances)}."


def _stations_of(view: BoardView, own: Iterable[str]) -> dict[str, int]:
    pawns = ((pawn, view["pawns"].get(pawn)) for pawn in own)
    return {pawn: facts["station"] for pawn, facts in pawns if facts and facts["station"] is not None}


def _unknown(at: int) -> str:
    return f"There is no station {at} on this board."


def _journeys(board: Board, start: int, goal: int) -> list[list[int]]:
    """Return all the shortest ways, found step by step from the start."""
    ways, seen = [[start]], {start}
    while not any(way[-1] == goal for way in ways):
        ways = [[*way, stop] for way in ways for stop in _next(board, way[-1]) if stop not in seen]
        seen |= {way[-1] for way in ways}
    return [way for way in ways if way[-1] == goal]


def _next(board: Board, at: int) -> list[int]:
    return sorted({stop for line in PLAIN for stop in board.links[line].get(at, ())})


def _lines(board: Board, a: int, b: int) -> str:
    return join([line for line in PLAIN if b in board.links[line].get(a, ())], "or")
