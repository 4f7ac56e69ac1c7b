"""The purpose of a bot detective's move: the question that speaks most for the move, in numbers of the board.

All of it follows from a public view, so it is the same wherever Mr. X is.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from server.bots import detective, plan
from server.bots.journeys import journeys, kinds_held, kinds_of, station_of, stops
from server.engine import Board, BoardView, Move

LIKELY = 0.1  # the chance of a station that a pawn is said to go for; else all that it can reach are counted


class Purpose(NamedTuple):
    """The purpose of a move.

    kind: it is the `only` move, may `catch` Mr. X, is to `close` ways out of a station, to go `near` it, to `cover`
        stations on which he may be, or to keep `room`
    station, chance: the station that it is about, and how likely he is there, as the bot thinks; of `cover` in all
    was_seen: he was last seen there
    number: of `close` the `ways` out that it closes and no other detective does, who may close others; of `near` how
        many moves away it is then; of `cover` and `room` the stations that it can reach
    """

    kind: str
    station: int = 0
    chance: float = 0.0
    was_seen: bool = False
    number: int = 0
    ways: int = 0
    others_close: bool = False


def purpose(view: BoardView, move: Move, moves: Sequence[Move], level: str) -> Purpose:
    """Return the purpose of a detective's `move` out of its legal `moves`; `view` is the public one before it."""
    if len(moves) == 1:
        return Purpose("only")
    pawn = _Pawn(view, move.pawn, level)
    terms = [dict(pawn.terms(each)) for each in moves]
    gains = {term: worth - fmean(each.get(term, 0.0) for each in terms) for term, worth in pawn.terms(move)}
    kinds = {kind: sum(gain for term, gain in gains.items() if term[0] == kind) for kind, _ in gains}
    best = max(kinds, key=kinds.__getitem__)
    return pawn.told(*max((term for term in gains if term[0] == best), key=gains.__getitem__), move)


class _Pawn:
    """A pawn, with the detectives beside it, and where its bot thinks that Mr. X is."""

    def __init__(self, view: BoardView, pawn: str, level: str) -> None:
        self._board = Board.named(view["options"]["board"])
        self._tickets, self._seen = view["pawns"][pawn]["tickets"], view["pawns"]["mr_x"]["last_seen"]
        rules = detective.LEVELS[level]
        self._weights = plan if rules.is_planned else detective
        self._estimate = rules.estimate(view)
        self._suspects = sorted(self._estimate, key=lambda each: (-round(self._estimate[each], 9), each))[
            : plan.SUSPECTS
        ]
        others = [facts for name, facts in view["pawns"].items() if name not in ("mr_x", pawn)]
        beside = [(kinds_of(facts), station_of(facts)) for facts in others if rules.is_together]
        self._closed = {end for kinds, at in beside for end in (at, *stops(self._board, kinds, at))}
        self._others = [journeys(self._board, kinds, at) for kinds, at in beside]

    def _after(self, move: Move) -> tuple[int, frozenset[int], bytes]:
        """Return the station after a move, those on which the pawn can be one later, and how far it is to each."""
        ticket, station = move.legs[0]
        kinds = kinds_held({kind: held and held - (kind == ticket) for kind, held in self._tickets.items()})
        return station, stops(self._board, kinds, station) | {station}, journeys(self._board, kinds, station)

    def terms(self, move: Move) -> Iterator[tuple[tuple[str, int], float]]:
        """Yield the worth of each term of the plan, by kind and station."""
        at, reach, away = self._after(move)
        yield ("room", 0), plan.ROOM * sum(map(away.count, range(3))) ** 0.5
        yield ("catch", at), plan.CAPTURE * self._estimate.get(at, 0.0)
        for suspect in self._suspects:
            if suspect != at:
                exits, chance = stops(self._board, ("black",), suspect), self._estimate[suspect]
                share = len(exits & reach - self._closed) / len(exits)
                yield ("close", suspect), self._weights.OPEN_EXIT * chance * share
                nearest = min([away[suspect], *(other[suspect] for other in self._others)])
                far = self._weights.OWN_WAY * min(away[suspect], plan.FAR_AWAY)
                yield ("near", suspect), -chance * (nearest + far)

    def told(self, kind: str, station: int, move: Move) -> Purpose:
        """Return the purpose that a term stands for."""
        _, reach, away = self._after(move)
        was_seen = self._seen is not None and self._seen["station"] == station
        about = Purpose(kind, station, self._estimate.get(station, 0.0), was_seen)
        within = [self._estimate[end] for end in reach if end in self._estimate]
        if kind == "close":
            exits = stops(self._board, ("black",), station)
            newly = exits & reach - self._closed
            return about._replace(number=len(newly), ways=len(exits), others_close=not exits.isdisjoint(self._closed))
        if kind == "near" and about.chance >= LIKELY:
            return about._replace(number=away[station])
        if kind == "near" and within:
            return Purpose("cover", chance=sum(within), number=len(within))
        return about if kind == "catch" and about.chance else Purpose("room", number=sum(map(away.count, range(3))))
