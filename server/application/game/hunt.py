"""The story of the hunt in a game whose result is final; see `server.bots.hunt`, which reads it from the moves."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from sqlalchemy import bindparam, select

from server.application.game import projection
from server.application.game.access import not_found
from server.application.game.state import cache_key, rebuild
from server.bots import hunt
from server.bots.hunt import Hunt, Point
from server.house_rules.standing import Standing
from server.house_rules.substitution import HAS_ACCOUNT
from server.models import Event, rows
from server.runtime import runtime

_SUBSTITUTED = select(Event.moves, Event.data).where(Event.game_id == bindparam("game"), Event.kind == "substituted")


class PointView(TypedDict):
    """A point of the curve, as `server.bots.hunt.Point`; `window` is the newest that is filled."""

    ply: int
    round: int
    pawn: str | None
    window: int | None
    station: int
    possible: int
    even: float
    belief: float
    likeliest: int
    chance: float
    ways: list[int]
    ruled_out: list[int]
    closed: list[int]


class MomentView(TypedDict):
    """A moment that decided the game, in words."""

    ply: int
    kind: str
    text: str


class StoryView(TypedDict):
    """The story of a hunt: the curve, from before the first move to the end, and at most three moments."""

    curve: list[PointView]
    moments: list[MomentView]


class Story(NamedTuple):
    """The hunt, and how many moves had been made when the player of Mr. X took the seat."""

    hunt: Hunt
    since: int

    def as_json(self, sentences: Sequence[str]) -> StoryView:
        """Return the story, with the sentence of each moment."""
        told = zip(self.hunt.moments, sentences, strict=True)
        return {
            "curve": [_point(point) for point in self.hunt.points],
            "moments": [{"ply": each.ply, "kind": each.kind, "text": sentence} for each, sentence in told],
        }


def _point(point: Point) -> PointView:
    return {
        "ply": point.ply,
        "round": point.round,
        "pawn": point.pawn or None,
        "window": point.window,
        "station": point.station,
        "possible": point.stations,
        "even": round(point.even, 4),
        "belief": round(point.belief, 4),
        "likeliest": point.likeliest,
        "chance": round(point.chance, 4),
        "ways": list(point.ways),
        "ruled_out": list(point.ruled_out),
        "closed": list(point.closed),
    }


def of(game: Standing) -> Story:
    """Return the story of a game, which is kept for its next readers.

    It is the same for everybody who may see the replay: who that is, `replay.open_game` says.

    Raises:
        Problem: `not-found` before the result is final, and for a game that never began.
    """
    if not game.final or game.turn is None:
        raise not_found()
    kept, place = runtime().endings, (cache_key(game), "hunt")
    story: Story | None = kept.get(place)
    if story is None:
        told = hunt.story(projection.past_views(game, "mr_x"), rebuild(game).rounds, game.reason)
        changes = [made.moves for made in rows(_SUBSTITUTED, game=game.id) if _is_new_mr_x(made.data)]
        kept.put(place, story := Story(told, max(changes, default=0)))
    return story


def _is_new_mr_x(data: Mapping[str, Any]) -> bool:
    return "mr_x" in data["pawns"] and data["reason"] != HAS_ACCOUNT
