"""The purpose of a bot detective's move: the term of its plan that speaks most for the move, in numbers of the board.

All of it follows from a public view, so it is the same wherever Mr. X is.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from server.bots import detective, plan
from server.bots.journeys import journeys, kinds_held, kinds_of, station_of, stops
from server.engine import Board, BoardView, Move

LIKELY = 0.1  # the chance of a station that a pawn is said to go for; else all that it can reach are counted
TWO = 2  # moves, within which a plan counts stations


class Purpose(NamedTuple):
    """The purpose of a move.

    kind: it is the `only` move; it may `catch` Mr. X; it should `close` ways out of a station, `hem` him in there, go
        `near` it, `cover` stations on which he may be, or keep `room`
    station, chance: the station that it is about, and how likely he is there, as the bot thinks; of `cover` in all
    was_seen: he was last seen there
    number: ways out that no other detective closes; stations to which he can go on before any detective; moves that the
        pawn is away; or stations that it can reach
    closed, ways: how many ways out detectives close then, and how many there are
    """

    kind: str
    station: int = 0
    chance: float = 0.0
    was_seen: bool = False
    number: int = 0
    closed: int = 0
    ways: int = 0


class _Stand(NamedTuple):
    """A pawn after a move: the stations it can be on at once, its moves to each, and how many are within two."""

    station: int
    reach: frozenset[int]
    away: bytes
    room: int


def purpose(view: BoardView, move: Move, moves: Sequence[Move], level: str) -> Purpose:
    """Return the purpose of a detective's `move` out of its legal `moves`; `view` is the public one before it."""
    if len(moves) == 1:
        return Purpose("only")
    team = _Team(view, move.pawn, level)
    stand, others = team.stand(move), [dict(team.terms(team.stand(each))) for each in moves]
    gains = {term: worth - fmean(each.get(term, 0.0) for each in others) for term, worth in team.terms(stand)}
    kinds = {kind: sum(gain for term, gain in gains.items() if term[0] == kind) for kind, _ in gains}
    best = max(kinds, key=kinds.__getitem__)
    return team.told(*max((term for term in gains if term[0] == best), key=gains.__getitem__), stand)


class _Team:
    """The detectives beside a pawn, and where its bot thinks that Mr. X is."""

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
        away = journeys(self._board, kinds, station)
        return _Stand(
            station, stops(self._board, kinds, station) | {station}, away, sum(map(away.count, range(TWO + 1)))
        )

    def terms(self, stand: _Stand) -> Iterator[tuple[tuple[str, int], float]]:
        """Yield the worth of each term of the plan, by kind and station."""
        weights = plan if self._level.is_planned else detective
        yield ("room", 0), plan.ROOM * stand.room**0.5
        yield ("catch", stand.station), plan.CAPTURE * self._estimate.get(stand.station, 0.0)
        for station, chance in self._suspects:
            if station != stand.station:
                share = len(self._newly(stand, station)) / len(self._exits(station))
                yield ("close", station), weights.OPEN_EXIT * chance * share
                far = weights.OWN_WAY * min(stand.away[station], plan.FAR_AWAY)
                yield ("near", station), -chance * (self._nearest(stand, station) + far)
                if self._level.is_planned:
                    yield ("hem", station), -plan.BEYOND * chance * math.log1p(len(self._beyond(stand, station)))

    def _exits(self, station: int) -> frozenset[int]:
        return stops(self._board, ("black",), station)

    def _newly(self, stand: _Stand, station: int) -> frozenset[int]:
        return (self._exits(station) & stand.reach) - self._closed

    def _nearest(self, stand: _Stand, station: int) -> int:
        return min([stand.away[station], *(away[station] for away in self._others)])

    def _beyond(self, stand: _Stand, station: int) -> set[int]:
        ends = {end for way in self._exits(station) - self._closed - stand.reach for end in self._exits(way)}
        return {end for end in ends if self._nearest(stand, end) > TWO}

    def told(self, kind: str, station: int, stand: _Stand) -> Purpose:
        """Return the purpose that a term stands for."""
        was_seen = self._seen is not None and self._seen["station"] == station
        about = Purpose(kind, station, self._estimate.get(station, 0.0), was_seen)
        within = [self._estimate[end] for end in stand.reach if end in self._estimate]
        match kind:
            case "catch":
                return about
            case "close":
                exits, newly = self._exits(station), len(self._newly(stand, station))
                return about._replace(number=newly, closed=len(exits & (self._closed | stand.reach)), ways=len(exits))
            case "hem":
                return about._replace(number=len(self._beyond(stand, station)))
            case "near" if about.chance >= LIKELY:
                return about._replace(number=stand.away[station])
            case "near" if within:
                return Purpose("cover", chance=sum(within), number=len(within))
        return Purpose("room", number=stand.room)
