"""The board as it was after one of Mr. X's moves, with the stations where he could be by what was public then."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from server import engine
from server.application.game import projection
from server.application.game.state import edition_of
from server.house_rules.standing import SPECTATOR, Standing


class Lookback(NamedTuple):
    """The board after the move that filled `window` of the travel log, as a spectator knew it."""

    window: int
    view: dict[str, Any]
    possible: frozenset[int]


def windows(game: Standing, view: Mapping[str, Any]) -> list[int]:
    """Return the windows that can be looked back at: all that are filled, in a game that shows where Mr. X can be."""
    return [entry["window"] for entry in view["log"]] if edition_of(game).option("deduction") else []


def after(game: Standing, window: int) -> Lookback | None:
    """Return the board after the move that filled `window`; None if it is empty, or the game hides such stations.

    It is made from a spectator's view of that time alone, also for Mr. X.
    """
    if window not in windows(game, projection.engine_view(game, SPECTATOR)):
        return None
    view = projection.spectator_view_at(game, window)
    return Lookback(window, view, engine.deduce(view))
