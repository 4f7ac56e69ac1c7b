"""The story of a hunt on pages: what decided the game, and the curve of how sure the detectives could be, as SVG."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from server.application.game import hunt, projection
from server.bots.hunt import Point
from server.house_rules.standing import Standing
from server.models import Account
from server.vocabulary.words import line, pawn_name
from server.wording import hunt as words

LEFT, RIGHT, TOP, BOTTOM = 46, 352, 14, 146  # of the curve, in a drawing of about the pixels of a phone
MOST_ROUNDS = 8  # whose numbers fit below it
MOST_LISTED = 6  # stations in a row of the table


class Marked(NamedTuple):
    """A moment: its number on the curve, the sentence, the move after which it was, and where its number stands."""

    number: int
    sentence: str
    ply: int
    x: float
    y: float


class Row(NamedTuple):
    """A row of the table: a move, and what could be known after it; `lost` is what a detective took from him."""

    move: str
    station: int
    possible: int
    even: str
    belief: str
    likeliest: str
    ways: int
    lost: str


class Shown(NamedTuple):
    """The story as a page shows it; `belief`, `even` and `likeliest` are curves as the data of paths in SVG.

    rounds: the number of a round below the curve, with its place; told: the curve in words
    """

    moments: Sequence[Marked]
    belief: str
    even: str
    likeliest: str
    rounds: Sequence[tuple[int, float]]
    rows: Sequence[Row]
    told: str


def of(game: Standing, player: Account | None) -> Shown:
    """Return the story of a game from `replay.open_game`."""
    story = hunt.of(game)
    points, sentences = story.hunt.points, words.moments(story, projection.own_seat(game, player))
    last = max(1, len(points) - 1)

    def x(ply: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * ply / last, 1)

    def curve(share: Callable[[Point], float]) -> str:
        (first, *others) = points
        return f"M{LEFT} {_y(share(first))}" + "".join(f"H{x(each.ply)}V{_y(share(each))}" for each in others)

    begins = [next(plies).ply for _, plies in groupby(points[1:], lambda each: each.round)]
    step = -(-len(begins) // MOST_ROUNDS)
    return Shown(
        moments=[
            Marked(number, sentence, each.ply, x(each.ply), _y(points[each.ply].belief))
            for number, (each, sentence) in enumerate(zip(story.hunt.moments, sentences, strict=True), 1)
        ],
        belief=curve(lambda each: each.belief),
        even=curve(lambda each: each.even),
        likeliest=curve(lambda each: each.chance),
        rounds=[(points[ply].round, x(ply)) for ply in begins[::step]],
        rows=list(map(_row, points)),
        told=_told(points),
    )


def _y(share: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * share, 1)


def _row(point: Point) -> Row:
    ways = f"ways to {_listed(point.closed)}" if point.closed else ""
    return Row(
        move=_move(point),
        station=point.station,
        possible=point.stations,
        even=words.percent(point.even),
        belief=words.percent(point.belief),
        likeliest=f"{point.likeliest} ({words.percent(point.chance)})",
        ways=len(point.ways),
        lost="; ".join(part for part in (_listed(point.ruled_out), ways) if part),
    )


def _move(point: Point) -> str:
    if not point.pawn:
        return "The start"
    trips = ", then ".join(f"{line(ticket)} to {station}" for ticket, station in point.trips)
    return f"{pawn_name(point.pawn)}: {trips}"


def _listed(stations: Sequence[int]) -> str:
    others = f" and {len(stations) - MOST_LISTED} more" if len(stations) > MOST_LISTED else ""
    return ", ".join(map(str, stations[:MOST_LISTED])) + others


def _told(points: Sequence[Point]) -> str:
    """Return the curve in words."""
    most = max(points, key=lambda each: each.belief)
    seen = sum(each.shown is not None for each in points)
    return (
        f"A curve over {len(points) - 1} moves: how likely Mr. X's station was to the detectives. It rose to "
        f"{words.percent(most.belief)} in round {most.round}, and ended at {words.percent(points[-1].belief)}. Mr. X "
        f"showed himself {seen} times."
    )
