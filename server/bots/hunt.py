"""The story of a hunt that is over: how sure the detectives could be of Mr. X's station, and what decided the game.

How likely a station was follows from public facts alone, as they were known at each moment: evenly over the deduction,
and by the learnt belief. Only the comparison with where he really was uses the views that Mr. X had. A way out is a
station to which his tickets led in one ride, and that no detective could reach in one ride.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from server.bots import public_game
from server.bots.belief import belief
from server.bots.journeys import station_of
from server.bots.public_game import Scene
from server.engine import BoardView
from server.engine.events import REASONS

MOMENTS = 3


class Point(NamedTuple):
    """What could be known of Mr. X after a move, or before the first.

    ply: how many moves had been made; pawn: the one that moved last, "" before the first move
    trips: the tickets and stations of that move; windows: those of the travel log that it filled
    window: the newest of the travel log that is filled, None before its first
    station: where he was; stations: on how many he could be; shown: where that move showed him, if it did
    even, belief: how likely his station was if all were alike, and by the learnt belief
    likeliest, chance: the likeliest station by the belief, and how likely it was
    near, rides: the nearest detectives, and how many rides they were from him
    ways: his ways out; ruled_out, closed: the stations, and the ways out, that the move of a detective took from him
    """

    ply: int
    round: int
    pawn: str
    trips: tuple[tuple[str, int], ...]
    windows: tuple[int, ...]
    window: int | None
    station: int
    stations: int
    shown: int | None
    even: float
    belief: float
    likeliest: int
    chance: float
    near: tuple[str, ...]
    rides: int
    ways: tuple[int, ...]
    ruled_out: tuple[int, ...]
    closed: tuple[int, ...]

    @property
    def is_in_sight(self) -> bool:
        """Return True if the move that led here showed him here."""
        return self.shown == self.station


class Moment(NamedTuple):
    """A moment that decided the game, after `ply` moves; `weight` says how much, compared with others.

    kind: lost (a move of his after which they thought him elsewhere, or had lost him), missed (a detective could have
        caught him and went elsewhere), slipped (a double move led him out), narrow (he took the last way out), shown,
        found (his ticket told where he was), closed (a detective closed ways out), walked (his last move, to where he
        was caught), onto (he went onto a detective), stuck (he could not move), hidden (he could be on the most
        stations), end
    pawns: the detectives whom it is about; could_double: a double move would have led out of their reach
    """

    kind: str
    ply: int
    weight: float
    pawns: tuple[str, ...] = ()
    could_double: bool = False


class Hunt(NamedTuple):
    """The points of a game, from before its first move to its end, and what decided it, in the order of time."""

    points: Sequence[Point]
    moments: Sequence[Moment]


def story(views: Iterable[BoardView], rounds: Sequence[int], reason: str | None) -> Hunt:
    """Return the story of a game that ended for a reason.

    views: Mr. X's view before the first move, and after each; rounds: the round of each move
    """
    read = list(_read(views, rounds, reason))
    points = [point for point, _ in read]
    return Hunt(points, _chosen([*_of_mr_x(read), *_of_detectives(points), *_of_the_end(read, reason)], points, reason))


def _read(views: Iterable[BoardView], rounds: Sequence[int], reason: str | None) -> Iterator[tuple[Point, Scene]]:
    """Yield each point with the scene as everybody knew it then."""
    filled = 0
    possible: Set[int] = frozenset()
    ways: tuple[int, ...] = ()
    for ply, view in enumerate(views):
        public = public_game.public_view(view)
        scene, weights = public_game.read(public).now, belief(public)
        station = station_of(view["pawns"]["mr_x"])
        pawn, trips = _moved(view, filled)
        log, filled = view["log"][filled:], len(view["log"])
        is_capture = reason == "captured" and ply == len(rounds)
        is_hunting = pawn not in ("", "mr_x") and not is_capture
        detectives = [each for each in view["starts"] if each != "mr_x"]
        likeliest = max(weights, key=lambda each: (weights[each], each == station))  # noqa: B023 called at once
        before, ways = ways, () if is_capture or not scene.windows_left else _ways(scene, station)
        yield Point(
            ply=ply,
            round=rounds[max(ply - 1, 0)] if rounds else 1,
            pawn=pawn,
            trips=trips,
            windows=tuple(entry["window"] for entry in log),
            window=scene.windows[0] or None,
            station=station,
            stations=len(weights),
            shown=next((entry["station"] for entry in reversed(log) if entry.get("surfaced")), None),
            even=1 / len(weights),
            belief=weights[station],
            likeliest=likeliest,
            chance=weights[likeliest],
            near=tuple(
                each
                for each, away in zip(detectives, scene.away, strict=True)
                if away[station] == scene.nearest[station]
            ),
            rides=scene.nearest[station],
            ways=ways,
            ruled_out=tuple(sorted(possible - weights.keys())) if is_hunting else (),
            closed=tuple(way for way in before if way not in ways) if is_hunting else (),
        ), scene
        possible = weights.keys()


def _moved(view: BoardView, filled: int) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return the pawn that moved last, "" before the first move, and its trips; `filled` windows were filled before."""
    if not view["history"]:
        return "", ()
    pawn, *rest = view["history"][-1].split()
    if pawn in view["starts"]:
        return pawn, ((rest[0], int(rest[1])),)
    return "mr_x", tuple((entry["ticket"], entry["station"] or 0) for entry in view["log"][filled:])


def _ways(scene: Scene, station: int) -> tuple[int, ...]:
    """Return the ways out of a station: where he could go in one ride, and no detective could."""
    return tuple(sorted({stop for _, stop in scene.trips(station) if scene.nearest[stop] > 1}))


def _has_way_by_double(scene: Scene, station: int) -> bool:
    """Return True if a double move led from a station to one that no detective could reach in one ride."""
    return scene.may_double and any(_ways(scene.after_trip(ticket), stop) for ticket, stop in scene.trips(station))


# The moments. Weights are between 0 and 1, but for those that always tell of the end.


def _of_mr_x(read: Sequence[tuple[Point, Scene]]) -> Iterator[Moment]:
    """Yield what his own moves decided."""
    was_shown = False
    for (before, scene), (point, _) in pairwise(read):
        if point.pawn != "mr_x":
            continue
        is_double, drop = len(point.trips) == 2, before.belief - point.belief
        if point.is_in_sight:
            yield Moment("shown", point.ply, (1 - before.belief) * _NEARNESS.get(point.rides, 0.1))
        elif drop < 0 and point.belief >= SURE:
            yield Moment("found", point.ply, -drop)
        else:
            checked = tuple(_went_there(read[point.ply + 1 :], point))
            # Of a sighting less is left after any move.
            fall = drop * (0.3 if was_shown and point.trips[0][0] != "black" and not is_double else 0.8)
            yield Moment("lost", point.ply, max(fall, point.chance - point.belief) + 0.2 * bool(checked), checked)
        if is_double and not before.ways and scene.trips(before.station) and point.rides > 1:
            yield Moment("slipped", point.ply, 0.9)
        elif not is_double and before.ways == (point.station,):
            yield Moment("narrow", point.ply, 0.2 + 0.6 * before.belief)
        was_shown = point.is_in_sight


_NEARNESS = {1: 1.0, 2: 0.8, 3: 0.5, 4: 0.3}  # what a sighting weighs, by the rides of the nearest detective
SURE = 0.4


def _went_there(after: Sequence[tuple[Point, Scene]], seen: Point) -> Iterator[str]:
    """Yield the detectives who went to the station that was the likeliest, before his next move."""
    for point, _ in after:
        if point.pawn == "mr_x":
            return
        if point.trips[0][1] == seen.likeliest != seen.station:
            yield point.pawn


def _of_detectives(points: Sequence[Point]) -> Iterator[Moment]:
    """Yield what the detectives' moves decided: chances that they missed, and ways out that they closed."""
    for before, point in pairwise(points):
        if point.pawn in ("", "mr_x"):
            continue
        is_capture = point.trips[0][1] == point.station
        if before.rides == 1 and point.pawn in before.near and not is_capture:
            yield Moment("missed", before.ply, 0.3 + before.belief, (point.pawn,))
        if point.closed and len(before.ways) - len(point.ways) == len(point.closed):
            share = len(point.closed) / len(before.ways)
            yield Moment("closed", point.ply, share * (0.6 + 0.4 * (not point.ways)), (point.pawn,))


def _of_the_end(read: Sequence[tuple[Point, Scene]], reason: str | None) -> Iterator[Moment]:
    """Yield his last move, if he was caught after it; else how it stood at the end. And where he was hidden best."""
    points = [point for point, _ in read]
    end = points[-1]
    his = [point for point in points if point.pawn == "mr_x"]
    if not his:
        return
    if reason in STUCK:
        went_there = not read[his[-1].ply][1].trips(end.station)
        yield Moment("stuck", his[-1].ply if went_there else end.ply, 2.0)
    elif reason != "captured":
        yield Moment("end", end.ply, 0.15 if reason in REASONS else 2.0)
    elif end.pawn == "mr_x":
        yield Moment("onto", end.ply, 2.0, end.near)
    else:
        before, scene = read[his[-1].ply - 1]
        yield Moment("walked", his[-1].ply, 2.0, (end.pawn,), _has_way_by_double(scene, before.station))
    best = max(his, key=lambda point: (point.stations, -point.belief))
    yield Moment("hidden", best.ply, 0.1)


STUCK = ("mr_x_trapped", "both_stuck")
FOR_DETECTIVES = ("shown", "found", "closed")


def _chosen(moments: Sequence[Moment], points: Sequence[Point], reason: str | None) -> list[Moment]:
    """Return the moments that weigh most, in the order of time.

    Of a game that ended with a capture, what helped the detectives counts less the longer before that it was, and what
    helped Mr. X counts half. Of a game that he survived, what helped the detectives counts less. Of one kind the second
    counts less, and of one move or round one moment of a kind is told.
    """
    last = points[-1].round

    def weight(moment: Moment) -> float:
        if moment.weight > 1:
            return moment.weight
        is_lost_by_him = reason in ("captured", "mr_x_trapped")
        if moment.kind not in FOR_DETECTIVES:
            return moment.weight * (0.5 if is_lost_by_him else 1.0)
        if is_lost_by_him:
            return moment.weight * 0.5 ** ((last - points[moment.ply].round) / 2)
        return moment.weight * (0.3 if reason in REASONS else 0.7)

    left = {moment: weight(moment) for moment in moments}
    chosen: list[Moment] = []
    while left and len(chosen) < MOMENTS:
        best = max(left, key=lambda moment: (left[moment], -moment.ply))
        chosen.append(best)
        left = {
            moment: worth * (0.6 if moment.kind == best.kind else 1.0)
            for moment, worth in left.items()
            if moment.ply != best.ply and (moment.kind, points[moment.ply].round) != (best.kind, points[best.ply].round)
        }
    return sorted(chosen, key=lambda moment: moment.ply)
