"""The chance that Mr. X stays free from a station, as a logistic of public numbers about it.

`python -m bench fit-bots` fits it to chases in small, in which detectives see a hunted pawn now and then and close its
ways out (`bench/opponents/chase.py`). Its weights stand in `weights.json`, with those of the belief.
"""

import json
import math
from collections.abc import Sequence
from functools import cache
from operator import mul

from server.bots.belief import TEXT
from server.bots.journeys import bits_of_stops
from server.bots.public_game import Scene

FREE = (
    "always", "nearest detective 1 away", "2 away", "3 away", "5 or more away", "how many can be there at once",
    "nearness of all", "nearness of all from afar", "stations one move on, out of reach", "two moves on",
    "three moves on", "four moves on", "neighbours", "cornered", "underground exits out of reach",
)  # fmt: skip


class Freedom:
    """The features `FREE` of the stations of a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        # The stations that no detective can be on before he can: they move once before his next move.
        self._far = [
            sum(1 << station for station, moves in enumerate(scene.nearest) if moves > ahead) for ahead in (2, 3, 4, 5)
        ]

    def worth(self, station: int, weights: Sequence[float]) -> float:
        """Return the logit of the share of five rounds that he stays free."""
        return float(sum(map(mul, weights, self.features(station))))

    def features(self, station: int) -> tuple[float, ...]:
        """Return the features of a station."""
        scene, nearest = self._scene, self._scene.nearest
        near = nearest[station]
        distances = [away[station] for away in scene.away]
        exits = scene.exits(station)
        closing = sum(any(away[end] <= 1 for end in exits) for away in scene.away)
        room, ends = [], 1 << station
        for far in self._far:
            ends = self._onward(ends) & far
            room.append(math.log1p(ends.bit_count()))
        underground = scene.board.reach["underground"][station] if "underground" in scene.kinds else ()
        return (
            1.0,
            float(near <= 1),
            float(near == 2),
            float(near == 3),
            float(near >= 5),
            float(min(3, sum(moves <= 1 for moves in distances))),
            sum(0.5**moves for moves in distances),
            sum(0.75**moves for moves in distances),
            *room,
            math.log(len(scene.board.reach["black"][station])),
            float(closing >= len(exits) and all(nearest[end] <= 1 for end in exits)),
            math.log1p(sum(nearest[end] > 2 for end in underground)),
        )

    def _onward(self, stations: int) -> int:
        """Return the stations one move on from some, as bits."""
        onward = 0
        while stations:
            last = stations & -stations
            onward |= bits_of_stops(self._scene.board, self._scene.kinds, last.bit_length() - 1)
            stations ^= last
        return onward


@cache
def fitted() -> tuple[float, ...]:
    """Return the weights of `FREE` that were fitted."""
    return tuple(map(float, json.loads(TEXT)["weights"]["free"]))
