"""The last round on the board of a page: each pawn's last move as a trail, and Mr. X's tickets since he was seen.

All of it is made of the view of its reader: a move of Mr. X's is there only for who knows both ends of it.
"""

import math
from cmath import phase
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from server import engine
from server.drawing import figures
from server.drawing.figures import Box, Figure
from server.engine import BoardView

# All lengths are units of the board.
FROM, TO = 10, 25  # from the middle of a station to where a trail begins there, and to where one ends
BENDS = 12  # how far a trail bends away from the line that it follows
SHORT, BENDS_IF_SHORT = 60, 34  # stations that are so near hide most of their line, so the trail bends further
BADGE = complex(13, 9.5)  # half the width and height of the ticket that is drawn at a trail
ALONG = (0.5, 0.4, 0.6, 0.3, 0.7)  # the parts of a trail at which its ticket can be, the best first
BESIDE = (
    15,
    -30,
    24,
    -38,
    33,
    -47,
)  # how far to the right of these it is where it hides too much, or the trail is short
MOST_TICKETS = 8  # in the strip
MOST_DRAWN = 128  # cached: all who look at a game after a move see the same trails, but for Mr. X
MOST_WAYS = 2048  # cached: about as many as two boards have lines, both ways


class PawnMove(NamedTuple):
    """A move: its number in the game, and for each leg the ticket and both stations, None where they are unknown."""

    number: int
    pawn: str
    legs: Sequence[tuple[str, int | None, int | None]]


class Leg(NamedTuple):
    """A leg as it is drawn: a path, the point of its arrow with the turn in degrees, and the middle of its ticket."""

    ticket: str
    path: str
    x: float
    y: float
    turn: int
    ticket_x: int
    ticket_y: int


class Trail(NamedTuple):
    """The way that a pawn took with its last move; `points` are its stations, as a script moves the pawn over them."""

    number: int
    pawn: str
    legs: Sequence[Leg]
    points: str


class Strip(NamedTuple):
    """The tickets that Mr. X used since he was seen, the newest ones.

    since: the station where he was seen; None if he was not yet
    earlier: how many there are before these
    """

    since: int | None
    tickets: Sequence[str]
    earlier: int


def moves_of_last_round(view: BoardView) -> list[PawnMove]:
    """Return the last move of each pawn in the order they were made, if it is of this round or the one before."""
    rounds: list[dict[str, PawnMove]] = [{}]
    for move in _moves(view):
        if move.pawn == "mr_x":
            rounds.append({})
        rounds[-1][move.pawn] = move
    newest = {pawn: move for some in rounds[-2:] for pawn, move in some.items()}
    return sorted(newest.values())


def drawn(board: engine.Board, moves: Iterable[PawnMove], there: Iterable[Figure]) -> Sequence[Trail]:
    """Return the trails of those moves of which the reader knows the ends; `there` are the figures on the board."""
    return _drawn(board.name, tuple(moves), tuple(there))


@lru_cache(MOST_DRAWN)
def _drawn(name: str, moves: Sequence[PawnMove], there: Sequence[Figure]) -> Sequence[Trail]:
    board = engine.Board.named(name)
    taken = [figures.box(figure.pawn, (figure.foot_x, figure.foot_y)) for figure in there]
    found = []
    for move in moves:
        known = [(ticket, a, b) for ticket, a, b in move.legs if a is not None and b is not None]
        if not known:
            continue
        legs = [_leg(board, *each, taken) for each in known]
        stations = [known[0][1], *(b for _, _, b in known)]
        points = " ".join("{},{}".format(*board.stations[station]) for station in stations)
        found.append(Trail(move.number, move.pawn, legs, points))
    return tuple(found)


def ticket_strip(view: BoardView) -> Strip | None:
    """Return Mr. X's tickets since everybody saw him; None if there are none, or the game is over."""
    seen, tickets = view["pawns"]["mr_x"]["last_seen"], tickets_since_seen(view)
    if not tickets or not view["to_move"]:
        return None
    newest = tickets[-MOST_TICKETS:]
    return Strip(seen["station"] if seen else None, newest, len(tickets) - len(newest))


def tickets_since_seen(view: BoardView) -> list[str]:
    """Return Mr. X's tickets since everybody saw him, in their order."""
    seen = view["pawns"]["mr_x"]["last_seen"]
    return [entry["ticket"] for entry in view["log"] if entry["window"] > (seen["window"] if seen else 0)]


def _moves(view: BoardView) -> Iterator[PawnMove]:
    """Yield all moves of a game, as the reader of the view may know them."""
    at: dict[str, int | None] = dict(view["starts"])
    windows = iter(view["log"])
    for number, text in enumerate(view["history"], 1):
        words = text.split()
        ways: list[tuple[str, int | None]]
        if words[0] in engine.DETECTIVES:
            pawn, ways = words[0], [(words[1], int(words[2]))]
        else:  # a double move that ended the game with its first leg has one window
            pawn = "mr_x"
            ways = [(entry["ticket"], entry["station"]) for entry in islice(windows, 1 + (words[0] == "double"))]
        legs = []
        for ticket, station in ways:
            legs.append((ticket, at.get(pawn), station))
            at[pawn] = station
        yield PawnMove(number, pawn, tuple(legs))


def _leg(board: engine.Board, ticket: str, a: int, b: int, taken: list[Box]) -> Leg:
    """Return a leg between two stations, and add the room of its ticket to what is taken."""
    way = _way(board.name, a, b)
    room = _best(way.rooms, taken)
    taken.append(room)
    return Leg(ticket, way.path, way.x, way.y, way.turn, round(room.left + BADGE.real), round(room.top + BADGE.imag))


def _best(rooms: Sequence[tuple[Box, float]], taken: Sequence[Box]) -> Box:
    """Return the first room that hides nothing, or the one that hides least."""
    hidden = {}
    for room, of_stations in rooms:
        hidden[room] = of_stations + sum(room.shared(other) for other in taken)
        if not hidden[room]:
            return room
    return min(hidden, key=hidden.__getitem__)


class _Way(NamedTuple):
    """A leg without its ticket: of that, the rooms where it can be, with how much each hides of stations."""

    path: str
    x: float
    y: float
    turn: int
    rooms: Sequence[tuple[Box, float]]


@lru_cache(MOST_WAYS)
def _way(name: str, a: int, b: int) -> _Way:
    board = engine.Board.named(name)
    start, end = complex(*board.stations[a]), complex(*board.stations[b])
    length = abs(end - start)
    aside = (end - start) / length * 1j  # to the right of who goes there
    bend = (start + end) / 2 + aside * (BENDS if length > SHORT else BENDS_IF_SHORT)
    one = start + (bend - start) / abs(bend - start) * (FROM if length > SHORT else 16)
    other = end + (bend - end) / abs(bend - end) * (TO if length > SHORT else 21)
    middles = [one * (1 - t) ** 2 + bend * 2 * t * (1 - t) + other * t**2 for t in ALONG]
    beside = [_room(middle + aside * apart) for apart in BESIDE for middle in middles]
    rooms = beside if length <= SHORT else [*map(_room, middles), *beside]
    signs = [figures.sign(x, y) for x, y in board.stations.values()]
    return _Way(
        f"M{_point(one)}Q{_point(bend)} {_point(other)}",
        round(other.real, 1),
        round(other.imag, 1),
        round(math.degrees(phase(end - bend))),
        [(room, sum(room.shared(sign) for sign in signs)) for room in rooms],
    )


def _room(middle: complex) -> Box:
    start, end = middle - BADGE, middle + BADGE
    return Box(start.real, start.imag, end.real, end.imag)


def _point(at: complex) -> str:
    return f"{at.real:.1f} {at.imag:.1f}"
