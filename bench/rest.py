"""Moves per second over REST, against a bare Flask route that commits one row in the same kind of server."""

import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from flask import Flask, jsonify
from sqlalchemy.orm import Mapped, mapped_column
from waitress import serve

from bench.running import Client, free_port, serving
from server.engine import Edition, Game
from server.models import Base, connect, db, session, transaction
from server.processes import THREADS

CLIENTS = 16
SECONDS = 8.0
EDITION = "ravensburger-2000"


def figures() -> Iterator[dict[str, Any]]:
    """Sixteen clients, each with a game of its own in which it moves for everybody."""
    baseline, _ = _bare_rate()
    value, n = _move_rate()
    yield {"name": "moves", "value": value, "unit": "1/s", "baseline": baseline, "ratio": value / baseline, "n": n}


def _move_rate() -> tuple[float, int]:
    with serving() as running:
        tokens = [running.add_player(f"P{i}")[1] for i in range(6)]
        tables = [_Table(running.http, tokens, seed) for seed in range(CLIENTS)]
        return _rate([table.move for table in tables])


class _Table:
    """A game in the server and the same game here, so that a legal move is known without asking."""

    def __init__(self, port: int, tokens: list[str], seed: int) -> None:
        self.clients = [Client(port, token) for token in tokens]
        self.rng = random.Random(seed)
        self.deal()

    def deal(self) -> None:
        host = self.clients[0]
        game = host.call("POST", "/api/v1/games", {"edition": EDITION, "players": 6})
        self.path = f"/api/v1/games/{game['id']}"
        for number, client in enumerate(self.clients, 1):
            client.call("POST", f"{self.path}/seats", {"seat": number})
        view = host.call("POST", f"{self.path}/start")
        self.game = Game(Edition.named(EDITION), 6, view["starts"])

    def move(self) -> None:
        if not self.game.to_move:
            self.deal()
        move = self.rng.choice(self.game.legal_moves(self.game.to_move[0]))
        seat = next(i for i, pawns in enumerate(self.game.seats) if move.pawn in pawns)
        body = {"turn": self.game.turn, "notation": str(move)}
        self.clients[seat].call("POST", f"{self.path}/moves", body)
        self.game.play(move)


def _bare_rate() -> tuple[float, int]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        process = multiprocessing.get_context("spawn").Process(target=_serve_bare, args=(folder, port), daemon=True)
        process.start()
        _wait(port)
        clients = [Client(port) for _ in range(CLIENTS)]
        try:
            return _rate([lambda client=client: client.call("POST", "/rows", {"n": 1}) for client in clients])
        finally:
            process.terminate()


def _serve_bare(folder: str, port: int) -> None:
    class Row(Base):
        __tablename__ = "bench_rows"
        id: Mapped[int] = mapped_column(primary_key=True)
        n: Mapped[int]

    app = Flask("bare")
    connect(app, f"sqlite:///{Path(folder, 'bare.db')}")
    with app.app_context():
        Base.metadata.create_all(db.engine, tables=[Row.__table__])  # type: ignore[list-item]

    @app.post("/rows")
    def add() -> Any:
        with transaction():
            session.add(Row(n=1))
        return jsonify({"n": 1}), 201

    serve(app, host="127.0.0.1", port=port, threads=THREADS)


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


def _rate(calls: list[Callable[[], object]]) -> tuple[float, int]:
    """Calls per second when all run side by side for a while."""
    counts = [0] * len(calls)
    stop = time.perf_counter() + SECONDS

    def run(i: int) -> None:
        while time.perf_counter() < stop:
            calls[i]()
            counts[i] += 1

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS, sum(counts)
