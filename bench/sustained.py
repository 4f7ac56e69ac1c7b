"""Twenty moves a second for a while, mails and all, in `serve` on SQLite: how long a move takes, and its mail.

The moves come at fixed times, whether or not those before are answered, and each is measured from its time on. They go
round a hundred games, so that a player has five seconds for the mail of a turn. A mail is measured from the commit
that caused it until it was recorded as handed over. An outage of the server, or a mail that is dead, is no figure.

BENCH_SECONDS is how long: five minutes is what is asked for, and a quarter of one is enough to see that nothing broke.
"""

import os
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime

from bench.engine import Figure, figure
from bench.rest import Table
from bench.running import Running, processor_seconds, serving

SECONDS = float(os.environ.get("BENCH_SECONDS", "15"))
RATE = 20  # moves a second
GAMES = 100
CLIENTS = 64  # moves under way at most
MOVE, MAIL, MEMORY = 100.0, 2.0, 180.0  # milliseconds, seconds and megabytes at most


def figures() -> Iterator[Figure]:
    """Yield 99 of 100 of the moves and of the mails; mails that were overtaken; processor time and memory."""
    with serving() as running:
        tokens = [running.add_player(f"P{i}")[1] for i in range(6)]
        tables = [Table(running.http, tokens, seed) for seed in range(GAMES)]
        for number, table in enumerate(tables):  # so that not all are at the same place of a round
            for _ in range(number % 6):
                table.move()
        running.drain()
        began, spent = running.now(), processor_seconds(running.pid)
        took = _moves(tables)
        running.drain()
        spent = processor_seconds(running.pid) - spent
        mails, overtaken = _mails(running, began)
        memory = running.memory()
    n, title = len(took), f"sustained {RATE} moves a second for {SECONDS:.0f} s"
    yield figure(f"{title}: a move, 99 of 100", 1000 * _quantile(took, 99), "ms", MOVE, n)
    yield figure(f"{title}: a mail from its cause to the relay, 99 of 100", _quantile(mails, 99), "s", MAIL, len(mails))
    yield figure(f"{title}: mails overtaken before they were written", overtaken, "mails", len(mails) or 1, n)
    yield figure(f"{title}: processor for a move and its mails", 1000 * spent / n, "ms", 1000 / RATE, n)
    yield figure(f"{title}: memory of all processes", memory, "MB", MEMORY, n)


def _moves(tables: list[Table]) -> list[float]:
    """Make the moves, each at its time; return the seconds from then until each was answered."""
    locks = [threading.Lock() for _ in tables]
    began = time.perf_counter()

    def move(number: int) -> float:
        place = number % len(tables)
        with locks[place]:
            tables[place].move()
        return time.perf_counter() - began - number / RATE

    under_way: list[Future[float]] = []
    with ThreadPoolExecutor(CLIENTS) as clients:
        for number in range(int(SECONDS * RATE)):
            time.sleep(max(0.0, began + number / RATE - time.perf_counter()))
            under_way.append(clients.submit(move, number))
    return [answer.result() for answer in under_way]


def _mails(running: Running, began: datetime) -> tuple[list[float], int]:
    """Return the seconds from cause to hand-over of each mail caused since then, and how many were superseded."""
    rows = running.outbox(began)
    sent = [(sent_at - created_at).total_seconds() for state, created_at, sent_at in rows if state == "sent"]
    return sent, sum(state == "superseded" for state, *_ in rows)


def _quantile(values: list[float], hundredths: int) -> float:
    return statistics.quantiles(values, n=100)[hundredths - 1]
