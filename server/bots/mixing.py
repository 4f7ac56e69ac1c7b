"""Mr. X's policies: for every station on which he can be, a public distribution over his moves.

Anybody can compute them from a station and what is public; only what is drawn from them is secret. So nobody learns
more of his station from his program than the policy itself gives away, and that is what it weighs: what is thought of
him is the exact posterior under the policy.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple

from server.bots.following import Weights, after, normalised
from server.bots.freedom import Freedom
from server.bots.public_game import PublicGame, Scene, Trip

# A move as trips: (ticket, stop), or two of them.
Option = tuple[tuple[str, int], ...]
Chances = dict[Option, float]


def posterior(game: PublicGame, policy: "Mixing") -> Weights:
    """Return how likely each station is, given all that is public, if he has always played by `policy`."""
    return after(game.first, game.turns, _step_of(policy))


def chances(game: PublicGame, policy: "Mixing", station: int) -> Chances:
    """Return the chance of each move of a Mr. X on `station`.

    If the policy would not have brought him there, as somebody else has played for him, all that he can have done is
    taken to be equally likely.
    """
    before = posterior(game, policy)
    if not before.get(station):
        before = after(game.first, game.turns, _reachable)
    return _choices(policy, game.now, tuple(before.items())).get(station, {})


def public(option: Option, scene: Scene) -> tuple[Trip, ...]:
    """Return what everybody sees of a move."""
    return tuple((ticket, stop if scene.is_shown(number) else None) for number, (ticket, stop) in enumerate(option, 1))


@lru_cache(16)
def _step_of(policy: "Mixing") -> "_Step":
    return _Step(policy)


class _Step:
    """The exact posterior after a move, by Bayes' rule."""

    def __init__(self, policy: "Mixing") -> None:
        self._policy = policy

    def __call__(self, before: Weights, scene: Scene, trips: tuple[Trip, ...]) -> Weights:
        weights: dict[int, float] = defaultdict(float)
        for station, drawn in _choices(self._policy, scene, tuple(before.items())).items():
            for option, chance in drawn.items():
                if public(option, scene) == trips:
                    weights[option[-1][1]] += before[station] * chance
        return normalised(weights) if weights else _reachable(before, scene, trips)


def _reachable(before: Weights, scene: Scene, trips: tuple[Trip, ...]) -> Weights:
    """Return even weights on the stations that a move can lead to that the policy would not have made."""
    stations = set(before)
    for ticket, seen in trips:
        ends = {stop for station in stations for laid, stop in scene.trips(station) if laid == ticket}
        stations = ends if seen is None else {seen}
        scene = scene.after_trip(ticket)
    return normalised(dict.fromkeys(sorted(stations), 0.0))


@lru_cache(256)
def _choices(policy: "Mixing", scene: Scene, before: tuple[tuple[int, float], ...]) -> dict[int, Chances]:
    return policy.choices(scene, dict(before))


# The worth of a place, in the unit of `Mixing.hiding`.
CAUGHT = 16.0  # the chance that detectives who guess well catch him at once
SAFE = 2.7  # each time the odds to stay free are e times better, by `server.bots.freedom`
# The price of a move.
BLACK = 0.3
DOUBLE = 3.0
LAST_TICKET = 0.6  # the last plain ticket of a kind; less, the more he has
LATE = 10  # with fewer windows left than these a double-move card is worth less and less
LEAST = 1e-4  # as unlikely as a station can usefully be


class Mixing(NamedTuple):
    """Hide by drawing: rounds of fictitious play against detectives who know the policy.

    In each round every station answers the draws of all the others so far: a move is worth the place, less the price,
    and more the less likely its end is to those who have seen what everybody sees of it.

    rounds: how often, or 0 to hide nothing on purpose
    temperature: how evenly it draws; hiding: the worth of an end that becomes e times less likely
    free: the weights of `freedom.FREE`, by which places are compared
    best: the most single moves, and double moves, that he draws from, by place and price alone
    """

    rounds: int
    temperature: float
    hiding: float
    free: tuple[float, ...]
    best: int = 12

    def choices(self, scene: Scene, before: Weights) -> dict[int, Chances]:
        places = Places(scene, self.free)
        return _Play(self, places, {station: self._best(places, station) for station in before}, before).chances()

    def _best(self, places: "Places", station: int) -> list[tuple[float, Option]]:
        """Return the best moves from a station as (worth, move), the best first."""
        return [*nlargest(self.best, places.singles(station)), *nlargest(self.best, places.doubles(station))]


def _useful(scene: Scene, station: int) -> tuple[tuple[str, int], ...]:
    """Return the trips from a station, without a black ticket that gains nothing.

    It hides nothing before he was first seen, or where he is shown, so there it is for what no plain ticket reaches.
    """
    trips = scene.trips(station)
    if not scene.is_shown() and scene.windows[0] >= min(scene.shown, default=0):
        return trips
    plain = {stop for ticket, stop in trips if ticket != "black"}
    return tuple((ticket, stop) for ticket, stop in trips if ticket != "black" or stop not in plain)


class Places:
    """The worth of his moves in a scene, whatever is known of him."""

    def __init__(self, scene: Scene, free: tuple[float, ...]) -> None:
        self.scene, self._free, self._weights = scene, Freedom(scene), free
        self._places: dict[int, float] = {}
        self._singles: dict[tuple[str, int], list[tuple[float, str, int]]] = {}

    def singles(self, station: int) -> Iterator[tuple[float, Option]]:
        """Yield (worth, move) of the single moves from a station."""
        for ticket, stop in _useful(self.scene, station):
            yield round(self._place(stop) - self._ticket_price(ticket), 9), ((ticket, stop),)

    def doubles(self, station: int) -> Iterator[tuple[float, Option]]:
        """Yield (worth, move) of the double moves from a station.

        Of those that end in sight on one station, it is the one with the fewest black tickets.
        """
        scene = self.scene
        if not scene.may_double:
            return
        card = DOUBLE * min(1.0, scene.windows_left / LATE)
        seen: dict[int, tuple[int, tuple[float, Option]]] = {}
        for trip in _useful(scene, station):
            price = card + self._ticket_price(trip[0])
            for worth, ticket, stop in self._seconds(*trip):
                move = round(worth - price, 9), (trip, (ticket, stop))
                if scene.is_shown(2):
                    saves = -(trip[0], ticket).count("black")
                    seen[stop] = max(seen.get(stop, (saves, move)), (saves, move))
                else:
                    yield move
        yield from (move for _, move in seen.values())

    def _seconds(self, ticket: str, middle: int) -> list[tuple[float, str, int]]:
        """Return the second trips after a first one, each with its worth."""
        known = self._singles.get((ticket, middle))
        if known is None:
            known = self._singles[ticket, middle] = [
                (self._place(stop) - self._ticket_price(laid), laid, stop)
                for laid, stop in _useful(self.scene.after_trip(ticket), middle)
            ]
        return known

    def _place(self, station: int) -> float:
        known = self._places.get(station)
        if known is None:
            known = self._places[station] = SAFE * self._free.worth(station, self._weights)
        return known

    def _ticket_price(self, ticket: str) -> float:
        held = self.scene.held[ticket]
        if held is None:
            return 0.0
        if ticket == "black":
            return BLACK if held < self.scene.windows_left else 0.0
        return LAST_TICKET / max(1, 2 * held - 1)


class _Play:
    """Fictitious play between the stations on which he can be."""

    def __init__(
        self, mixing: Mixing, places: Places, moves: dict[int, list[tuple[float, Option]]], before: Weights
    ) -> None:
        self._mixing, self._away, self._before = mixing, places.scene.away, before
        self._moves = {station: options for station, options in moves.items() if options}
        # Each end of a public move, as (number of the public move, stop).
        numbers: dict[tuple[Trip, ...], int] = {}
        self._ends = {
            station: [
                (numbers.setdefault(public(option, places.scene), len(numbers)), option[-1][1]) for _, option in options
            ]
            for station, options in self._moves.items()
        }
        self._public = len(numbers)
        self._near = {
            stop: [number for number, away in enumerate(self._away) if away[stop] == 1]
            for ends in self._ends.values()
            for _, stop in ends
        }

    def chances(self) -> dict[int, Chances]:
        """Return the chance of each move of each station."""
        base = {station: [worth for worth, _ in options] for station, options in self._moves.items()}
        sums = {station: [0.0] * len(worths) for station, worths in base.items()}
        drawn = self._drawn(base)
        for number in range(1, self._mixing.rounds + 1):
            gains = self._gains(drawn)
            for station, worths in base.items():
                total = sums[station]
                for place, end in enumerate(self._ends[station]):
                    total[place] += worths[place] + gains[end]
            drawn = self._drawn({station: [worth / number for worth in total] for station, total in sums.items()})
        return {
            station: {option: chance for (_, option), chance in zip(self._moves[station], each, strict=True)}
            for station, each in drawn.items()
        }

    def _drawn(self, worths: dict[int, list[float]]) -> dict[int, list[float]]:
        return {station: _softmax(each, self._mixing.temperature) for station, each in worths.items()}

    def _gains(self, drawn: dict[int, list[float]]) -> dict[tuple[int, int], float]:
        """Return what each end of a public move gains by hiding, less the risk of being caught there."""
        weights: dict[tuple[int, int], float] = defaultdict(float)
        for station, each in drawn.items():
            weight = self._before[station]
            for end, chance in zip(self._ends[station], each, strict=True):
                weights[end] += weight * chance
        totals = [0.0] * self._public
        for (number, _), weight in weights.items():
            totals[number] += weight
        hiding = self._mixing.hiding
        in_reach: dict[tuple[int, int], float] = defaultdict(float)
        likely = {end: weight / (totals[end[0]] or 1.0) for end, weight in weights.items()}
        for (number, stop), likelihood in likely.items():
            for detective in self._near[stop]:
                in_reach[number, detective] += likelihood
        return {
            end: -hiding * math.log(max(likelihood, LEAST)) - CAUGHT * self._risk(end, likelihood, in_reach)
            for end, likelihood in likely.items()
        }

    def _risk(self, end: tuple[int, int], likelihood: float, in_reach: dict[tuple[int, int], float]) -> float:
        """Return the chance to be caught at once, if every detective tries one of the stations in their reach."""
        number, stop = end
        missed = 1.0
        for detective in self._near[stop]:
            guessed = in_reach[number, detective]
            missed *= 1 - likelihood / guessed if likelihood < guessed else 0.0
        return 1 - missed


def _softmax(worths: Sequence[float], temperature: float) -> list[float]:
    most = max(worths, default=0.0)
    weights = [math.exp((worth - most) / temperature) for worth in worths]
    total = sum(weights)
    return [weight / total for weight in weights]
