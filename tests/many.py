"""Many games at once: copies of one, row by row, as nobody has the time to play so many."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import func, insert, select

from server import engine
from server.application.game import transcripts
from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.models import Base, Deadline, Event, Game, Move, Seat, session, table_of, transaction
from server.runtime import runtime
from server.sealing import commitments, hash_chain

AT_ONCE = 5_000  # rows of one statement
Row = dict[str, Any]


def copy_game(game_id: str, n: int) -> list[str]:
    """Make `n` copies of a game, under way as it is, each with a sealed log of its own; return their ids."""
    with transaction():
        first = session.scalar(select(func.count()).select_from(Game)) or 0
        names = [f"{game_id[:8]}copy{number}" for number in range(first, first + n)]
        model = _Model(
            _rows(Game, game_id)[0], _rows(Event, game_id), rebuild(standing_of(session.get_one(Game, game_id))),
        )  # fmt: skip
        sealed = [_sealed(model, name) for name in names]
        _insert(Game, [game for game, _ in sealed])
        for table in (Seat, Move, Deadline):
            found = _rows(table, game_id)
            _insert(table, [_renewed(table, row, name) for name in names for row in found])
        _insert(Event, [event for _, events in sealed for event in events])
    session.remove()
    return names


class _Model(NamedTuple):
    game: Row
    events: list[Row]
    state: engine.Game


def _rows(model: type[Base], game_id: str) -> list[Row]:
    table: Any = table_of(model)
    of_game = table.c.id if model is Game else table.c.game_id
    order = [table.c.number] if model is Event else []
    return [dict(row) for row in session.execute(select(table).where(of_game == game_id).order_by(*order)).mappings()]


def _insert(model: type[Base], copies: list[Row]) -> None:
    for first in range(0, len(copies), AT_ONCE):
        session.execute(insert(table_of(model)), copies[first : first + AT_ONCE])


def _renewed(model: type[Base], row: Row, name: str) -> Row:
    """Return the row as one of the game `name`."""
    return row | {"game_id": name} | ({"id": runtime().new_id("deadline")} if model is Deadline else {})


def _sealed(model: _Model, name: str) -> tuple[Row, list[Row]]:
    """Return the rows of the game and its events as those of the game `name`, which its sealed log binds."""
    game = model.game | {"id": name, "code": name, "rematch_id": None}
    if game["header"] is None:
        return game, [event | {"game_id": name} for event in model.events]
    secrets, state = game["seal"], model.state
    game["header"] = header = game["header"] | {
        "game": name,
        "start": _commitment(secrets, name, commitments.STATION, 0, state.starts["mr_x"]),
        "deck": secrets["deck"]
        and _commitment(secrets, name, commitments.DECK, 0, [card for cards in secrets["deck"] for card in cards]),
    }
    events, head = [], hash_chain.first_link(header)
    for row in model.events:
        event = row | {"game_id": name, "data": _bound(row["data"], secrets, name, state)}
        if event["number"] >= header["first"]:
            facts = {name: event[name] for name in ("number", "kind", "at", "data")}
            head = event["head"] = transcripts.head_after(head, _Facts(**facts))
        events.append(event)
    return game | {"head": head}, events


class _Facts(NamedTuple):
    number: int
    kind: str
    at: Any
    data: Row


def _bound(data: Row, secrets: Row, name: str, state: engine.Game) -> Row:
    if "sealed" not in data:
        return data
    windows = {window.number: window for window in state.log}
    sealed = [
        one
        | {
            field: _commitment(secrets, name, field, one["window"], getattr(windows[one["window"]], field))
            for field in (commitments.STATION, commitments.TRANSPORT)
        }
        for one in data["sealed"]
    ]
    return data | {"sealed": sealed}


def _commitment(secrets: Mapping[str, Any], name: str, field: str, window: int, value: Any) -> str:
    return commitments.commitment(bytes.fromhex(secrets["key"]), name, field, window, value)
