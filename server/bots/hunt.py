"""The story of a hunt that is over: how sure the detectives could be of Mr. X's station, and what decided the game.

How likely a station was follows from public facts alone, as they were known at each moment: evenly over the deduction,
and by the learnt belief. Only the comparison with where he really was uses the views that Mr. X had.
"""

import math
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise, takewhile
from typing import NamedTuple

from server.bots import public_game
from server.bots.belief import belief
from server.bots.journeys import station_of
from server.engine import BoardView
from server.engine.events import REASONS

MOMENTS = 3
ALWAYS = 2.0  # what a moment weighs that is told always; of others a weight is at most 1.3
SURE = 0.4  # how likely his station is when a ticket has told where he was
NEARNESS = {1: 1.0, 2: 0.8, 3: 0.5, 4: 0.3}  # what a sighting weighs, by the rides of the nearest detective
FOR_DETECTIVES = ("shown", "found", "closed")
LOST_BY_MR_X = ("captured", "mr_x_trapped")


class Point(NamedTuple):
    """A point of the curve: the facts on Mr. X after a move, or before the first.

    ply: how many moves had been made; pawn: the one that moved last, with its tickets and where they led
    window: the newest of the travel log that was filled; shown: where the move showed him, if it did
    station, stations: where he was; on how many he could be
    even, belief: how likely his station was if all of these were alike, and by the learnt belief
    likeliest, chance: the likeliest station by that belief, and how likely it was
    near, rides: the nearest detectives, and how many rides they were from him
    ways: his ways out, the stations to which he could go in one ride and no detective could
    ruled_out, closed: the stations, and the ways out, that the move of a detective took from him
    """

    ply: int
    round: int
    pawn: str | None
    tickets: list[str]
    stops: list[int]
    window: int
    shown: int | None
    station: int
    stations: int
    even: float
    belief: float
    likeliest: int
    chance: float
    near: list[str]
    rides: int
    ways: list[int]
    ruled_out: list[int]
    closed: list[int]


class Moment(NamedTuple):
    """A moment that decided the game, after `ply` moves; one that weighs `ALWAYS` is told always.

    kind: lost (after a move of his they thought him elsewhere, or had lost him), missed (a detective could have caught
        him and went elsewhere), slipped (a double move led him out), narrow (he took the last way out), shown,
        found (his ticket told where he was), closed (a detective closed ways out), walked (his last move, after which
        he was caught), stuck (he could not move on), end
    """

    kind: str
    ply: int
    weight: float


class Hunt(NamedTuple):
    """The points of a game, from before its first move to its end, and what decided it, in the order of time."""

    points: list[Point]
    moments: list[Moment]


def story(views: Iterable[BoardView], rounds: Sequence[int], reason: str | None) -> Hunt:
    """Return the story of a game that ended for a reason.

    views: Mr. X's view before the first move, and after each; rounds: the round of each move
    """
    points = list(_points(views, rounds, reason))
    moments = [*_of_mr_x(points), *_of_detectives(points), *_of_the_end(points, reason)]
    return Hunt(points, _chosen(moments, points, reason))


def _points(views: Iterable[BoardView], rounds: Sequence[int], reason: str | None) -> Iterator[Point]:
    filled, ways = 0, list[int]()
    possible: Set[int] = frozenset()
    for ply, view in enumerate(views):
        game = public_game.read(public := public_game.public_view(view))
        scene, weights = game.now, belief(public, game=game)
        station = station_of(view["pawns"]["mr_x"])
        rides = scene.nearest[station]
        log, filled = view["log"][filled:], len(view["log"])
        pawn, *rest = view["history"][-1].split() if ply else [""]
        is_capture = reason == "captured" and ply == len(rounds)
        is_hunting = pawn in view["starts"] and not is_capture
        likeliest = max(weights, key=lambda each: (weights[each], each == station))
        detectives = [each for each in view["starts"] if each != "mr_x"]
        trips = () if is_capture or not scene.windows_left else scene.trips(station)
        before, ways = ways, sorted({stop for _, stop in trips if scene.nearest[stop] > 1})
        yield Point(
            ply=ply,
            round=rounds[max(ply - 1, 0)] if rounds else 1,
            pawn=pawn if pawn in view["starts"] else "mr_x" if ply else None,
            tickets=[rest[0]] if pawn in view["starts"] else [entry["ticket"] for entry in log],
            stops=[int(rest[1])] if pawn in view["starts"] else [entry["station"] or 0 for entry in log],
            window=scene.windows[0],
            shown=next((entry["station"] for entry in reversed(log) if entry.get("surfaced")), None),
            station=station,
            stations=len(weights),
            even=round(1 / len(weights), 4),
            belief=round(weights[station], 4),
            likeliest=likeliest,
            chance=round(weights[likeliest], 4),
            near=[each for each, away in zip(detectives, scene.away, strict=True) if away[station] == rides],
            rides=rides,
            ways=ways,
            ruled_out=sorted(possible - weights.keys()) if is_hunting else [],
            closed=[way for way in before if way not in ways] if is_hunting else [],
        )
        possible = weights.keys()


def went_there(points: Sequence[Point], seen: Point) -> list[str]:
    """Return the detectives who looked for Mr. X in vain on the likeliest station before his next move."""
    replies = takewhile(lambda each: each.pawn != "mr_x", points[seen.ply + 1 :])
    return [each.pawn or "" for each in replies if each.stops == [seen.likeliest] and seen.likeliest != seen.station]


def _of_mr_x(points: Sequence[Point]) -> Iterator[Moment]:
    """Yield what his own moves decided."""
    was_shown = False
    for before, point in pairwise(points):
        if point.pawn != "mr_x":
            continue
        is_double, drop = len(point.stops) == 2, before.belief - point.belief
        is_shown = point.shown == point.station
        if is_shown:
            yield Moment("shown", point.ply, (1 - before.belief) * NEARNESS.get(point.rides, 0.1))
        elif drop < 0 and point.belief >= SURE:
            yield Moment("found", point.ply, -drop)
        else:
            # After a sighting every move leaves less.
            fall = drop * (0.3 if was_shown and point.tickets[0] != "black" and not is_double else 0.8)
            wrong = point.chance - point.belief + 0.2 * bool(went_there(points, point))
            yield Moment("lost", point.ply, max(fall, wrong))
        if is_double and not before.ways and point.rides > 1:
            yield Moment("slipped", point.ply, 0.9)
        elif not is_double and before.ways == point.stops:
            yield Moment("narrow", point.ply, 0.2 + 0.6 * before.belief)
        was_shown = is_shown


def _of_detectives(points: Sequence[Point]) -> Iterator[Moment]:
    """Yield what the detectives' moves decided: chances that they missed, and ways out that they closed."""
    for before, point in pairwise(points):
        if point.pawn == "mr_x":
            continue
        if before.rides == 1 and point.pawn in before.near and point.rides:
            yield Moment("missed", point.ply, 0.3 + before.belief)
        if len(before.ways) - len(point.ways) == len(point.closed) >= max(1, len(before.ways) / 3):
            yield Moment("closed", point.ply, len(point.closed) / len(before.ways) * (0.6 if point.ways else 1.0))


def _of_the_end(points: Sequence[Point], reason: str | None) -> Iterator[Moment]:
    """Yield his last move, if it decided the game; else how it stood at the end."""
    his = [point.ply for point in points if point.pawn == "mr_x"]
    if his and reason in LOST_BY_MR_X:
        yield Moment("walked" if reason == "captured" else "stuck", his[-1], ALWAYS)
    elif his:
        yield Moment("end", points[-1].ply, 0.15 if reason in REASONS else ALWAYS)


def _subject(moment: Moment) -> str:
    return "lost" if moment.kind == "end" else moment.kind  # both tell where they thought him


def _chosen(moments: Sequence[Moment], points: Sequence[Point], reason: str | None) -> list[Moment]:
    """Return the moments that weigh most, in the order of time.

    In a game that Mr. X lost, what helped the detectives counts less the longer before the end it was, and what helped
    him counts less. In a game that he survived, what helped them counts less. Of one kind the second counts less, and
    of one move, and of one kind in a round, one moment is told.
    """

    def weight(moment: Moment) -> float:
        if moment.weight >= ALWAYS:
            return moment.weight
        if moment.kind not in FOR_DETECTIVES:
            return moment.weight * (0.4 if reason in LOST_BY_MR_X else 1.0)
        if reason in LOST_BY_MR_X:
            return moment.weight * math.exp((points[moment.ply].round - points[-1].round) / 6)
        return moment.weight * (0.3 if reason in REASONS else 0.7)

    left, chosen = {moment: weight(moment) for moment in moments}, list[Moment]()
    while left and len(chosen) < MOMENTS:
        best = max(left, key=lambda moment: (left[moment], -moment.ply))
        chosen.append(best)
        place = _subject(best), points[best.ply].round
        left = {
            moment: worth * (0.6 if _subject(moment) == _subject(best) else 1.0)
            for moment, worth in left.items()
            if moment.ply != best.ply and (_subject(moment), points[moment.ply].round) != place
        }
    return sorted(chosen, key=lambda moment: moment.ply)
