"""A timer that a test plants in a game."""

from datetime import datetime

from server.house_rules.timers import SHARED
from server.models import Deadline, Game, execute, insert
from server.runtime import runtime


def schedule(game: Game, kind: str, due_at: datetime, serial: int = 1, **of: object) -> None:
    """Insert a timer that fires at `due_at`."""
    row = {"id": runtime().new_id("deadline"), "game_id": game.id, "kind": kind, "serial": serial}
    turn = {"side": game.side, "round": game.round, "seat": SHARED, "step": 0}
    execute(insert(Deadline), row | turn | {"due_at": due_at, "try_at": due_at} | of)
