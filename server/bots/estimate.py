"""How likely Mr. X is to be on each of the stations on which he can be.

Which stations these are, the deduction says. How likely each is comes of following the travel log trip by trip: he
is thought to choose evenly among the ways that his ticket opens, but to shun stations beside a detective.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from server.engine import Board, deduce

# How likely he is to go to a station beside a detective, where 1 is how likely he is to go elsewhere.
DARING = 0.15

# How many trips are followed: what was likely before them tells little of where he is after them.
TRIPS = 8

# Station -> probability; all of them together make 1, or nothing is left.
Suspicion = dict[int, float]


class Streets:
    """The board as Mr. X finds it, with detectives `standing` on some stations."""

    def __init__(self, options: Mapping[str, Any], standing: Collection[int]) -> None:
        self._board = Board.named(options["board"])
        self._standing = frozenset(standing)
        self._watched = {stop for station in standing for stop in self._board.reach["black"][station]}
        self._passed = set(self._passed_over()) if options["cut_off"] else set()

    def spread(self, before: Suspicion, ticket: str) -> Suspicion:
        """What a suspicion becomes when he lays a ticket."""
        after: Suspicion = {}
        for station, weight in before.items():
            stops = [stop for stop in self._board.reach[ticket][station] if self._is_open(ticket, station, stop)]
            likely = [DARING if stop in self._watched else 1.0 for stop in stops]
            each = weight / sum(likely) if stops else 0.0
            for stop, share in zip(stops, likely, strict=True):
                after[stop] = after.get(stop, 0.0) + share * each
        return evened(after)

    def anywhere(self) -> Suspicion:
        """The suspicion when nothing is known."""
        return evened({station: 0.0 for station in self._board.stations if station not in self._standing})

    def _is_open(self, ticket: str, a: int, b: int) -> bool:
        if b in self._standing:
            return False
        return (a, b) not in self._passed or self._board.transport(ticket, a, b, self._standing) is not None

    def _passed_over(self) -> Iterator[tuple[int, int]]:
        """The pairs of stations with a line that a detective cuts off; another may join them still."""
        for (_, a, b), over in self._board.passes_over.items():
            if not self._standing.isdisjoint(over):
                yield a, b


def suspicion(view: Mapping[str, Any]) -> Suspicion:
    """How likely each station of `deduce(view)` is, given a public view of a game."""
    followed = _follow(view)
    return evened({station: followed.get(station, 0.0) for station in sorted(deduce(view))})


def evened(weights: Suspicion) -> Suspicion:
    """The same in proportion, all together 1; each as likely as the other where nothing speaks for any."""
    total = sum(weights.values())
    if not total:
        return {station: 1 / len(weights) for station in weights}
    return {station: weight / total for station, weight in weights.items()}


def _follow(view: Mapping[str, Any]) -> Suspicion:
    """The walk along the log; it may hold stations that the deduction rules out."""
    standing = {pawn: station for pawn, station in view["starts"].items() if pawn != "mr_x"}
    # Before the first move.
    first = deduce({**view, "log": [], "history": [], "to_move": [], "outcome": None})
    weights = evened(dict.fromkeys(sorted(first), 0.0))
    log = iter(view["log"])
    followed_from = view["log"][-TRIPS]["window"] if len(view["log"]) > TRIPS else 0
    for text in view["history"]:
        words = text.split()
        if words[0] in standing:
            standing[words[0]] = int(words[2])
            weights.pop(standing[words[0]], None)
            continue
        streets = Streets(view["options"], standing.values())
        for entry in islice(log, 1 + (words[0] == "double")):
            if entry["station"] is not None:
                weights = {entry["station"]: 1.0}
            elif entry["window"] < followed_from:
                weights = streets.anywhere()
            else:
                weights = streets.spread(weights, entry["ticket"])
    return weights
