"""The board as it was after one of Mr. X's moves, with the stations where he could be by what was public then."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from server import engine
from server.application.game import views
from server.application.game.state import edition_of, rebuild
from server.models import Game


class Lookback(NamedTuple):
    """The board after the move that filled `window` of the travel log, as a spectator knew it."""

    window: int
    view: dict[str, Any]
    possible: frozenset[int]


def windows(game: Game, view: Mapping[str, Any]) -> list[int]:
    """Return the windows that can be looked back at: all that are filled, in a game that shows where Mr. X can be."""
    return [entry["window"] for entry in view["log"]] if edition_of(game).option("deduction") else []


def after(game: Game, window: int) -> Lookback | None:
    """Return the board after the move that filled `window`; None if it is empty, or the game hides such stations.

    It is made from a spectator's view of that time alone, also for Mr. X.
    """
    now = views.engine_view(game, views.SPECTATOR)
    if window not in windows(game, now):
        return None
    then = rebuild(game, _moves_until(now, window)).view(views.SPECTATOR)
    # Of a double move, the first half is looked at as if the second had not been made.
    then["log"] = [entry for entry in then["log"] if entry["window"] <= window]
    entry = then["log"][-1]
    then["pawns"]["mr_x"] |= {"station": entry["station"], "last_seen": _last_seen(then)}
    then["outcome"] = None
    return Lookback(window, then, engine.deduce(then))


def _moves_until(view: Mapping[str, Any], window: int) -> int:
    """Return the number of moves of all pawns until the one that filled `window`."""
    filled = view["log"][0]["window"] - 1
    for number, notation in enumerate(view["history"], 1):
        words = notation.split()
        if words[0] not in engine.PAWNS:
            filled += 2 if words[0] == "double" else 1
        if filled >= window:
            return number
    return len(view["history"])


def _last_seen(view: Mapping[str, Any]) -> dict[str, Any] | None:
    for entry in reversed(view["log"]):
        if entry.get("surfaced"):
            return {"window": entry["window"], "station": entry["station"]}
    seen: dict[str, Any] | None = (view.get("position") or {}).get("last_seen")
    return seen
