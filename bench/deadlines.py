"""Figures on deadlines: the cost of a tick that finds nothing to do, and the due deadlines fired in a second.

An idle tick is all that a worker's threads do every few seconds, one after the other, with the notes that it makes at
every second of them; the baseline is the same with a thousand deadlines to come instead of a million. The baseline of
firing is a bare commit of one row on the same database.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from bench.engine import Figure, figure
from bench.running import on_both_databases
from server import migrations, worker
from server.app import create_app
from server.application.lobby import opening, seats, starting
from server.application.people.players import add_player
from server.application.time.outages import Watch
from server.mail.transport.smtp_client import transport_for
from server.models import Deadline, Game, Player, Pulse, db, session, table_of, transaction
from server.models.base import is_sqlite
from server.runtime import runtime
from server.settings import Settings

FEW, MANY = 1_000, 1_000_000
COPIES = 10_000
TICKS = 300
GAMES = 150
BATCH = 50_000
TICK = timedelta(seconds=5)


def figures() -> Iterator[Figure]:
    """Yield for each database the idle tick's median and mean, then due deadlines a second."""
    yield from on_both_databases(_figures)


def _figures(name: str, database: Callable[[str], str]) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        few, many = (_Server(database(title), Path(folder, title)) for title in ("few", "many"))
        few.have_to_come(FEW)
        many.have_to_come(MANY)
        took = [(few.idle_tick(), many.idle_tick()) for _ in range(TICKS)]  # by turns, as the machine has other work
        for kind, measure in (("median", statistics.median), ("mean", statistics.mean)):
            baseline, value = (1000 * measure(column) for column in zip(*took, strict=True))
            title = f"idle tick, {MANY:,} deadlines to come, {kind}, {name}"
            yield figure(title, value, "ms", baseline, TICKS)
        with many.app.app_context():
            _games(GAMES)
            yield figure(f"due deadlines fired, {name}", _fired(many.clock), "1/s", _bare(), GAMES)
        for server in (few, many):
            with server.app.app_context():
                session.remove()
                db.engine.dispose()


class _Server:
    """An application with one worker, on a new database."""

    def __init__(self, url: str, folder: Path) -> None:
        self.clock = _Clock()
        settings = Settings.from_environ({"BLACKTICKET_DATABASE_URL": url}, folder)
        self.app = create_app(settings, clock=self.clock, database_clock=None)
        self.app.extensions["blackticket"].monotonic = lambda: self.clock().timestamp()
        self.transport = transport_for(settings)
        self.watch = Watch()

    def have_to_come(self, n: int) -> None:
        """Add one game that runs, and `n` deadlines of others in more than a month."""
        with self.app.app_context():
            migrations.upgrade()
            _to_come(_games(1)[0], n, self.clock.time + timedelta(days=40))
        for _ in range(20):  # until all mails are sent, and all that is made at first use is there
            self.idle_tick()

    def idle_tick(self) -> float:
        """Return the seconds it took."""
        self.clock.time += TICK
        took: list[float] = []
        with _timed(took), self.app.app_context():
            self.watch.look()
            worker.tick(self.transport)
            session.remove()
        return took[0]


class _Clock:
    def __init__(self) -> None:
        self.time = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.time


def _games(n: int) -> list[Game]:
    """Add `n` games in which Mr. X is to move."""
    people = list(session.scalars(select(Player)))
    people = people or [add_player(who, f"{who}@example.org")[0] for who in ("ada", "ben")]
    games = []
    for _ in range(n):
        game = opening.open_game(people[0], "condensed", players=2, visibility="public")
        for seat, player in enumerate(people, 1):
            seats.join(game.id, player, seat=seat)
        games.append(starting.start(game.id, people[0]))
    return games


def _to_come(game: Game, n: int, first: datetime) -> None:
    """Return rows as the server schedules them, a second apart."""
    games = _copies(game)
    place: dict[str, Any] = {"kind": "timeout", "side": "mr_x", "round": 1, "seat": 0, "step": 0}
    for start in range(0, n, BATCH):
        rows = []
        for serial in range(start + 1, min(start + BATCH, n) + 1):
            due = first + timedelta(seconds=serial)
            times = {"due_at": due, "try_at": due, "state": "armed", "attempts": 0}
            own = {"id": f"bench{serial}", "game_id": games[serial % COPIES], "serial": 1000 + serial}
            rows.append(place | times | own)
        with transaction():
            session.execute(table_of(Deadline).insert(), rows)
    if not is_sqlite(runtime().settings.database_url):  # PostgreSQL does it automatically, but later
        session.connection().exec_driver_sql("ANALYZE")
        session.commit()


def _copies(game: Game) -> list[str]:
    """Add games to which the rows can belong."""
    games = table_of(Game)
    row = dict(session.execute(select(games).where(games.c.id == game.id)).mappings().one())
    copies = [row | {"id": f"bench{number}", "code": f"bench{number}"} for number in range(COPIES)]
    with transaction():
        session.execute(games.insert(), copies)
    return [str(copy["id"]) for copy in copies]


def _fired(clock: _Clock) -> float:
    """Return the time-outs handled in a second, with all their effects."""
    with transaction():
        session.execute(update(Deadline).where(Deadline.kind == "reminder").values(state="cancelled"))
        session.execute(update(Pulse).values(at=clock.time + timedelta(days=2)))
    clock.time += timedelta(days=2)
    took: list[float] = []
    with _timed(took):
        worker.fire_due()
    fired = len(session.scalars(select(Deadline.id).where(Deadline.state == "fired")).all())
    session.rollback()
    return fired / took[0]


def _bare() -> float:
    """Return the commits of one row in a second."""
    took: list[float] = []
    with _timed(took):
        for number in range(GAMES):
            with transaction():
                session.merge(Pulse(name=f"bench {number}", at=datetime.now(UTC)))
    return GAMES / took[0]


@contextmanager
def _timed(took: list[float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    took.append(time.perf_counter() - began)
