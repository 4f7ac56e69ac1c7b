"""Many games at once: copies of one, row by row, as nobody has the time to play so many."""

from typing import Any

from sqlalchemy import func, insert, select

from server.models import Base, Deadline, Event, Game, Move, Seat, session, table_of, transaction
from server.runtime import runtime

AT_ONCE = 5_000  # rows of one statement


def copy_game(game_id: str, n: int) -> list[str]:
    """Make `n` copies of a game, under way as it is but without a seal, which binds its id; return their ids."""
    with transaction():
        first = session.scalar(select(func.count()).select_from(Game)) or 0
        names = [f"{game_id[:8]}copy{number}" for number in range(first, first + n)]
        for model in (Game, Seat, Event, Move, Deadline):
            _copy(model, game_id, names)
    session.remove()
    return names


def _copy(model: type[Base], game_id: str, names: list[str]) -> None:
    table: Any = table_of(model)
    of_game = table.c.id if model is Game else table.c.game_id
    found = [dict(row) for row in session.execute(select(table).where(of_game == game_id)).mappings()]
    copies = [_renewed(model, row, name) for name in names for row in found]
    for first in range(0, len(copies), AT_ONCE):
        session.execute(insert(table), copies[first : first + AT_ONCE])


def _renewed(model: type[Base], row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the row as one of the game `name`."""
    if model is Game:
        return row | {"id": name, "code": name, "rematch_id": None, "header": None, "seal": None, "head": None}
    if model is Event:
        public = {key: value for key, value in row["data"].items() if key not in ("sealed", "opened")}
        return row | {"game_id": name, "head": None, "data": public}
    if model is Deadline:
        return row | {"game_id": name, "id": runtime().new_id("deadline")}
    return row | {"game_id": name}
