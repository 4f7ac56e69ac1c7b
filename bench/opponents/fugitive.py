"""The Mr. X of version 0.1.0: a function of his station and the public game, so that everybody can find him by it.

`choose` hides from the simple estimate as he did then. `hiding_from` returns one who hides from a learnt belief.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from server.bots import public_game
from server.bots.belief import Model
from server.bots.estimate import Estimate, OpenLines, estimate
from server.bots.following import after
from server.bots.journeys import best_with_ties_broken, journeys, kinds_held, kinds_of, stops
from server.bots.public_game import public_view
from server.engine import Board, Leg, Move, windows_used

# The worth of a place, in the unit of `HIDDEN`.
CAUGHT = 10.0  # the chance that detectives who guess well catch him at once
REACHED = 2.0  # each detective who can be there at once, well guessed or not
CORNERED = 4.0  # they can take all his ways out
HIDDEN = 0.5  # each time the detectives think him there e times less likely
ROOM = 0.7  # each time he has e times as many safe places to go to next
FURTHER = 0.56  # and after that
NEAR = 0.6  # a detective on his heels; half of it for every move further away
# The price of a move.
BLACK = 0.4
DOUBLE = 2.0
LAST_TICKET = 0.6  # the last plain ticket of a kind; less, the more he has
LATE = 10  # with fewer windows left than these a double-move card is worth less and less

Trip = tuple[str, int | None]


def choose(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Return the best of `moves` for Mr. X, who sees `view`. See `server.bots.choose`."""
    return best_with_ties_broken(moves, Outlook(view).worth, rng)


def hiding_from(model: Model) -> Callable[[Mapping[str, Any], Sequence[Move], random.Random], Move]:
    """Return the same Mr. X, who thinks that detectives believe what `model` says."""

    def hide(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
        return best_with_ties_broken(moves, Believed(view, model).worth, rng)

    return hide


class Outlook:
    """Mr. X's prospects before his move."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        options = view["options"]
        self._board = Board.named(options["board"])
        self._tickets = view["pawns"]["mr_x"]["tickets"]
        self._kinds = kinds_held(self._tickets)
        detectives = [facts for pawn, facts in view["pawns"].items() if pawn != "mr_x"]
        self._standing = {facts["station"] for facts in detectives}
        self._away = [journeys(self._board, kinds_of(facts), facts["station"]) for facts in detectives]
        self._nearest = bytes(min(moves) for moves in zip(*self._away, strict=True))
        self._used = windows_used(view)
        self._windows_left: int = options["log_windows"] - self._used
        self._surfacing = options["surfacing"]
        self._lines = OpenLines(options, self._standing)
        self._estimates: dict[tuple[Trip, ...], Estimate] = {(): estimate(public_view(view))}
        self._guesses: dict[tuple[Trip, ...], list[float]] = {}
        self._worths: dict[tuple[tuple[Trip, ...], int], float] = {}
        self._places: dict[int, float] = {}

    def worth(self, move: Move) -> float:
        """Return how well he stands after a move; more is better, and a move onto a detective is the worst."""
        if any(leg.station in self._standing for leg in move.legs):
            return -math.inf
        public = tuple(self._public(leg, self._used + number) for number, leg in enumerate(move.legs, 1))
        key = public, move.station
        if key not in self._worths:
            self._worths[key] = self._weigh(public, move.station) - self._price(public)
        return self._worths[key]

    def _public(self, leg: Leg, window: int) -> Trip:
        """Return the part of a trip that everybody sees."""
        return leg.ticket, leg.station if window in self._surfacing else None

    def _weigh(self, public: tuple[Trip, ...], station: int) -> float:
        if station not in self._places:
            self._places[station] = self._place(station)
        likelihood = self._estimate(public).get(station, 0.0)
        hidden = -math.log(max(likelihood, 1e-4))
        return self._places[station] + HIDDEN * hidden - CAUGHT * self._risk(public, station, likelihood)

    def _place(self, station: int) -> float:
        """Return the worth of a station, whatever the detectives know."""
        near = sum(0.5 ** away[station] for away in self._away)
        reached = sum(away[station] == 1 for away in self._away)
        # They move once before his next move, and once after it.
        safe = {stop for stop in self._exits(station) if self._nearest[stop] > 2}
        further = {end for stop in safe for end in self._exits(stop) if self._nearest[end] > 3}
        room = ROOM * math.log1p(len(safe)) + FURTHER * math.log1p(len(further))
        return room - NEAR * near - REACHED * reached - CORNERED * self._is_cornered(station)

    def _exits(self, station: int) -> frozenset[int]:
        return stops(self._board, self._kinds, station)

    def _is_cornered(self, station: int) -> bool:
        """Return True if there are enough detectives to stand on all his ways out."""
        exits = self._exits(station)
        closing = sum(any(away[stop] <= 1 for stop in exits) for away in self._away)
        return closing >= len(exits) and all(self._nearest[stop] <= 1 for stop in exits)

    def _risk(self, public: tuple[Trip, ...], station: int, likelihood: float) -> float:
        """Return the chance to be caught at once, if every detective tries one of the stations in their reach."""
        if public not in self._guesses:
            self._guesses[public] = [self._guess(self._estimate(public), away) for away in self._away]
        missed = 1.0
        for away, guessed in zip(self._away, self._guesses[public], strict=True):
            if away[station] == 1:
                missed *= 1 - likelihood / guessed if likelihood < guessed else 0.0
        return 1 - missed

    @staticmethod
    def _guess(estimated: Estimate, away: bytes) -> float:
        """Return the probability that he is in a detective's reach."""
        return sum(likelihood for station, likelihood in estimated.items() if away[station] == 1)

    def _estimate(self, public: tuple[Trip, ...]) -> Estimate:
        """Return the estimate that everybody can make after these trips."""
        if public not in self._estimates:
            *before, (ticket, shown) = public
            if shown is not None:
                self._estimates[public] = {shown: 1.0}
            else:
                self._estimates[public] = self._lines.spread(self._estimate(tuple(before)), ticket)
        return self._estimates[public]

    def _price(self, public: tuple[Trip, ...]) -> float:
        double = DOUBLE * min(1.0, self._windows_left / LATE) if len(public) == 2 else 0.0
        return double + sum(self._ticket_price(ticket) for ticket, _ in public)

    def _ticket_price(self, ticket: str) -> float:
        held: int | None = self._tickets[ticket]
        if held is None:
            return 0.0
        if ticket == "black":
            return BLACK if held < self._windows_left else 0.0
        return LAST_TICKET / (2 * held - 1)


class Believed(Outlook):
    """His prospects if detectives believe what a model says."""

    def __init__(self, view: Mapping[str, Any], model: Model) -> None:
        super().__init__(view)
        self._model = model
        self._game = public_game.read(public_view(view))
        self._estimates = {(): after(self._game.first, self._game.turns, model.step)}

    def _estimate(self, public: tuple[Trip, ...]) -> Estimate:
        if public not in self._estimates:
            if public[-1][1] is not None:
                self._estimates[public] = {public[-1][1]: 1.0}
            else:
                self._estimates[public] = dict(self._model.step(self._estimates[()], self._game.now, public))
        return self._estimates[public]
