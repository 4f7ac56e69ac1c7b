"""The learnt belief: how likely Mr. X is to be on each station, by Bayes' rule and a model of how he chooses.

From where he was last seen, each of his moves multiplies the likelihood of a station by the chance that he would have
made that move from it, as `weights.json` has it. The model was fitted on games of several kinds of Mr. X; some of the
belief is always spread evenly, as this one may be of another kind.
"""

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib import resources
from operator import mul
from typing import NamedTuple

from server.bots import features, public_game
from server.bots.features import Features
from server.bots.following import Weights, after, normalised
from server.bots.public_game import PublicGame, Scene, Trip
from server.engine import BoardView, deduce

TEXT = resources.files("server.bots").joinpath("weights.json").read_text(encoding="utf-8")
EVEN = 0.03  # the share that each of his moves spreads evenly over all stations on which he can be


class Model(NamedTuple):
    """The way in which he chooses: weights of `features.TRIP` for each kind of trip, and of `features.DOUBLE`."""

    single: tuple[float, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    double: tuple[float, ...]

    def step(self, before: Weights, scene: Scene, trips: tuple[Trip, ...]) -> Weights:
        """Return the belief after a move; see `server.bots.following`."""
        weights = normalised(_followed(before, scene, trips, self))
        return {station: (1 - EVEN) * weight + EVEN / len(weights) for station, weight in weights.items()}


class TripModel:
    """The chance of each trip from each station of a scene, by the weights of one kind of trip."""

    def __init__(self, known: Features, weights: Sequence[float]) -> None:
        self._scene, self._features = known.scene, known
        stops, tickets = len(features.STOP), len(features.STOP) + len(features.TICKET)
        self._weights = weights[:stops], weights[stops:tickets], weights[tickets:]
        self._stops: dict[int, float] = {}
        self._tickets: dict[str, float] = {}

    def _score(self, station: int, ticket: str, stop: int) -> float:
        of_stop, of_ticket, of_hiding = self._weights
        if stop not in self._stops:
            self._stops[stop] = sum(map(mul, of_stop, self._features.stop(stop)))
        if ticket not in self._tickets:
            self._tickets[ticket] = sum(map(mul, of_ticket, self._features.ticket(ticket)))
        hiding = self._features.hiding(station, ticket, stop)
        return float(self._stops[stop] + self._tickets[ticket] + sum(map(mul, of_hiding, hiding)))

    def chances(self, station: int) -> list[tuple[str, int, float]]:
        """Return (ticket, stop, chance) of every trip that is open from a station."""
        trips = self._scene.trips(station)
        if not trips:
            return []
        scores = [self._score(station, ticket, stop) for ticket, stop in trips]
        most = max(scores)
        weights = [math.exp(score - most) for score in scores]
        total = sum(weights)
        return [(ticket, stop, weight / total) for (ticket, stop), weight in zip(trips, weights, strict=True)]

    def spread(self, before: Weights, ticket: str) -> dict[int, float]:
        """Return the weights of the stations after a trip with `ticket` from each of `before`."""
        after: dict[int, float] = {}
        for station, weight in before.items():
            for laid, stop, chance in self.chances(station):
                if laid == ticket:
                    after[stop] = after.get(stop, 0.0) + weight * chance
        return after


def belief(view: BoardView, model: Model | None = None, game: PublicGame | None = None) -> dict[int, float]:
    """Return the probability of each station of `deduce(view)`, given a public view of a game, and what it reads as."""
    game = game or public_game.read(view)
    followed = after(game.first, game.turns, (model or fitted()).step)
    return normalised({station: followed.get(station, 0.0) for station in sorted(deduce(view))})


def _followed(before: Weights, scene: Scene, trips: Sequence[Trip], model: Model) -> dict[int, float]:
    """Return the weights of the stations after one move, in proportion."""
    known = Features(scene, before)
    doubles = {station: chance_of_double(known, station, model) if scene.may_double else 0.0 for station in before}
    if len(trips) == 1:
        single = {station: weight * (1 - doubles[station]) for station, weight in before.items()}
        return TripModel(known, model.single).spread(single, trips[0][0])
    doubled = {station: weight * doubles[station] for station, weight in before.items()}
    (ticket, seen), (second_ticket, _) = trips
    middle = {seen: 1.0} if seen is not None else normalised(TripModel(known, model.first).spread(doubled, ticket))
    return TripModel(Features(scene.after_trip(ticket), middle), model.second).spread(middle, second_ticket)


def chance_of_double(known: Features, station: int, model: Model) -> float:
    """Return the chance that he makes a double move from a station, where he may."""
    return 1 / (1 + math.exp(-sum(map(mul, model.double, known.double(station)))))


@cache
def fitted() -> Model:
    """Return the model that was fitted by `python -m bench fit-bots`; tests hold its file to the features."""
    return load(TEXT)


def load(text: str) -> Model:
    """Return the model in the text of a file of weights."""
    weights = json.loads(text)["weights"]
    return Model(*(tuple(map(float, weights[kind])) for kind in Model._fields))
