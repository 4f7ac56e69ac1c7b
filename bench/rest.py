"""Moves and views over REST, on either database, against a bare Flask route that commits a row under our HTTP server.

What that route takes of the processor is the unit in which costs are given. All is measured in windows, one after the
other: the bare routes, views that did not change, moves side by side, moves one by one, and where npm is at hand a
boardgame.io server with file storage. A figure is the median of all windows, and so is its ratio, which compares what
one window measured: a machine that does other work is not always as fast. BENCH_WINDOWS is their number. Sixteen
clients ask at once, each with a game of its own in which it moves for everybody; what they send is worked out
beforehand, as their thinking is not measured.

The cost of a move is the processor time of the process that serves HTTP, which hands no mail over where there are two
cores. The cost until its mails are handed over is that of all processes until all mail is sent. A line names the
number of mails sent, and of those overtaken: sixteen clients outrun any reader, and a mail is superseded when the next
move is made before it is written. So the cost of a move and its mails is also measured with moves one after another,
each when the mails of the last one are sent.

boardgame.io has no mails (our moves are counted until all of theirs are sent), no deadlines and no rules here, and what
it has answered is not on disk yet.
"""

import itertools
import multiprocessing
import random
import secrets
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from flask import Flask, jsonify
from sqlalchemy.orm import Mapped, mapped_column

from bench import boardgame
from bench.engine import Figure
from bench.running import (
    WINDOWS,
    Client,
    Running,
    free_port,
    on_both_databases,
    processor_seconds,
    processor_seconds_of,
    serving,
)
from server.engine import Edition, Game
from server.http.server import HttpServer
from server.models import Base, connect, db, session, transaction
from server.runtime import Runtime
from server.runtime.keyring import Keyring
from server.settings import Settings

CLIENTS = 16
SECONDS = 2.5  # of each part of a window
MOVES = 12  # one by one, in a window
EDITION = "ravensburger-2000"
Call = Callable[[], object]


class Measured(NamedTuple):
    """The result of asking for a while: the seconds each answer took, and the total until all mail was sent.

    `processor` is what all processes of the server used, and `answering` what the one that serves HTTP did until the
    last answer. `mails` is the number of mails sent, and `overtaken` of those superseded; None for a bare server.
    """

    took: list[float]
    whole: float
    processor: float
    answering: float
    mails: int | None = None
    overtaken: int | None = None

    @property
    def rate(self) -> float:
        """Answers per second, until all mail is sent."""
        return len(self.took) / self.whole

    def quantile(self, hundredths: int) -> float:
        """The milliseconds within which so many of a hundred answers came."""
        return 1000 * statistics.quantiles(self.took, n=100)[hundredths - 1]

    @property
    def cost(self) -> float:
        """The server's processor time for one answer and all that follows, in milliseconds."""
        return 1000 * self.processor / len(self.took)

    @property
    def cost_of_answer(self) -> float:
        """The processor time of the process that serves HTTP for one answer, in milliseconds."""
        return 1000 * self.answering / len(self.took)


Of = Callable[[Measured], float]


class Window(NamedTuple):
    """The parts of one window: bare routes, our server, and boardgame.io if it is there."""

    row: Measured
    read: Measured
    unchanged: Measured
    move: Measured
    slow: Measured
    rival: Measured | None


def figures() -> Iterator[Figure]:
    """Yield for each database: moves per second, their time and cost; then views that did not change."""
    with boardgame.playing() as rival:
        if isinstance(rival, str):
            yield {"name": "boardgame.io", "skipped": rival}
        yield from on_both_databases(partial(_figures, None if isinstance(rival, str) else rival))


def _figures(rival: boardgame.Play | None, name: str, database: Callable[[str], str]) -> Iterator[Figure]:
    with _bare(database("bare")) as (port, pid), serving(DATABASE_URL=database("blackticket")) as running:
        add_row, read = _bare_calls(port)
        tokens = [running.add_player(f"P{i}")[1] for i in range(6)]
        tables = [Table(running.http, tokens, seed) for seed in range(CLIENTS)]
        in_turns = _in_turns(tables)
        _measure([table.move for table in tables], running.pid, running)  # loads what moves and mails need
        windows = []
        for _ in range(WINDOWS):
            row, plain = _measure(add_row, pid), _measure(read, pid)
            for table in tables:
                table.look()
            unchanged = _measure([table.look_again for table in tables], running.pid, running)
            for table in tables:
                table.client.headers.pop("If-None-Match")
            move = _measure([table.move for table in tables], running.pid, running)
            slow = _one_by_one(itertools.islice(in_turns, MOVES), running)
            theirs = None if rival is None else _measure_rival(rival)
            windows.append(Window(row, plain, unchanged, move, slow, theirs))
    yield _median(f"moves, {name}", "1/s", windows, "move", "row", lambda part: part.rate)
    yield _median(f"a move, 50 of 100, {name}", "ms", windows, "move", "row", lambda part: part.quantile(50))
    yield _median(f"a move, 99 of 100, {name}", "ms", windows, "move", "row", lambda part: part.quantile(99))
    yield _median(f"views answered 304, {name}", "1/s", windows, "unchanged", "read", lambda part: part.rate)
    costs: list[tuple[str, str, Of]] = [
        ("a move among many, its mails not yet sent", "move", lambda part: part.cost_of_answer),
        ("a move among many, until mails are handed over", "move", lambda part: part.cost),
        ("a move and its mails, one by one", "slow", lambda part: part.cost),
        ("a 304", "unchanged", lambda part: part.cost_of_answer),
    ]
    for what, part, cost in costs:
        yield _median(f"processor for {what}, {name}, in bare rows", "ms", windows, part, "row", cost)
    if rival is not None:
        yield _median(f"moves beside boardgame.io, {name}", "1/s", windows, "move", "rival", lambda part: part.rate)
        for what, part, cost in costs[:2]:
            title = f"processor for {what}, {name}, beside a move of boardgame.io"
            yield _median(title, "ms", windows, part, "rival", cost)


def _median(name: str, unit: str, windows: list[Window], part: str, beside: str, value: Of) -> Figure:
    """Return the medians of a value of one part, of the same of another, and of their ratio."""
    measured = [getattr(window, part) for window in windows]
    pairs = [(value(getattr(window, part)), value(getattr(window, beside))) for window in windows]
    values, baselines, ratios = zip(*((one, other, one / other) for one, other in pairs), strict=True)
    facts = {"value": values, "baseline": baselines, "ratio": ratios}
    return {
        "name": name, "unit": unit, **{key: round(statistics.median(each), 3) for key, each in facts.items()},
        "n": sum(len(one.took) for one in measured), "mails": sum(one.mails or 0 for one in measured),
        "overtaken": sum(one.overtaken or 0 for one in measured),
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
        made = self._call(0, "POST", "/api/v1/games", {"edition": EDITION, "players": 6, "visibility": "public"})
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


def _bare_calls(port: int) -> tuple[list[Call], list[Call]]:
    """Return what each client calls on a bare server: the route that commits a row, and the one that reads."""
    clients = [Client(port) for _ in range(CLIENTS)]
    add_row: list[Call] = [partial(client.call, "POST", "/rows", {"n": 1}) for client in clients]
    read: list[Call] = [partial(client.call, "GET", "/rows") for client in clients]
    return add_row, read


def cost_of_a_bare_row() -> float:
    """Return the milliseconds of the processor that the bare route takes to commit a row; the unit of all costs."""
    with tempfile.TemporaryDirectory() as folder, _bare(f"sqlite:///{folder}/bare.db") as (port, pid):
        return _measure(_bare_calls(port)[0], pid).cost


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
    given = {"BLACKTICKET_DATABASE_URL": url, "BLACKTICKET_SECRET_KEY": secrets.token_hex(32)}
    settings = Settings.from_environ(given, Path(tempfile.gettempdir()))
    app.extensions["blackticket"] = Runtime(settings, Keyring(settings.secret_key))
    connect(app, url, CLIENTS)
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


def _measure_rival(play: boardgame.Play) -> Measured:
    took, spent = play(CLIENTS, SECONDS)
    return Measured(took, SECONDS, spent, spent)


def _one_by_one(calls: Iterable[Call], running: Running) -> Measured:
    """Make the calls one after another, each when all mail is sent."""
    took: list[float] = []
    mails, overtaken = running.drain(), running.mails_overtaken()
    answering, spent, began = processor_seconds_of(running.pid), processor_seconds(running.pid), time.perf_counter()
    for call in calls:
        asked = time.perf_counter()
        call()
        took.append(time.perf_counter() - asked)
        sent = running.drain()
    whole, spent = time.perf_counter() - began, processor_seconds(running.pid) - spent
    answering = processor_seconds_of(running.pid) - answering
    return Measured(took, whole, spent, answering, sent - mails, running.mails_overtaken() - overtaken)


def _measure(calls: list[Call], pid: int, running: Running | None = None) -> Measured:
    """Make all the calls side by side, each again and again for a while; then wait until all mail is sent."""
    took: list[list[float]] = [[] for _ in calls]
    mails, overtaken = (running.mails_sent(), running.mails_overtaken()) if running else (0, 0)
    answering, spent, began = processor_seconds_of(pid), processor_seconds(pid), time.perf_counter()
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
    answering = processor_seconds_of(pid) - answering
    sent = running.drain() - mails if running else None
    whole = time.perf_counter() - began
    all_took = [seconds for mine in took for seconds in mine]
    not_sent = running.mails_overtaken() - overtaken if running else None
    return Measured(all_took, whole, processor_seconds(pid) - spent, answering, sent, not_sent)
