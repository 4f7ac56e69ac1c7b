"""Moves and views over REST, on either database, against bare Flask routes in the same kind of server.

The one bare route commits a row, the other answers as many bytes as a view has. Sixteen clients ask at once, each with
a game of its own in which it moves for everybody; what they send is worked out beforehand, as their thinking is not
measured. Processor time is that of the server's process alone, until all mail is sent; a line names the number
of mails.

Sixteen clients outrun any reader: a mail is superseded when the next move is made before it is written. So the cost of
a move and its mails is measured with moves one after another, each when the mails of the last one are sent.
"""

import itertools
import multiprocessing
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from flask import Flask, jsonify
from sqlalchemy.orm import Mapped, mapped_column

from bench.running import Client, Running, free_port, postgresql, processor_seconds, serving
from server.engine import Edition, Game
from server.http.server import HttpServer
from server.models import Base, connect, db, session, transaction

CLIENTS = 16
SECONDS = 8.0
MOVES = 60  # one by one
EDITION = "ravensburger-2000"
Figure = dict[str, Any]
Call = Callable[[], object]


class Measured(NamedTuple):
    """The result of asking for a while: the seconds each answer took, and the total until all mail was sent.

    `processor` is what the server's process used, and `mails` is the number of mails sent, None for a bare server.
    """

    took: list[float]
    whole: float
    processor: float
    mails: int | None

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.took) / self.whole

    def quantile(self, hundredths: int) -> float:
        """The milliseconds within which so many of a hundred answers came."""
        return 1000 * statistics.quantiles(self.took, n=100)[hundredths - 1]

    @property
    def cost(self) -> float:
        """The server's processor time for one answer, in milliseconds."""
        return 1000 * self.processor / len(self.took)


def figures() -> Iterator[Figure]:
    """Yield for each database: moves per second, their time and cost; then views that did not change."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _figures("SQLite", f"sqlite:///{folder}/bare.db", f"sqlite:///{folder}/blackticket.db")
    with postgresql() as database:
        yield from _figures("PostgreSQL", database("bare"), database("blackticket"))


def _figures(name: str, bare: str, url: str) -> Iterator[Figure]:
    with _bare(bare) as (port, pid):
        clients = [Client(port) for _ in range(CLIENTS)]
        row = _measure([lambda c=client: c.call("POST", "/rows", {"n": 1}) for client in clients], pid)
        plain = _measure([lambda c=client: c.call("GET", "/rows") for client in clients], pid)
    with serving(DATABASE_URL=url) as running:
        tokens = [running.add_player(f"P{i}")[1] for i in range(6)]
        tables = [Table(running.http, tokens, seed) for seed in range(CLIENTS)]
        for table in tables:
            table.look()
        running.drain()
        view = _measure([table.look_again for table in tables], running.pid, running)
        for table in tables:
            table.client.headers.pop("If-None-Match")
        move = _measure([table.move for table in tables], running.pid, running)
        slow = _one_by_one(itertools.islice(_in_turns(tables), MOVES), running)
    yield _figure(f"moves, {name}", move.rate, "1/s", row.rate, move)
    for hundredths in (50, 99):
        quantiles = move.quantile(hundredths), row.quantile(hundredths)
        yield _figure(f"a move, {hundredths} of 100, {name}", quantiles[0], "ms", quantiles[1], move)
    yield _figure(f"processor for a move among many, {name}", move.cost, "ms", row.cost, move)
    yield _figure(f"processor for a move and its mails, {name}", slow.cost, "ms", row.cost, slow)
    yield _figure(f"views answered 304, {name}", view.rate, "1/s", plain.rate, view)
    yield _figure(f"processor for a 304, {name}", view.cost, "ms", plain.cost, view)


def _figure(name: str, value: float, unit: str, baseline: float, measured: Measured) -> Figure:
    return {
        "name": name, "value": round(value, 3), "unit": unit, "baseline": round(baseline, 3),
        "ratio": round(value / baseline, 3), "n": len(measured.took), "mails": measured.mails,
    }  # fmt: skip


class Table:
    """A game in the server, with all the moves of it that will be sent, found by a game that is played here."""

    def __init__(self, port: int, tokens: list[str], seed: int) -> None:
        self.client = Client(port)
        self.tokens = tokens
        self.rng = random.Random(seed)
        self.deal()

    def deal(self) -> None:
        """Begin another game, and play it to its end here."""
        made = self._call(0, "POST", "/api/v1/games", {"edition": EDITION, "players": 6})
        self.path = f"/api/v1/games/{made['id']}"
        for seat in range(6):
            self._call(seat, "POST", f"{self.path}/seats", {"seat": seat + 1})
        view = self._call(0, "POST", f"{self.path}/start")
        self.moves = list(self._play(Game(Edition.named(EDITION), 6, view["starts"])))[::-1]

    def _play(self, game: Game) -> Iterator[tuple[int, Any]]:
        """The seat that moves, and what it sends, for each move of a random game."""
        while game.to_move:
            move = self.rng.choice(game.legal_moves(game.to_move[0]))
            seat = next(i for i, pawns in enumerate(game.seats) if move.pawn in pawns)
            yield seat, {"turn": game.turn, "notation": str(move)}
            game.play(move)

    def move(self) -> None:
        """Send the next move."""
        if not self.moves:
            self.deal()
        seat, body = self.moves.pop()
        self._call(seat, "POST", f"{self.path}/moves", body)

    def look(self) -> None:
        """A detective reads the game."""
        self._call(1, "GET", self.path)
        self.client.headers["If-None-Match"] = self.client.etag

    def look_again(self) -> None:
        """The detective asks if anything is new; nothing is."""
        if self._call(1, "GET", self.path) is not None:
            raise RuntimeError("the view was sent again")

    def _call(self, seat: int, method: str, path: str, body: Any = None) -> Any:
        self.client.headers["Authorization"] = f"Bearer {self.tokens[seat]}"
        return self.client.call(method, path, body)


@contextmanager
def _bare(url: str) -> Iterator[tuple[int, int]]:
    """The port of a bare server, and the id of its process."""
    port = free_port()
    process = multiprocessing.get_context("spawn").Process(target=_serve_bare, args=(url, port), daemon=True)
    process.start()
    try:
        _wait(port)
        yield port, process.pid or 0
    finally:
        process.terminate()
        process.join()


def _serve_bare(url: str, port: int) -> None:
    class Row(Base):
        __tablename__ = "bench_rows"
        id: Mapped[int] = mapped_column(primary_key=True)
        n: Mapped[int]

    app = Flask("bare")
    connect(app, url)
    with app.app_context():
        Base.metadata.create_all(db.engine, tables=[Row.__table__])  # type: ignore[list-item]

    @app.post("/rows")
    def add() -> Any:
        with transaction():
            session.add(Row(n=1))
        return jsonify({"n": 1}), 201

    @app.get("/rows")
    def read() -> Any:
        return jsonify({"rows": ["taxi 46"] * 250})

    HttpServer(app, "127.0.0.1", port).run()


def _wait(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            Client(port).call("POST", "/rows", {"n": 1})
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit("the bare server did not start")


def _in_turns(tables: list["Table"]) -> Iterator[Call]:
    """Return a move of each table after the other, without end; no deal is among them."""
    while True:
        for table in tables:
            if table.moves:
                yield table.move


def _one_by_one(calls: Iterable[Call], running: Running) -> Measured:
    """Make the calls one after another, each when all mail is sent."""
    took: list[float] = []
    mails, spent, began = running.drain(), processor_seconds(running.pid), time.perf_counter()
    for call in calls:
        asked = time.perf_counter()
        call()
        took.append(time.perf_counter() - asked)
        sent = running.drain()
    whole = time.perf_counter() - began
    return Measured(took, whole, processor_seconds(running.pid) - spent, sent - mails)


def _measure(calls: list[Call], pid: int, running: Running | None = None) -> Measured:
    """Make all the calls side by side, each again and again for a while; then wait until all mail is sent."""
    took: list[list[float]] = [[] for _ in calls]
    mails = running.mails_sent() if running else 0
    spent, began = processor_seconds(pid), time.perf_counter()
    stop = began + SECONDS

    def run(call: Call, mine: list[float]) -> None:
        while (began := time.perf_counter()) < stop:
            call()
            mine.append(time.perf_counter() - began)

    threads = [threading.Thread(target=run, args=given) for given in zip(calls, took, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = running.drain() - mails if running else None
    whole = time.perf_counter() - began
    return Measured([seconds for mine in took for seconds in mine], whole, processor_seconds(pid) - spent, sent)
