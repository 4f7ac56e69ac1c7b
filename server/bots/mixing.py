"""Mr. X's policies: for every station on which he can be, a public distribution over his moves.

Anybody can compute them from a station and what is public; only what is drawn from them is secret. So nobody learns
more of his station from his program than the policy itself gives away, and that is what it weighs: what is thought of
him is the exact posterior under the policy.
"""

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple, Protocol

from server.bots.following import Weights, after, normalised
from server.bots.journeys import journeys, stops
from server.bots.public_game import PublicGame, Scene, Trip
from server.engine import Board
from server.engine.ticket_kinds import PLAIN, TICKETS

# A move as trips: (ticket, stop), or two of them.
Option = tuple[tuple[str, int], ...]
Chances = dict[Option, float]


class Policy(Protocol):
    """A way in which Mr. X draws his moves."""

    def __hash__(self) -> int: ...

    def choices(self, scene: Scene, before: Weights) -> dict[int, Chances]:
        """Return for each station of `before` the chance of each move that may be drawn there."""


def posterior(game: PublicGame, policy: Policy) -> Weights:
    """Return how likely each station is, given all that is public, if he has always played by `policy`."""
    return after(game.first, game.turns, _step_of(policy))


def chances(game: PublicGame, policy: Policy, station: int) -> Chances:
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
def _step_of(policy: Policy) -> "_Step":
    return _Step(policy)


class _Step:
    """The exact posterior after a move, by Bayes' rule."""

    def __init__(self, policy: Policy) -> None:
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
def _choices(policy: Policy, scene: Scene, before: tuple[tuple[int, float], ...]) -> dict[int, Chances]:
    return policy.choices(scene, dict(before))


# A chase in small: a hunted pawn that everybody sees, detectives who go nearer, and no tickets ----------------


# A chase in small: a hunted pawn that everybody sees, detectives who go nearer, and no tickets.
#
# Played out many times it says how long a station is safe.


class Chase:
    """The chase on one board."""

    def __init__(self, board: Board) -> None:
        self.exits = {station: tuple(sorted(stops(board, TICKETS, station))) for station in board.stations}
        self.ways = {station: tuple(sorted(stops(board, PLAIN, station))) for station in board.stations}
        self.away = {station: journeys(board, PLAIN, station) for station in board.stations}

    def flee(self, station: int, detectives: Sequence[int], rng: random.Random, daring: float = 0.1) -> int:
        """Return where the hunted pawn goes: as far from the nearest detective as it can, sometimes anywhere."""
        exits = [stop for stop in self.exits[station] if stop not in detectives]
        if not exits:
            return station
        if rng.random() < daring:
            return rng.choice(exits)
        near = [min(self.away[pawn][stop] for pawn in detectives) for stop in exits]
        most = max(near)
        return rng.choice([stop for stop, moves in zip(exits, near, strict=True) if moves == most])

    def hunt(self, target: int, detectives: list[int], rng: random.Random, daring: float = 0.1) -> None:
        """Move every detective nearer to a station, in place."""
        for number, pawn in enumerate(detectives):
            ways = [stop for stop in self.ways[pawn] if stop not in detectives]
            if not ways:
                continue
            if rng.random() < daring:
                detectives[number] = rng.choice(ways)
                continue
            detectives[number] = min(ways, key=lambda stop: (self.away[target][stop], rng.random()))

    def rounds_free(
        self, station: int, detectives: Sequence[int], rounds: int, rng: random.Random, seen: float = 1.0
    ) -> int:
        """Return how many rounds a pawn stays free, at most `rounds`; the detectives move first.

        In each round they know where it is with the chance `seen`, and go where it was last known otherwise.
        """
        pawns, known = list(detectives), station
        for number in range(rounds):
            if rng.random() < seen:
                known = station
            self.hunt(known, pawns, rng)
            if station in pawns:
                return number
            station = self.flee(station, pawns, rng)
        return rounds


# The policies -------------------------------------------------------------------------------------------


class Shunning(NamedTuple):
    """Keep away from detectives, with plain tickets as long as there is a way; nothing is hidden on purpose."""

    temperature: float

    def choices(self, scene: Scene, before: Weights) -> dict[int, Chances]:
        return {station: self._chances(scene, station) for station in before}

    def _chances(self, scene: Scene, station: int) -> Chances:
        trips = scene.trips(station)
        plain = [trip for trip in trips if trip[0] != "black"] or trips
        worths = [self._worth(scene, stop) for _, stop in plain]
        return {(trip,): chance for trip, chance in zip(plain, _softmax(worths, self.temperature), strict=True)}

    @staticmethod
    def _worth(scene: Scene, stop: int) -> float:
        safe = sum(scene.nearest[end] > 1 for end in scene.exits(stop))
        return math.log1p(safe) / 2 - 3.0 * 0.5 ** scene.nearest[stop]


# The worth of a place, in the unit of `Mixing.hiding`.
CAUGHT = 16.0  # the chance that detectives who guess well catch him at once
REACHED = 1.0  # each detective who can be there at once, well guessed or not
CORNERED = 4.0  # they can take all his ways out
ROOM = 0.7  # each time he has e times as many safe places to go to next
FURTHER = 0.56  # and after that
NEAR = 0.6  # a detective on his heels; half of it for every move further away
# The price of a move.
BLACK = 0.3
DOUBLE = 3.0
LAST_TICKET = 0.6  # the last plain ticket of a kind; less, the more he has
LATE = 10  # with fewer windows left than these a double-move card is worth less and less
FREE = 1.5  # each round that he stays free in a game in small
ROUNDS = 5  # of such a game
SEEN = 0.4  # the chance that detectives see him in a round of it
LEAST = 1e-4  # as unlikely as a station can usefully be


class Mixing(NamedTuple):
    """Hide by drawing: rounds of fictitious play against detectives who know the policy.

    In each round every station answers the draws of all the others so far: a move is worth the place, less the price,
    and more the less likely its end is to those who have seen what everybody sees of it.

    rounds: how often; temperature: how evenly it draws; hiding: each time the end is e times less likely
    best: how many of his single moves are drawn from, by place and price alone, and of his double moves, if `doubles`
    playouts: games in small, in all, that tell how long the ends of these moves are safe
    """

    rounds: int
    temperature: float
    hiding: float
    best: int = 12
    doubles: bool = True
    playouts: int = 0

    def choices(self, scene: Scene, before: Weights) -> dict[int, Chances]:
        places = Places(scene)
        best = {station: self._best(places, station) for station in before}
        if self.playouts:
            ends = sorted({move[-1][1] for moves in best.values() for _, move in moves})
            free = _rounds_free(scene, ends, self.playouts)
            best = {
                station: [(worth + FREE * free[move[-1][1]], move) for worth, move in moves]
                for station, moves in best.items()
            }
        return _Play(self, places, best, before).chances()

    def _best(self, places: "Places", station: int) -> list[tuple[float, Option]]:
        """Return the best moves from a station as (worth, move), the best first."""
        doubles = places.doubles(station) if self.doubles else ()
        return [*nlargest(self.best, places.singles(station)), *nlargest(self.best, doubles)]


@lru_cache(4)
def _chase(board: str) -> Chase:
    return Chase(Board.named(board))


def _rounds_free(scene: Scene, ends: Sequence[int], playouts: int) -> dict[int, float]:
    """Return how many of some rounds he stays free from each end, in the mean of games in small."""
    chase, detectives = _chase(scene.board_name), sorted(scene.standing)
    each = max(2, playouts // max(1, len(ends)))
    free = {}
    for end in ends:
        rng = random.Random(repr((detectives, scene.windows, end)))  # noqa: S311 anybody may play them again
        free[end] = sum(chase.rounds_free(end, detectives, ROUNDS, rng, SEEN) for _ in range(each)) / each
    return free


class Places:
    """The worth of his moves in a scene, whatever is known of him."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._places: dict[int, float] = {}
        self._singles: dict[tuple[str, int], list[tuple[float, str, int]]] = {}

    def singles(self, station: int) -> Iterator[tuple[float, Option]]:
        """Yield (worth, move) of the single moves from a station."""
        for trip in self.scene.trips(station):
            yield round(self._place(trip[1]) - self._ticket_price(trip[0]), 9), (trip,)

    def doubles(self, station: int) -> Iterator[tuple[float, Option]]:
        """Yield (worth, move) of the double moves from a station."""
        scene = self.scene
        if not scene.may_double:
            return
        card = DOUBLE * min(1.0, scene.windows_left / LATE)
        for trip in scene.trips(station):
            price = card + self._ticket_price(trip[0])
            for worth, ticket, stop in self._seconds(*trip):
                yield round(worth - price, 9), (trip, (ticket, stop))

    def _seconds(self, ticket: str, middle: int) -> list[tuple[float, str, int]]:
        """Return the second trips after a first one, each with its worth."""
        known = self._singles.get((ticket, middle))
        if known is None:
            known = self._singles[ticket, middle] = [
                (self._place(stop) - self._ticket_price(laid), laid, stop)
                for laid, stop in self.scene.after_trip(ticket).trips(middle)
            ]
        return known

    def _place(self, station: int) -> float:
        known = self._places.get(station)
        if known is None:
            known = self._places[station] = self._worth(station)
        return known

    def _worth(self, station: int) -> float:
        scene = self.scene
        near = sum(0.5 ** away[station] for away in scene.away)
        reached = sum(away[station] == 1 for away in scene.away)
        exits = scene.exits(station)
        # They move once before his next move, and once after it.
        safe = {stop for stop in exits if scene.nearest[stop] > 2}
        further = {end for stop in safe for end in scene.exits(stop) if scene.nearest[end] > 3}
        room = ROOM * math.log1p(len(safe)) + FURTHER * math.log1p(len(further))
        closing = sum(any(away[stop] <= 1 for stop in exits) for away in scene.away)
        is_cornered = closing >= len(exits) and all(scene.nearest[stop] <= 1 for stop in exits)
        return room - NEAR * near - REACHED * reached - CORNERED * is_cornered

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
