"""The travel log as a strip: what is filled, what is empty, and where Mr. X shows himself."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from server import engine
from server.application.game.projection import GameView
from server.drawing.picture import LETTERS
from server.engine import BoardView
from server.house_rules.standing import Standing

SHOWN = 24  # windows that are always shown, as many as the board game has
AHEAD = 12  # empty windows shown of a log that is longer


class Cell(NamedTuple):
    """A window of the travel log; `ticket` is empty if nothing is written yet.

    surfaces: everybody sees Mr. X there; is_secret: only Mr. X knows the station
    """

    number: int
    ticket: str
    letter: str
    station: int | None
    transport: str
    surfaces: bool
    is_secret: bool


def has_secrets(game: Standing, own: Collection[str]) -> bool:
    """Return True if the reader moves Mr. X, as one of the pawns `own`, and others know less of him."""
    return "mr_x" in own and not game.final


def cells(view: BoardView, *, has_secrets: bool) -> list[Cell]:
    """Return the windows in their order; `has_secrets` is of the reader to whom `view` is shown."""
    filled = {entry["window"]: entry for entry in view["log"]}
    used = engine.windows_used(view)
    first = min(filled, default=used + 1)
    last = min(view["options"]["log_windows"], max(SHOWN, used + AHEAD))
    return [_cell(number, filled.get(number), view, has_secrets) for number in range(first, last + 1)]


def last_round(view: GameView) -> int | None:
    """Return the number of the last round that the game can reach; None if it is over."""
    if not view["to_move"] or view["round"] is None:
        return None
    options, used, is_mr_x_to_move = view["options"], engine.windows_used(view), "mr_x" in view["to_move"]
    return engine.last_round(options, used, is_mr_x_to_move=is_mr_x_to_move, current_round=view["round"])


def _cell(number: int, entry: Mapping[str, Any] | None, view: BoardView, has_secrets: bool) -> Cell:
    if entry is None:
        return Cell(number, "", "", None, "", number in view["options"]["surfacing"], False)
    surfaced = bool(entry.get("surfaced"))
    is_secret = has_secrets and not surfaced and entry["station"] is not None
    transport = entry.get("transport", "") if entry["ticket"] == "black" else ""
    return Cell(number, entry["ticket"], LETTERS[entry["ticket"]], entry["station"], transport, surfaced, is_secret)
