"""Many games at once: copies of one, row by row, as nobody has the time to play so many."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, insert, select

from server import commitments, engine
from server.application.decisions import seal
from server.application.game.state import rebuild
from server.models import Base, Deadline, Event, Game, Move, Seat, session, table_of, transaction
from server.runtime import runtime

AT_ONCE = 5_000  # rows of one statement


def copy_game(game_id: str, n: int) -> list[str]:
    """Make `n` copies of a game, under way as it is, each sealed under its own id; return their ids."""
    with transaction():
        game = session.get_one(Game, game_id)
        log = rebuild(game).log
        first = session.scalar(select(func.count()).select_from(Game)) or 0
        names = [f"{game_id[:8]}copy{number}" for number in range(first, first + n)]
        events = _rows(Event, game_id)
        sealed = {name: _Sealed(game, log, events, name) for name in names}
        for model in (Game, Seat, Event, Move, Deadline):
            _copy(model, game_id, sealed)
    session.remove()
    return names


class _Sealed:
    """The sealed log of a copy: its header, its events by their numbers, and the head of its chain."""

    def __init__(self, game: Game, log: Sequence[engine.Window], events: list[dict[str, Any]], name: str) -> None:
        assert game.log_secrets is not None
        assert game.header is not None
        self.key, self.name, self.log = bytes.fromhex(game.log_secrets["key"]), name, log
        deck = game.log_secrets["deck"] and [card for cards in game.log_secrets["deck"] for card in cards]
        start = self._commit(commitments.STATION, 0, game.mr_x_start)
        self.header = game.header | {"game": name, "start": start}
        self.header["deck"] = deck and self._commit(commitments.DECK, 0, deck)
        self.head = commitments.first_link(self.header)
        self.events = {row["number"]: self._event(row) for row in events}

    def _event(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the row of an event with the commitments of this copy, linked to those before it."""
        data = dict(row["data"])
        if "sealed" in data:
            data["sealed"] = [self._window(window["window"]) for window in data["sealed"]]
        if row["number"] < self.header["first"]:
            return row | {"game_id": self.name}
        self.head = seal.link(self.head, row["number"], row["kind"], row["at"], data) or ""
        return row | {"game_id": self.name, "data": data, "head": self.head}

    def _window(self, number: int) -> dict[str, Any]:
        window = next(each for each in self.log if each.number == number)
        station = self._commit(commitments.STATION, number, window.station)
        transport = self._commit(commitments.TRANSPORT, number, window.transport)
        return {"window": number, "station": station, "transport": transport}

    def _commit(self, field: str, window: int, value: Any) -> str:
        return commitments.commitment(self.key, self.name, field, window, value)


def _copy(model: type[Base], game_id: str, sealed: dict[str, _Sealed]) -> None:
    found = _rows(model, game_id)
    copies = [_renewed(model, row, one) for one in sealed.values() for row in found]
    for first in range(0, len(copies), AT_ONCE):
        session.execute(insert(table_of(model)), copies[first : first + AT_ONCE])


def _rows(model: type[Base], game_id: str) -> list[dict[str, Any]]:
    table: Any = table_of(model)
    of_game = table.c.id if model is Game else table.c.game_id
    query = select(table).where(of_game == game_id).order_by(*table.primary_key)
    return [dict(row) for row in session.execute(query).mappings()]


def _renewed(model: type[Base], row: dict[str, Any], sealed: _Sealed) -> dict[str, Any]:
    """Return the row as one of the copy."""
    name = sealed.name
    if model is Game:
        return row | {"id": name, "code": name, "rematch_id": None, "header": sealed.header, "head": sealed.head}
    if model is Event:
        return sealed.events[row["number"]]
    if model is Deadline:
        return row | {"game_id": name, "id": runtime().new_id("deadline")}
    return row | {"game_id": name}
