"""Fitting what the bots have learnt: the belief, and how long Mr. X stays free from a station.

The belief comes from games, the choices in them as numbers, and the weights under which they are likeliest.

What a choice is described by comes from the public view alone; where he stood and what he chose of his moves there is
only what the weights are fitted to.
"""

import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

from bench.opponents.chase import Closing, chase_on
from bench.players import Choose
from server.bots import belief, features, public_game
from server.bots.belief import Model, TripModel
from server.bots.features import Features
from server.bots.following import after, normalised
from server.bots.freedom import FREE, Freedom
from server.bots.public_game import PublicGame
from server.engine import Edition, Game, Move

STOPS, PLAYOUTS = 6, 30  # stations around him that are tried in each scene, and chases from each
SEEN = 0.4  # the chance that detectives see him in a round of a chase
CHASED = 5  # rounds of it
PLACES = 3  # decimal places of a weight
PENALTY = 1.0  # of the square of a weight
STEPS = 80
# How many weights there are for each kind of trip, and for whether he doubles.
SIZES = dict.fromkeys(("single", "first", "second"), len(features.TRIP)) | {"double": len(features.DOUBLE)}
NOTHING = Model(*((0.0,) * size for size in SIZES.values()))

Vector = tuple[float, ...]
Loss = Callable[[Sequence[float], Sequence[Any]], tuple[float, list[float]]]


class Played(NamedTuple):
    """A game that is over, to everybody and as it was: his station before each of his turns, and his moves."""

    public: PublicGame
    stations: tuple[int, ...]
    moves: tuple[Move, ...]
    winner: str


class Choice(NamedTuple):
    """One choice of his: what could be chosen, and the place of what was."""

    options: list[Vector]
    chosen: int


class Share(NamedTuple):
    """What share of the rounds of a chase he stayed free, from a station with these features."""

    options: list[Vector]
    share: float


def play(edition: str, people: int, seed: str, detectives: Choose, mr_x: Choose) -> Played:
    """Play a whole game."""
    rng = random.Random(seed)
    game = Game.deal(Edition.named(edition), people, rng)
    stations: list[int] = []
    while game.outcome is None:
        pawn = game.to_move[0]
        if pawn == "mr_x":
            stations.append(game.station("mr_x"))
        # The last move may open everything, so what everybody knows ends before it.
        public = game.view("spectator")
        choose = mr_x if pawn == "mr_x" else detectives
        game.play(choose(game.view(pawn), game.legal_moves(pawn), rng))
    read = public_game.read(public)
    moves = tuple(move for move in game.history if move.pawn == "mr_x")[: len(read.turns)]
    return Played(read, tuple(stations[: len(moves)]), moves, game.outcome.winner)


def choices(one: Played, model: Model) -> Iterator[tuple[str, Choice]]:
    """Yield his choices in a game, each with the kind of weights that it is for: "double" or a kind of trip.

    `model` says what was thought of him before each move.
    """
    for number, (scene, trips, _) in enumerate(one.public.turns):
        before = after(one.public.first, one.public.turns[:number], model.step)
        known = Features(scene, before)
        here, move = one.stations[number], one.moves[number]
        if scene.may_double:
            yield "double", Choice([known.double(here)], int(move.double))
        kind = "first" if move.double else "single"
        yield kind, _choice(known, here, move.legs[0])
        if move.double and len(trips) == 2:
            (ticket, seen), _ = trips
            # The weights of a station from which he doubles, as in the belief.
            doubled = {s: weight * belief.chance_of_double(known, s, model) for s, weight in before.items()}
            spread = TripModel(known, model.first).spread(doubled, ticket)
            middle = {seen: 1.0} if seen is not None else normalised(spread)
            yield "second", _choice(Features(scene.after_trip(ticket), middle), move.legs[0].station, move.legs[1])


def fit(data: Mapping[str, Sequence[Choice]]) -> Model:
    """Return the rounded weights under which the choices are likeliest."""
    losses = {kind: _loss_of_share if kind == "double" else _loss_of_choice for kind in SIZES}
    return Model(**{kind: _fitted(losses[kind], size, data[kind]) for kind, size in SIZES.items()})


def fit_free(games: Sequence[Played]) -> Vector:
    """Return the rounded weights of `freedom.FREE` that tell best how long he stays free in chases of these games."""
    return _fitted(_loss_of_share, len(FREE), [share for one in games for share in chased(one)])


def chased(one: Played) -> Iterator[Share]:
    """Yield how long he stays free from stations within two moves of where he stood, before each of his moves."""
    for (scene, _, _), station in zip(one.public.turns, one.stations, strict=True):
        around = {end for stop in scene.exits(station) for end in (stop, *scene.exits(stop))} - scene.standing
        detectives, known = sorted(scene.standing), Freedom(scene)
        rng = random.Random(repr((detectives, scene.windows, station)))
        for stop in rng.sample(sorted(around), min(STOPS, len(around))):
            chase = chase_on(scene.board_name, Closing)
            free = sum(chase.rounds_free(stop, detectives, CHASED, rng, SEEN) for _ in range(PLAYOUTS))
            yield Share([known.features(stop)], free / PLAYOUTS / CHASED)


def collected(games: Sequence[Played], model: Model) -> dict[str, list[Choice]]:
    """Return the choices of several games by kind."""
    data: dict[str, list[Choice]] = {kind: [] for kind in SIZES}
    for one in games:
        for kind, choice in choices(one, model):
            data[kind].append(choice)
    return data


def surprise(games: Sequence[Played], weights_of: Callable[[Played, int], Mapping[int, float]]) -> float:
    """Return the mean surprise at his true station after each of his moves but sightings, in nats.

    `weights_of` returns the belief in a game right after its turn of that number.
    """
    told = [
        -math.log(max(weights_of(one, number).get(one.moves[number].station, 0.0), features.LEAST))
        for one in games
        for number, turn in enumerate(one.public.turns)
        if turn.trips[-1][1] is None
    ]
    return sum(told) / len(told)


def learnt(model: Model) -> Callable[[Played, int], Mapping[int, float]]:
    """Return the belief of a model, for `surprise`."""

    def weights_of(one: Played, number: int) -> Mapping[int, float]:
        turn = one.public.turns[number]
        return after(one.public.first, (*one.public.turns[:number], turn._replace(visited=())), model.step)

    return weights_of


def evenly(one: Played, number: int) -> Mapping[int, float]:
    """Return even weights on the stations that the deduction leaves, for `surprise`."""
    stations = one.public.first
    for turn in one.public.turns[: number + 1]:
        scene = turn.scene
        for ticket, seen in turn.trips:
            ends = frozenset(stop for s in stations for laid, stop in scene.trips(s) if laid == ticket)
            stations = ends if seen is None else frozenset((seen,))
            scene = scene.after_trip(ticket)
        if turn is not one.public.turns[number]:
            stations -= frozenset(turn.visited)
    return normalised(dict.fromkeys(sorted(stations), 0.0))


def document(model: Model, free: Vector, seeds: Mapping[str, Any]) -> str:
    """Return the file of weights."""
    weights = {kind: list(getattr(model, kind)) for kind in SIZES} | {"free": list(free)}
    code = hashlib.sha256()
    for path in sorted((*Path(__file__).parent.glob("fit*.py"), *Path(__file__).parent.glob("opponents/*.py"))):
        code.update(path.read_bytes())
    hashes = {
        "features": _hash([features.TRIP, features.DOUBLE, FREE]),
        "seeds": _hash(seeds, sort_keys=True),
        "code": code.hexdigest(),
        "weights": _hash(weights),
    }
    return json.dumps({"seeds": seeds, "hashes": hashes, "weights": weights}, indent=1) + "\n"


def _hash(data: object, *, sort_keys: bool = False) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=sort_keys).encode()).hexdigest()


# The maximum ------------------------------------------------------------------------------------------


def _fitted(loss: Loss, size: int, data: Sequence[Any]) -> Vector:
    """Return the rounded weights of least loss, by L-BFGS."""
    weights = [0.0] * size
    value, slope = loss(weights, data)
    steps: list[tuple[list[float], list[float], float]] = []
    for _ in range(STEPS):
        direction = _direction(slope, steps)
        length, gain = 1.0 if steps else min(1.0, 1 / (1e-9 + math.sqrt(_dot(slope, slope)))), _dot(direction, slope)
        while True:
            tried = [weight + length * way for weight, way in zip(weights, direction, strict=True)]
            new, new_slope = loss(tried, data)
            if new <= value + 1e-4 * length * gain or length < 1e-8:
                break
            length /= 2
        change = [a - b for a, b in zip(tried, weights, strict=True)]
        bend = [a - b for a, b in zip(new_slope, slope, strict=True)]
        if (curve := _dot(change, bend)) > 1e-12:
            steps = [*steps[-9:], (change, bend, 1 / curve)]
        is_done = value - new < 1e-7 * max(1.0, value)
        weights, value, slope = tried, new, new_slope
        if is_done:
            break
    return tuple(round(weight, PLACES) + 0.0 for weight in weights)


def _direction(slope: Sequence[float], steps: Sequence[tuple[list[float], list[float], float]]) -> list[float]:
    way = list(slope)
    factors = []
    for change, bend, inverse in reversed(steps):
        factor = inverse * _dot(change, way)
        factors.append(factor)
        way = [a - factor * b for a, b in zip(way, bend, strict=True)]
    if steps:
        change, bend, _ = steps[-1]
        scale = _dot(change, bend) / _dot(bend, bend)
        way = [scale * a for a in way]
    for (change, bend, inverse), factor in zip(steps, reversed(factors), strict=True):
        back = factor - inverse * _dot(bend, way)
        way = [a + back * b for a, b in zip(way, change, strict=True)]
    return [-a for a in way]


def _loss_of_choice(weights: Sequence[float], data: Sequence[Choice]) -> tuple[float, list[float]]:
    """Return the loss of a softmax, and its slope."""
    loss, slope = 0.5 * PENALTY * _dot(weights, weights), [PENALTY * weight for weight in weights]
    for options, chosen in data:
        scores = [sum(map(mul, weights, option)) for option in options]
        most = max(scores)
        chances = [math.exp(score - most) for score in scores]
        total = sum(chances)
        loss += math.log(total) + most - scores[chosen]
        for chance, option in zip(chances, options, strict=True):
            share = chance / total
            if share > 1e-6:
                slope = [a + share * b for a, b in zip(slope, option, strict=True)]
        slope = [a - b for a, b in zip(slope, options[chosen], strict=True)]
    return loss, slope


def _loss_of_share(weights: Sequence[float], data: Sequence[Choice | Share]) -> tuple[float, list[float]]:
    """Return the loss of a logistic, and its slope."""
    loss, slope = 0.5 * PENALTY * _dot(weights, weights), [PENALTY * weight for weight in weights]
    for (option,), share in data:
        chance = 1 / (1 + math.exp(-sum(map(mul, weights, option))))
        loss -= share * math.log(max(1e-12, chance)) + (1 - share) * math.log(max(1e-12, 1 - chance))
        slope = [a + (chance - share) * b for a, b in zip(slope, option, strict=True)]
    return loss, slope


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(map(mul, a, b))


def _choice(known: Features, station: int, leg: tuple[str, int]) -> Choice:
    trips = known.scene.trips(station)
    return Choice([known.trip(station, *trip) for trip in trips], trips.index(tuple(leg)))
