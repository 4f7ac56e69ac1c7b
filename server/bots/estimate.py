"""Simple estimates of how likely Mr. X is to be on each station.

`last_sighting` knows where he was last seen and, once that is stale, the stations of the deduction near it. The others
give all of the deduction: `even` counts all the same, and `estimate` follows the travel log trip by trip: it assumes
that Mr. X chooses evenly among the stations to which his ticket leads, but shuns stations beside a detective.
"""

from collections.abc import Collection, Iterator
from itertools import islice

from server.bots.following import normalised
from server.bots.journeys import journeys
from server.engine import Board, BoardView, Options, deduce, windows_used
from server.engine.ticket_kinds import TICKETS

# The weight of a station beside a detective; that of every other station is 1.
DARING = 0.15

STALE = 4  # trips after which a sighting is stale
REACH = 2  # an easy detective then goes to stations within so many moves of it

# The newest trips that are followed; older ones say little about where he is now.
TRIPS = 8

# Station -> probability. The sum is 1, or there is no station.
Estimate = dict[int, float]


class OpenLines:
    """The lines on which Mr. X can travel while detectives are `standing` on some stations."""

    def __init__(self, options: Options, standing: Collection[int]) -> None:
        self._board = Board.named(options["board"])
        self._standing = frozenset(standing)
        self._watched = {stop for station in standing for stop in self._board.reach["black"][station]}
        self._passed = set(self._passed_over()) if options["cut_off"] else set()

    def spread(self, before: Estimate, ticket: str) -> Estimate:
        """Return the estimate after Mr. X has paid with `ticket`."""
        after: Estimate = {}
        for station, weight in before.items():
            stops = [stop for stop in self._board.reach[ticket][station] if self._is_open(ticket, station, stop)]
            likely = [DARING if stop in self._watched else 1.0 for stop in stops]
            each = weight / sum(likely) if stops else 0.0
            for stop, likelihood in zip(stops, likely, strict=True):
                after[stop] = after.get(stop, 0.0) + likelihood * each
        return normalised(after)

    def anywhere(self) -> Estimate:
        """Return the estimate when nothing is known: every free station is equally likely."""
        return normalised({station: 0.0 for station in self._board.stations if station not in self._standing})

    def _is_open(self, ticket: str, a: int, b: int) -> bool:
        if b in self._standing:
            return False
        return (a, b) not in self._passed or self._board.transport(ticket, a, b, self._standing) is not None

    def _passed_over(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of stations with a line that a detective cuts off; another line may still join them."""
        for (_, a, b), over in self._board.passes_over.items():
            if not self._standing.isdisjoint(over):
                yield a, b


def estimate(view: BoardView) -> Estimate:
    """Return the probability of each station of `deduce(view)`, given a public view of a game."""
    followed = _follow(view)
    return normalised({station: followed.get(station, 0.0) for station in sorted(deduce(view))})


def even(view: BoardView) -> Estimate:
    """Return the same probability for each station of `deduce(view)`."""
    return normalised(dict.fromkeys(sorted(deduce(view)), 0.0))


def last_sighting(view: BoardView) -> Estimate:
    """Return where Mr. X was last seen, or all stations alike before; once that is stale, where he can be near it."""
    seen, board = view["pawns"]["mr_x"]["last_seen"], Board.named(view["options"]["board"])
    if seen is None:
        return normalised(dict.fromkeys(board.stations, 0.0))
    if windows_used(view) - seen["window"] < STALE:
        return {seen["station"]: 1.0}
    away = journeys(board, TICKETS, seen["station"])
    near = [station for station in sorted(deduce(view)) if away[station] <= REACH]
    return normalised(dict.fromkeys(near or (seen["station"],), 0.0))


def _follow(view: BoardView) -> Estimate:
    """Return the estimate after following the log; it may hold stations that the deduction rules out."""
    standing = {pawn: station for pawn, station in view["starts"].items() if pawn != "mr_x"}
    before_first_move = {**view, "log": [], "history": [], "to_move": [], "outcome": None}
    weights = normalised(dict.fromkeys(sorted(deduce(before_first_move)), 0.0))
    log = iter(view["log"])
    followed_from = view["log"][-TRIPS]["window"] if len(view["log"]) > TRIPS else 0
    for text in view["history"]:
        words = text.split()
        if words[0] in standing:
            standing[words[0]] = int(words[2])
            weights.pop(standing[words[0]], None)
            continue
        lines = OpenLines(view["options"], standing.values())
        for entry in islice(log, 1 + (words[0] == "double")):
            if entry["station"] is not None:
                weights = {entry["station"]: 1.0}
            elif entry["window"] < followed_from:
                weights = lines.anywhere()
            else:
                weights = lines.spread(weights, entry["ticket"])
    return weights
