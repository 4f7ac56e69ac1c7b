"""What a move of a detective is for: the term of the bot's plan that speaks most for it, in numbers of the board.

All of it follows from a public view, so it is the same wherever Mr. X is.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from server.bots import detective, plan
from server.bots.journeys import journeys, kinds_held, kinds_of, station_of, stops
from server.engine import Board, BoardView, Move

LIKELY = 0.1  # the chance of a station that a pawn is said to go for; else all that it can reach are counted
TWO = 2  # moves, within which a plan counts stations


class Purpose(NamedTuple):
    """What a move is for.

    kind: the `only` move; to `catch` Mr. X; to `close` ways out of a station, to `hem` him in there, or to go `near`
        it; to `cover` stations on which he can be; or to have `room`
    station, chance: the station that it is about, and how likely he is there, as the bot thinks; of `cover` in all
    was_seen: he was last seen there
    number: ways out that this pawn alone closes; stations to which he can go on by open ways, and no detective as soon;
        moves that the pawn is away; or stations that it can reach
    closed, ways: how many ways out are closed then, and how many there are
    """

    kind: str
    station: int = 0
    chance: float = 0.0
    was_seen: bool = False
    number: int = 0
    closed: int = 0
    ways: int = 0


class _Stand(NamedTuple):
    """A pawn after a move: where it can be at once, and its moves to every station."""

    station: int
    reach: frozenset[int]
    away: bytes

    @property
    def room(self) -> int:
        return sum(map(self.away.count, range(TWO + 1)))


def purpose(view: BoardView, move: Move, moves: Sequence[Move], level: str) -> Purpose:
    """Return what a detective's `move` is for, out of its legal `moves`; `view` is the public one before it."""
    if len(moves) == 1:
        return Purpose("only")
    reasons = _Reasons(view, move.pawn, level)
    stand, terms = reasons.stand(move), [dict(reasons.terms(reasons.stand(each))) for each in moves]
    gains = {
        (kind, station): worth - fmean(each.get((kind, station), 0.0) for each in terms)
        for (kind, station), worth in reasons.terms(stand)
    }
    together: Counter[str] = Counter()
    for (kind, _), gain in gains.items():
        together[kind] += gain  # type: ignore[assignment]
    best = max(together, key=together.__getitem__)
    return reasons.told(*max((term for term in gains if term[0] == best), key=gains.__getitem__), stand)


class _Reasons:
    """What a pawn's bot thinks of Mr. X's place, and what the other detectives close."""

    def __init__(self, view: BoardView, pawn: str, level: str) -> None:
        self._board = Board.named(view["options"]["board"])
        self._level = detective.LEVELS[level]
        self._estimate = self._level.estimate(view)
        in_order = sorted(self._estimate.items(), key=lambda each: (-round(each[1], 9), each[0]))
        self._suspects = in_order[: plan.SUSPECTS]
        self._seen = view["pawns"]["mr_x"]["last_seen"]
        self._tickets = view["pawns"][pawn]["tickets"]
        others = [facts for name, facts in view["pawns"].items() if name not in ("mr_x", pawn)]
        beside = [(kinds_of(facts), station_of(facts)) for facts in others if self._level.is_together]
        self._closed = {end for kinds, at in beside for end in (at, *stops(self._board, kinds, at))}
        self._others = [journeys(self._board, kinds, at) for kinds, at in beside]

    def stand(self, move: Move) -> _Stand:
        """Return the pawn after a move."""
        ticket, station = move.legs[0]
        kinds = kinds_held({kind: held and held - (kind == ticket) for kind, held in self._tickets.items()})
        reach = stops(self._board, kinds, station) | {station}
        return _Stand(station, reach, journeys(self._board, kinds, station))

    def terms(self, stand: _Stand) -> Iterator[tuple[tuple[str, int], float]]:
        """Yield what is good about a stand, by kind and station."""
        weights = plan if self._level.is_planned else detective
        yield ("room", 0), plan.ROOM * stand.room**0.5
        yield ("catch", stand.station), plan.CAPTURE * self._estimate.get(stand.station, 0.0)
        for station, chance in self._suspects:
            if station == stand.station:
                continue
            share = len(self._newly(stand, station)) / len(self._exits(station))
            yield ("close", station), weights.OPEN_EXIT * chance * share
            own = stand.away[station]
            nearest = min([own, *(away[station] for away in self._others)])
            yield ("near", station), -chance * (nearest + weights.OWN_WAY * min(own, plan.FAR_AWAY))
            if self._level.is_planned:
                yield ("hem", station), -chance * plan.BEYOND * math.log1p(len(self._beyond(stand, station)))

    def _exits(self, station: int) -> frozenset[int]:
        return stops(self._board, ("black",), station)

    def _newly(self, stand: _Stand, station: int) -> frozenset[int]:
        return (self._exits(station) & stand.reach) - self._closed

    def _beyond(self, stand: _Stand, station: int) -> set[int]:
        ends = {end for way in self._exits(station) - self._closed - stand.reach for end in self._exits(way)}
        return {end for end in ends if min([stand.away[end], *(away[end] for away in self._others)]) > TWO}

    def told(self, kind: str, station: int, stand: _Stand) -> Purpose:
        """Return a term in numbers."""
        chance, was_seen = self._estimate.get(station, 0.0), self._seen is not None and self._seen["station"] == station
        within = [self._estimate[end] for end in stand.reach if end in self._estimate]
        match kind:
            case "catch":
                return Purpose(kind, station, chance, was_seen)
            case "close":
                exits, newly = self._exits(station), len(self._newly(stand, station))
                closed = len(exits & (self._closed | stand.reach))
                return Purpose(kind, station, chance, was_seen, newly, closed, len(exits))
            case "hem":
                return Purpose(kind, station, chance, was_seen, len(self._beyond(stand, station)))
            case "near" if chance >= LIKELY:
                return Purpose(kind, station, chance, was_seen, stand.away[station])
            case "near" if within:
                return Purpose("cover", chance=sum(within), number=len(within))
        return Purpose("room", number=stand.room)
