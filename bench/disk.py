"""The bytes on disk of a game with all that belongs to it: its mails, its timers, and a key for each move.

Some games are played to their ends side by side, in one process whose clock is turned: in each there is a move every
four hours, so that every mail is sent. The database is vacuumed before each look, and its bytes when it was empty do
not count.
"""

import random
import secrets
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.engine import Figure, figure
from bench.running import for_sqlalchemy, on_both_databases
from server import migrations, worker
from server.app import create_app
from server.application.people.players import add_player
from server.engine import Edition, Game
from server.mail.transport.smtp_client import transport_for
from server.models import db, session
from server.settings import Settings

GAMES = 25
EDITION = "ravensburger-2000"
PACE = timedelta(hours=4)
LATER = (("live", timedelta()), ("live, a day after its last move", timedelta(days=1)), ("over", timedelta(days=40)))
_ALL_TABLES = """SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"""


def figures() -> Iterator[Figure]:
    """Yield for each database the bytes of a game at its last move, a day later, and when it has been over for long."""
    yield from on_both_databases(_figures)


def _figures(name: str, database: Callable[[str], str]) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        server = _Server(for_sqlalchemy(database("disk")), Path(folder))
        empty = server.bytes_on_disk()
        moves = server.play()
        for when, pause in LATER:
            server.wait(pause)
            size = (server.bytes_on_disk() - empty) / GAMES
            yield figure(f"bytes of a game, {when}, {name}", size, "bytes", None, moves)
        server.close()


class _Server:
    """An application on a new database, with a worker and six players."""

    def __init__(self, url: str, folder: Path) -> None:
        self._time = datetime.now(UTC)
        given = {"DATABASE_URL": url, "RATE_LIMIT": "", "SMTP_URL": ""}
        settings = Settings.from_environ({f"BLACKTICKET_{name}": value for name, value in given.items()}, folder)
        self._app = create_app(settings, clock=lambda: self._time, database_clock=None)
        self._app.extensions["blackticket"].monotonic = lambda: self._time.timestamp()  # noqa: PLW0108
        self._transport = transport_for(settings)
        with self._app.app_context():
            migrations.upgrade()
            self._tokens = [add_player(f"P{i}", f"p{i}@example.org")[1] for i in range(6)]
        self._client = self._app.test_client()

    def play(self) -> int:
        """Play the games to their ends, in each a random move every four hours; return the number of moves."""
        played = [self._begin() for _ in range(GAMES)]
        rng = random.Random(0)
        while running := [(path, game) for path, game in played if game.to_move]:
            for path, game in running:
                move = rng.choice(game.legal_moves(game.to_move[0]))
                seat = next(i for i, pawns in enumerate(game.seats) if move.pawn in pawns)
                self._post(seat, f"{path}/moves", {"turn": game.turn, "notation": str(move)})
                game.play(move)
            self.wait(PACE)
        return sum(len(game.history) for _, game in played)

    def _begin(self) -> tuple[str, Game]:
        wanted = {"edition": EDITION, "players": 6, "visibility": "public", "clock": {"kind": "none"}}
        path = f"games/{self._post(0, 'games', wanted)['id']}"
        for seat in range(6):
            self._post(seat, f"{path}/seats", {"seat": seat + 1})
        return path, Game(Edition.named(EDITION), 6, self._post(0, f"{path}/start")["starts"])

    def wait(self, pause: timedelta) -> None:
        """Turn the clock on, and have the worker do what is due."""
        self._time += pause
        with self._app.app_context():
            worker.tick(self._transport)
            worker.tidy_up()
            session.remove()

    def bytes_on_disk(self) -> int:
        """Return the bytes of the database, vacuumed."""
        with self._app.app_context(), db.engine.connect() as shared:
            connection = shared.execution_options(isolation_level="AUTOCOMMIT")
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("VACUUM")
                pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
                return int(pages * connection.exec_driver_sql("PRAGMA page_size").scalar_one())
            connection.exec_driver_sql("VACUUM FULL")
            return int(connection.exec_driver_sql(_ALL_TABLES).scalar_one())

    def close(self) -> None:
        """Close the connections."""
        with self._app.app_context():
            db.engine.dispose()

    def _post(self, seat: int, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Bearer {self._tokens[seat]}", "Idempotency-Key": secrets.token_hex(16)}
        answer = self._client.post(f"/api/v1/{path}", json=body, headers=headers)
        if answer.status_code >= 300:
            raise RuntimeError(f"{path}: {answer.text}")
        return answer.json
