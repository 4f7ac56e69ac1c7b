"""Many games at once: copies of one, row by row, as nobody has the time to play so many."""

from sqlalchemy import func, select, text

from server.models import Base, Deadline, Event, Game, Move, Seat, session, table_of, transaction

_COPY = "substr(:game, 1, 8) || 'copy' || n"
_PLACE = "substr(kind, 1, 2) || substr(side, 1, 1) || round || seat || step || serial"
# What a column holds in the copy with the number n, where that is not what it holds in the original.
_OTHER: dict[type[Base], dict[str, str]] = {
    Game: {"id": _COPY, "code": _COPY, "rematch_id": "NULL"},
    Seat: {"game_id": _COPY},
    Move: {"game_id": _COPY},
    Event: {"game_id": _COPY},
    Deadline: {"game_id": _COPY, "id": f"{_COPY} || {_PLACE}"},
}


def copy_game(game_id: str, n: int) -> list[str]:
    """Make `n` copies of a game, under way as it is; return their ids."""
    with transaction():
        first = session.scalar(select(func.count()).select_from(Game)) or 0
        for model, other in _OTHER.items():
            _copy(model, other, game_id, first, first + n - 1)
    session.remove()
    return [f"{game_id[:8]}copy{number}" for number in range(first, first + n)]


def _copy(model: type[Base], other: dict[str, str], game_id: str, first: int, last: int) -> None:
    table = table_of(model)
    names = [f'"{column.name}"' for column in table.columns]
    values = [other.get(column.name, f'"{column.name}"') for column in table.columns]
    of_game = "id" if model is Game else "game_id"
    session.execute(
        text(
            f"WITH RECURSIVE numbers(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) "
            f"INSERT INTO {table.name} ({', '.join(names)}) "
            f"SELECT {', '.join(values)} FROM {table.name}, numbers WHERE {of_game} = :game"
        ),
        {"game": game_id},
    )
