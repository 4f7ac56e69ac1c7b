"""The bot "constable", which plays detectives from public facts alone.

It weighs a move by how the whole team would stand after it towards every station on which Mr. X can be, each counted
by its probability. The levels differ in where they think that he is. Of an easy one each pawn hunts alone, and a good
one makes one plan for all pawns (`plan.py`).
"""

import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from server.bots.belief import belief
from server.bots.estimate import Estimate, estimate, even, last_sighting
from server.bots.journeys import best_with_ties_broken, journeys, kinds_held, kinds_of, station_of, stops
from server.bots.plan import CAPTURE, LAST_TICKET, ROOM, Plan
from server.bots.public_game import moved_since
from server.engine import Board, BoardView, Move

# The unit of these weights is one move of the detective who is nearest to Mr. X.
OWN_WAY = 0.4  # one move that this pawn itself is away from Mr. X
OPEN_EXIT = 1.0  # all of Mr. X's ways out are open: no detective can be there at once


class Post(NamedTuple):
    """The place of a pawn: its distance to every station, the stations it can be on at once, and its moves in hand."""

    away: bytes
    reach: frozenset[int]
    ahead: int


class Level(NamedTuple):
    """A way to play detectives: where they think that Mr. X is, whether they hunt as a team, and by one plan."""

    estimate: Callable[[BoardView], Estimate]
    is_together: bool = True
    is_planned: bool = False


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "easy": Level(last_sighting, is_together=False),
        "fair": Level(estimate),
        "good": Level(belief, is_planned=True),
    }
)
# The ways to move a pawn whose player is late. None knows more than the stations on which Mr. X can be.
FOR_LATE: Mapping[str, Level] = MappingProxyType({"deduction": Level(even), "easy": LEVELS["easy"]})


def choose(view: BoardView, moves: Sequence[Move], rng: random.Random, level: str) -> Move:
    """Return the best of `moves` for a detective; `view` is a public one. See `server.bots.choose`."""
    return choose_by(LEVELS[level], view, moves, rng)


def choose_by(level: Level, view: BoardView, moves: Sequence[Move], rng: random.Random) -> Move:
    """Return the best of `moves` for a detective by any level."""
    weighed = Plan(view, moves, level.estimate(view)) if level.is_planned else Team(view, level)
    return best_with_ties_broken(moves, weighed.worth, rng)


def choose_for_late(view: BoardView, moves: Sequence[Move], rng: random.Random, way: str = "deduction") -> Move:
    """Return a move for a player whose time has run out, so chosen that being late is never the way to a better one.

    `way` is one of `FOR_LATE`: every station on which Mr. X can be counts the same, or only the last sighting counts.
    """
    return choose_by(FOR_LATE[way], view, moves, rng)


class Team:
    """The detectives' estimate, and where they stand."""

    def __init__(self, view: BoardView, level: Level) -> None:
        self._board = Board.named(view["options"]["board"])
        self._level = level
        self._estimate = level.estimate(view)
        self._detectives = {pawn: facts for pawn, facts in view["pawns"].items() if pawn != "mr_x"}
        moved = moved_since(view)
        self._posts = {
            pawn: self._post(station_of(facts), kinds_of(facts), int(pawn not in moved))
            for pawn, facts in self._detectives.items()
        }

    def worth(self, move: Move) -> float:
        """Return how well the team stands after a detective's move; more is better."""
        ticket, station = move.legs[0]
        tickets = self._detectives[move.pawn]["tickets"]
        left = {kind: held and held - (kind == ticket) for kind, held in tickets.items()}
        own = self._post(station, kinds_held(left), 0)
        others = [post for pawn, post in self._posts.items() if pawn != move.pawn and self._level.is_together]
        worth = -self._distance(station, own, others)
        worth += ROOM * float(sum(map(own.away.count, range(3))) ** 0.5)
        held = tickets[ticket]
        return worth - LAST_TICKET / held if held else worth

    def _distance(self, station: int, own: Post, others: Sequence[Post]) -> float:
        """Return how far Mr. X is from being caught, averaged over the stations on which he can be."""
        covered = own.reach.union(*(post.reach for post in others))
        total = 0.0
        for suspect, likelihood in self._estimate.items():
            if suspect == station:
                total -= CAPTURE * likelihood
                continue
            nearest = min([own.away[suspect], *(max(1, post.away[suspect] - post.ahead) for post in others)])
            exits = stops(self._board, ("black",), suspect)
            is_open = len(exits - covered) / len(exits)
            total += likelihood * (nearest + OWN_WAY * own.away[suspect] + OPEN_EXIT * is_open)
        return total

    def _post(self, station: int, kinds: tuple[str, ...], ahead: int) -> Post:
        reach = stops(self._board, kinds, station) | {station}
        return Post(journeys(self._board, kinds, station), reach, ahead)
