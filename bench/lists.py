"""Figures on lists: what a player with ten games asks, on servers with few games and with many.

The value is the time of one answer with 110,000 games of others on the server, the baseline the same with 120 in the
same run, asked by turns: each the first decile, which other work on the machine hardly moves. A list is flat if the
ratio is near 1.
"""

import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select

from bench.engine import Figure, figure
from bench.running import on_both_databases
from server import migrations
from server.app import create_app
from server.application.lobby import opening, seats, starting
from server.application.people.players import add_player
from server.models import Event, FormerHolder, Game, Player, Seat, db, session, table_of, transaction
from server.settings import Settings

FEW, MANY = 120, 110_000
OWN = 10
OTHERS = 1_000  # players of the other games
EVENTS = 5  # of each other game
ASKED = 40  # times for each list
BATCH = 10_000
LISTS = (
    "/games?mine=true", "/games?waiting=true", "/games?status=open", "/games?status=running", "/games",
    "/me/waiting", "/me/events", "/me/deliveries", "/labels/league",
)  # fmt: skip


def figures() -> Iterator[Figure]:
    """Yield for each database the time of each list, with many games against few."""
    yield from on_both_databases(_figures)


def _figures(name: str, database: Callable[[str], str]) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        servers = [_Server(database(f"with_{n}"), Path(folder, str(n)), n) for n in (FEW, MANY)]
        for path in LISTS:
            took = [[server.ask(path) for server in servers] for _ in range(ASKED)]
            few, many = (1000 * statistics.quantiles(column, n=10)[0] for column in zip(*took, strict=True))
            yield figure(f"GET {path}, {MANY:,} games, {name}", many, "ms", few, ASKED)
        for server in servers:
            server.close()


class _Server:
    """An application on a new database with `n` games of others, asked by a player with `OWN` games."""

    def __init__(self, url: str, folder: Path, n: int) -> None:
        settings = {"BLACKTICKET_DATABASE_URL": url, "BLACKTICKET_RATE_LIMIT": ""}
        self.app = create_app(Settings.from_environ(settings, folder))
        with self.app.app_context():
            migrations.upgrade()
            (player, token), (other, _) = (add_player(who, f"{who}@example.org") for who in ("ada", "ben"))
            games = [_game(player, other) for _ in range(OWN)]
            _add_others(games[0], n)
            if db.engine.dialect.name == "postgresql":  # which does it by itself, but later
                with transaction():
                    session.connection().exec_driver_sql("ANALYZE")
        self.client = self.app.test_client()
        self.headers = {"Authorization": f"Bearer {token}"}
        for path in LISTS:  # all that is made at first use
            self.ask(path)

    def ask(self, path: str) -> float:
        """Return the seconds that an answer took."""
        began = time.perf_counter()
        answer = self.client.get(f"/api/v1{path}", headers=self.headers)
        took = time.perf_counter() - began
        if answer.status_code != 200:
            raise RuntimeError(f"{path}: {answer.status_code} {answer.text}")
        return took

    def close(self) -> None:
        with self.app.app_context():
            session.remove()
            db.engine.dispose()


def _game(player: Player, other: Player) -> Game:
    game = opening.open_game(player, "condensed", players=2, visibility="public", label="league")
    for seat, who in enumerate((player, other), 1):
        seats.join(game.id, who, seat=seat)
    return starting.start(game.id, player)


def _add_others(game: Game, n: int) -> None:
    """Add `n` games that look like `game`, of other players: one in a hundred is open, nine run, the rest are over."""
    people = [f"other{number}" for number in range(OTHERS)]
    _insert(Player, ({**_row(Player, game.host_id), "id": who, "email": who, "skeleton": who} for who in people))
    ids = [secrets.token_hex(10) for _ in range(n)]
    states = ["open" if k % 100 == 0 else "running" if k % 10 == 0 else "over" for k in range(n)]
    own = _row(Game, game.id)
    _insert(
        Game,
        (
            {**own, "id": one, "code": one, "status": state, "final": state == "over", "label": f"label{k % 50}",
             "visibility": "public" if k % 2 else "private", "host_id": people[k % OTHERS]}
            for k, (one, state) in enumerate(zip(ids, states, strict=True))
        ),
    )  # fmt: skip
    seats = [dict(row) for row in session.execute(select(table_of(Seat)).where(Seat.game_id == game.id)).mappings()]
    _insert(
        Seat,
        (
            {**seat, "game_id": one, "player_id": people[(k + seat["number"]) % OTHERS]}
            for k, one in enumerate(ids)
            for seat in seats
        ),
    )
    _insert(
        FormerHolder,
        (
            {"game_id": one, "player_id": people[(k + 5) % OTHERS], "role": "mr_x"}
            for k, one in enumerate(ids)
            if k % 10 == 0
        ),
    )
    at = datetime.now(UTC)
    fact = {"kind": "joined", "moves": 0, "data": {"seat": 1, "name": "Somebody"}, "head": None, "at": at}
    _insert(Event, ({**fact, "game_id": one, "number": number} for one in ids for number in range(1, EVENTS + 1)))


def _row(model: Any, key: str) -> dict[str, Any]:
    table = table_of(model)
    return dict(session.execute(select(table).where(table.c.id == key)).mappings().one())


def _insert(model: Any, rows: Iterator[dict[str, Any]]) -> None:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            _write(model, batch)
    _write(model, batch)


def _write(model: Any, batch: list[dict[str, Any]]) -> None:
    if batch:
        with transaction():
            session.execute(table_of(model).insert(), batch)
        batch.clear()
