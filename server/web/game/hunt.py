"""The story of a hunt on pages: what decided the game, and the curve of how sure the detectives could be, as SVG."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from server.application.game import hunt, projection
from server.bots.hunt import Point
from server.drawing.picture import LETTERS
from server.house_rules.standing import Standing
from server.models import Account
from server.vocabulary.translation import gettext
from server.vocabulary.words import pawn_name, percent
from server.wording import hunt as words

LEFT, RIGHT, TOP, BOTTOM = 46, 352, 14, 146  # of the curve, in a drawing of about the pixels of a phone
MOST_ROUNDS = 8  # whose numbers fit below it


class Shown(NamedTuple):
    """The story as a page shows it.

    moments: the move after which each was, its sentences, and where its number stands at the curve
    curves: how likely his station was by the belief and evenly, and the likeliest, as the data of paths in SVG
    rounds: the numbers of rounds below the curve, with their places; told: the curve in words
    """

    moments: Sequence[tuple[int, str, float, float]]
    curves: Sequence[tuple[str, str]]
    rounds: Sequence[tuple[int, float]]
    points: Sequence[Point]
    told: str

    def move(self, point: Point) -> str:
        """Return the move that led to a point, in short: `Red T46`."""
        stops = (f" {LETTERS[ticket]}{stop}" for ticket, stop in zip(point.tickets, point.stops, strict=True))
        return f"{pawn_name(point.pawn)}{''.join(stops)}" if point.pawn else gettext("The start")

    def percent(self, share: float) -> str:
        return percent(share)


def of(game: Standing, player: Account | None) -> Shown | None:
    """Return the story of a game from `replay.open_game`; None for one without moves, or with too many."""
    story = hunt.of(game)
    if len(story.hunt.points) < 2:
        return None
    points, sentences = story.hunt.points, words.moments(story, projection.own_seat(game, player))
    x = [round(LEFT + (RIGHT - LEFT) * each.ply / max(1, len(points) - 1), 1) for each in points]
    begins = [next(of_round).ply for _, of_round in groupby(points[1:], lambda each: each.round)]
    most = max(points, key=lambda each: each.belief)
    return Shown(
        moments=[
            (each.ply, sentence, x[each.ply], _y(points[each.ply].belief))
            for each, sentence in zip(story.hunt.moments, sentences, strict=True)
        ],
        curves=[
            ("likeliest", _curve(x, [each.chance for each in points])),
            ("even", _curve(x, [each.even for each in points])),
            ("belief", _curve(x, [each.belief for each in points])),
        ],
        rounds=[(points[ply].round, x[ply]) for ply in begins[:: -(-len(begins) // MOST_ROUNDS) or 1]],
        points=points,
        told=gettext(
            "How likely Mr. X's station was over {n} moves. It was most in round {round}, {most}, and {last} at the "
            "end.", n=len(points) - 1, round=most.round, most=percent(most.belief), last=percent(points[-1].belief),
        ),
    )  # fmt: skip


def _curve(x: Sequence[float], shares: Sequence[float]) -> str:
    return f"M{x[0]} {_y(shares[0])}" + "".join(
        f"H{at}V{_y(share)}" for at, share in zip(x[1:], shares[1:], strict=True)
    )


def _y(share: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * share, 1)
