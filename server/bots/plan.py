"""One plan for all detectives who have still to move in a round, made from public facts and an estimate.

Every pawn in turn takes the move after which the team stands best, given what the others would do, until none changes.
So two pawns close two ways out and not the same one, in whatever order they move. Sets of stations are bits of an
integer here: a plan looks at thousands of them.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from server.bots.estimate import Estimate
from server.bots.journeys import (
    NO_WAY,
    ROUNDING,
    Kinds,
    bits_of_stops,
    journeys,
    kinds_held,
    kinds_of,
    station_of,
    stops,
)
from server.bots.public_game import moved_since
from server.engine import Board, BoardView, Move

# The unit of these weights is one move of the detective who is nearest to Mr. X.
CAPTURE = 8.0
ROOM = 0.15  # times the root of the number of stations within two moves
LAST_TICKET = 0.3  # spending the last ticket of a kind; half of it for the last but one, and so on
OWN_WAY = 0.1  # one move that any pawn is away from Mr. X
OPEN_EXIT = 3.0  # all of Mr. X's ways out are open: no detective can be there at once
BEYOND = 1.5  # for the logarithm of the number of stations that he can reach in two moves and no detective can
# Few pawns play until their tickets are spent. They need taxis at the end: a pawn without them gets nowhere.
FEW = 3
TAXI = 6.0

FAR_AWAY = 10  # moves; a pawn that is further away than this from Mr. X is as good as this far
# A plan looks at the likeliest stations, until they are so likely together, or so many.
LIKELY = 0.95
SUSPECTS = 24
SWEEPS = 3


class Stand(NamedTuple):
    """The place of a pawn after a move.

    reach, wide: the stations within one move and within two, as bits; away: its moves to each suspect
    price: what the move there cost
    """

    station: int
    reach: int
    wide: int
    away: tuple[int, ...]
    price: float


class Suspect(NamedTuple):
    """A station on which Mr. X may be.

    exits: his ways out, as bits; onward: each of them as a bit, with the stations that it leads on to
    """

    station: int
    likelihood: float
    exits: int
    onward: tuple[tuple[int, int], ...]


class Chase(NamedTuple):
    """A suspect with the number of theirs, as all pawns but one chase them.

    ways: the ways out that none of them closes, as bits
    nearest, far: the moves that the nearest of them is away, and those of all of them together
    """

    number: int
    suspect: Suspect
    ways: int
    nearest: int
    far: int


class Plan:
    """A plan for all who have still to move, and how well the team stands after each of `moves` if they keep to it."""

    def __init__(self, view: BoardView, moves: Sequence[Move], estimate: Estimate) -> None:
        self._board = Board.named(view["options"]["board"])
        self._detectives = {pawn: facts for pawn, facts in view["pawns"].items() if pawn != "mr_x"}
        self._suspects = self._likeliest(estimate)
        self._onward: list[dict[int, int]] = [{} for _ in self._suspects]
        self._stands = {
            pawn: self._stand(station_of(facts), kinds_of(facts), 0.0) for pawn, facts in self._detectives.items()
        }
        asked: dict[str, dict[Move, Stand]] = {}
        for move in sorted(moves, key=str):
            asked.setdefault(move.pawn, {})[move] = self._after(move.pawn, *move.legs[0])
        choices = {pawn: list(stands.values()) for pawn, stands in asked.items()}
        self._settle({**choices, **dict(self._later(view, asked))})
        self._worths = {
            move: worth
            for pawn, stands in asked.items()
            for move, worth in zip(stands, self._weigh(pawn, list(stands.values())), strict=True)
        }

    def worth(self, move: Move) -> float:
        """Return how well the team stands after a move, more is better."""
        return self._worths[move]

    # What there is to choose from ---------------------------------------------------------------------

    def _likeliest(self, estimate: Estimate) -> list[Suspect]:
        suspects: list[tuple[int, float]] = []
        total = 0.0
        for station, likelihood in sorted(estimate.items(), key=lambda each: (-round(each[1], 9), each[0])):
            suspects.append((station, likelihood))
            total += likelihood
            if total > LIKELY or len(suspects) == SUSPECTS:
                break
        return [self._suspect(station, likelihood / total) for station, likelihood in suspects]

    def _suspect(self, station: int, likelihood: float) -> Suspect:
        onward = ((1 << stop, bits_of_stops(self._board, ("black",), stop)) for stop in _exits(self._board, station))
        return Suspect(station, likelihood, bits_of_stops(self._board, ("black",), station), tuple(onward))

    def _later(self, view: BoardView, asked: Iterable[str]) -> Iterator[tuple[str, list[Stand]]]:
        """Yield the other pawns that have still to move, with all that their tickets lead to."""
        done = {*moved_since(view), *asked}
        for pawn, facts in self._detectives.items():
            if pawn not in done and (kinds := kinds_of(facts)):
                reach = ((kind, stop) for kind in kinds for stop in self._board.reach[kind][station_of(facts)])
                yield pawn, [self._after(pawn, kind, stop) for kind, stop in reach]

    def _after(self, pawn: str, ticket: str, station: int) -> Stand:
        tickets = self._detectives[pawn]["tickets"]
        kinds = kinds_held({kind: held and held - (kind == ticket) for kind, held in tickets.items()})
        return self._stand(
            station, kinds, self._price(ticket, tickets[ticket]) - ROOM * _room(self._board, kinds, station)
        )

    def _price(self, ticket: str, held: int | None) -> float:
        if not held:
            return 0.0
        return LAST_TICKET / held + TAXI * (ticket == "taxi" and len(self._detectives) <= FEW)

    def _stand(self, station: int, kinds: Kinds, price: float) -> Stand:
        away = journeys(self._board, kinds, station)
        return Stand(
            station,
            bits_of_stops(self._board, kinds, station) | 1 << station,
            _wide(self._board, kinds, station),
            tuple([away[suspect.station] for suspect in self._suspects]),
            price,
        )

    # What is chosen -----------------------------------------------------------------------------------

    def _settle(self, choices: Mapping[str, Sequence[Stand]]) -> None:
        """Let the pawns choose in turn until none changes, or often enough; one alone has nobody to wait for."""
        for _ in range(SWEEPS if len(choices) > 1 else 0):
            before = dict(self._stands)
            for pawn, stands in choices.items():
                worths = self._weigh(pawn, stands)
                most = max(worths) - ROUNDING
                self._stands[pawn] = next(s for s, worth in zip(stands, worths, strict=True) if worth >= most)
            if self._stands == before:
                return

    def _weigh(self, pawn: str, stands: Sequence[Stand]) -> list[float]:
        """Return how well the team stands with a pawn on each of `stands` and the others where they are or would be."""
        others = [stand for other, stand in self._stands.items() if other != pawn]
        taken, wide = {stand.station for stand in others}, _union(stand.wide for stand in others)
        chases = list(self._chases(others, taken))
        return [self._worth_of(stand, taken, chases, ~(wide | stand.wide)) for stand in stands]

    def _chases(self, others: Sequence[Stand], taken: Collection[int]) -> Iterator[Chase]:
        """Yield how the others chase each suspect, but for those on stations that are `taken`: they would catch him."""
        reach = _union(stand.reach for stand in others)
        for number, suspect in enumerate(self._suspects):
            if suspect.station not in taken:
                away = [stand.away[number] for stand in others]
                far = sum(min(moves, FAR_AWAY) for moves in away)
                yield Chase(number, suspect, suspect.exits & ~reach, min(away, default=NO_WAY), far)

    def _worth_of(self, stand: Stand, taken: Collection[int], chases: Sequence[Chase], unwatched: int) -> float:
        """Return how well the team stands with a pawn on `stand`; `unwatched` are stations that nobody reaches soon."""
        worth, closed = -stand.price - NO_WAY * (stand.station in taken), ~stand.reach
        for number, suspect, ways, nearest, far in chases:
            if suspect.station == stand.station:
                worth += CAPTURE * suspect.likelihood
                continue
            moves, ways_out = stand.away[number], ways & closed
            worth -= suspect.likelihood * (
                min(moves, nearest)
                + OWN_WAY * (far + min(moves, FAR_AWAY))
                + OPEN_EXIT * ways_out.bit_count() / len(suspect.onward)
                + BEYOND * math.log1p((self._beyond(number, ways_out) & unwatched).bit_count())
            )
        return worth

    def _beyond(self, number: int, ways_out: int) -> int:
        """Return the stations to which some of a suspect's ways out lead on."""
        known = self._onward[number].get(ways_out)
        if known is None:
            onward = self._suspects[number].onward
            known = self._onward[number][ways_out] = _union(ends for stop, ends in onward if stop & ways_out)
        return known


def _exits(board: Board, station: int) -> list[int]:
    return sorted(stops(board, ("black",), station))


def _union(sets: Iterable[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union


@lru_cache(4096)
def _wide(board: Board, kinds: Kinds, station: int) -> int:
    """Return the stations up to two moves away, as bits."""
    ways = _union(bits_of_stops(board, kinds, stop) for stop in stops(board, kinds, station))
    return ways | bits_of_stops(board, kinds, station) | 1 << station


@lru_cache(4096)
def _room(board: Board, kinds: Kinds, station: int) -> float:
    return math.sqrt(_wide(board, kinds, station).bit_count())
