"""Public numbers about a trip that is open to Mr. X, and about whether he doubles.

The learnt belief weighs them (`server/bots/belief.py`). Whoever changes one has to fit the weights again (`python -m
bench fit-bots`), as a weight belongs to the place of its number here.
"""

import math

from server.bots.following import Weights
from server.bots.public_game import Scene

STOP = (
    "nearest detective 1 away", "2 away", "3 away", "5 or more away", "how many can be there at once",
    "nearness of all", "exits out of reach", "neighbours", "exits out of reach, where he is shown",
    "nearness of all, where he is shown",
)  # fmt: skip
TICKET = (
    "black", "black after a sighting", "black where he is shown", "black for every window left", "bus", "underground",
    "last ticket of a kind", "stops of this ticket", "how likely this ticket is",
)  # fmt: skip
HIDING = ("how well it hides him", "how well it hides him beside a detective", "ferry")
TRIP = (*STOP, *TICKET, *HIDING)
DOUBLE = (
    "always", "nearest detective 1 away", "2 away", "best exit at most 1 away", "best exit at most 2 away",
    "the coming window shows him", "the last window showed him", "8 windows or fewer left",
)  # fmt: skip
LEAST = 1e-6


class Features:
    """The features of the trips open to Mr. X in a scene, given how likely everybody thought each station before it."""

    def __init__(self, scene: Scene, before: Weights) -> None:
        self.scene = scene
        self._is_shown = scene.is_shown()
        self._stops: dict[int, tuple[float, ...]] = {}
        self._tickets: dict[str, tuple[float, ...]] = {}
        self._even: dict[str, dict[int, float]] = {}
        self._of_ticket: dict[str, float] = {}
        self._spread_evenly(before)

    def _spread_evenly(self, before: Weights) -> None:
        for station, weight in before.items():
            trips = self.scene.trips(station)
            if not trips:
                continue
            each = weight / len(trips)
            for ticket, stop in trips:
                even = self._even.setdefault(ticket, {})
                even[stop] = even.get(stop, 0.0) + each
        self._of_ticket = {ticket: sum(even.values()) for ticket, even in self._even.items()}

    def stop(self, stop: int) -> tuple[float, ...]:
        """Return the features `STOP` of a station."""
        known = self._stops.get(stop)
        if known is None:
            known = self._stops[stop] = self._of_stop(stop)
        return known

    def _of_stop(self, stop: int) -> tuple[float, ...]:
        scene = self.scene
        near = scene.nearest[stop]
        distances = [away[stop] for away in scene.away]
        nearness = sum(0.5**moves for moves in distances)
        exits = math.log1p(sum(scene.nearest[end] > 2 for end in scene.exits(stop)))
        return (
            float(near <= 1),
            float(near == 2),
            float(near == 3),
            float(near >= 5),
            float(min(3, sum(moves <= 1 for moves in distances))),
            nearness,
            exits,
            math.log(len(scene.board.reach["black"][stop])),
            exits * self._is_shown,
            nearness * self._is_shown,
        )

    def ticket(self, ticket: str) -> tuple[float, ...]:
        """Return the features `TICKET` of a kind of ticket."""
        known = self._tickets.get(ticket)
        if known is None:
            known = self._tickets[ticket] = self._of_kind(ticket)
        return known

    def _of_kind(self, ticket: str) -> tuple[float, ...]:
        scene = self.scene
        held = scene.held[ticket]
        is_black = ticket == "black"
        even = self._even.get(ticket, {})
        return (
            float(is_black),
            float(is_black and scene.was_seen),
            float(is_black and self._is_shown),
            float(is_black and (held is None or held >= scene.windows_left)),
            float(ticket == "bus"),
            float(ticket == "underground"),
            0.0 if is_black or held is None else 1 / (2 * max(1, held) - 1),
            0.0 if self._is_shown else math.log(max(1, len(even))),
            0.0 if self._is_shown else math.log(max(LEAST, self._of_ticket.get(ticket, 0.0))),
        )

    def hiding(self, station: int, ticket: str, stop: int) -> tuple[float, ...]:
        """Return the features `HIDING` of a trip."""
        hides = 0.0
        if not self._is_shown:
            share = self._even.get(ticket, {}).get(stop, 0.0) / max(LEAST, self._of_ticket.get(ticket, 0.0))
            hides = -math.log(max(LEAST, share))
        is_ferry = ticket == "black" and stop in self.scene.board.links["ferry"].get(station, ())
        return hides, hides * (self.scene.nearest[stop] <= 1), float(is_ferry)

    def trip(self, station: int, ticket: str, stop: int) -> tuple[float, ...]:
        """Return the features `TRIP` of a trip."""
        return (*self.stop(stop), *self.ticket(ticket), *self.hiding(station, ticket, stop))

    def double(self, station: int) -> tuple[float, ...]:
        """Return the features `DOUBLE` of a station from which he may double."""
        scene = self.scene
        near = scene.nearest[station]
        best = max((scene.nearest[stop] for _, stop in scene.trips(station)), default=0)
        return (
            1.0,
            float(near <= 1),
            float(near == 2),
            float(best <= 1),
            float(best <= 2),
            float(self._is_shown),
            float(scene.was_seen),
            float(scene.windows_left <= 8),
        )
