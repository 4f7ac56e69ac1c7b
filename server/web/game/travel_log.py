"""The travel log as a strip: what is filled, what is empty, and where Mr. X shows himself."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from server.picture import LETTERS

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


def strip(view: Mapping[str, Any], *, is_mr_x: bool) -> list[Cell]:
    """Return the windows in their order; `is_mr_x` says that the view is Mr. X's own and others know less."""
    filled = {entry["window"]: entry for entry in view["log"]}
    used = max(filled, default=(view.get("position") or {}).get("log_used") or 0)
    first = min(filled, default=used + 1)
    last = min(view["options"]["log_windows"], max(SHOWN, used + AHEAD))
    return [_cell(number, filled.get(number), view, is_mr_x) for number in range(first, last + 1)]


def _cell(number: int, entry: Mapping[str, Any] | None, view: Mapping[str, Any], is_mr_x: bool) -> Cell:
    if entry is None:
        return Cell(number, "", "", None, "", number in view["options"]["surfacing"], False)
    surfaced = bool(entry.get("surfaced"))
    is_secret = is_mr_x and not surfaced and entry["station"] is not None
    transport = entry.get("transport", "") if entry["ticket"] == "black" else ""
    return Cell(number, entry["ticket"], LETTERS[entry["ticket"]], entry["station"], transport, surfaced, is_secret)
