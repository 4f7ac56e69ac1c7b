"""The memory of `serve` before and after many moves, mails and all: what grows with the work that was done.

It is measured when everything has been loaded once. BENCH_MOVES is the number of moves: 5,000, or 100,000, which take a
quarter of an hour.
"""

import os
import threading
from collections.abc import Iterator

from bench.engine import Figure, figure
from bench.rest import CLIENTS, Table
from bench.running import Running, serving

MOVES = int(os.environ.get("BENCH_MOVES", "5000"))
WARM = 2_400  # moves before the first look, by which each client has played a game to its end
AIM = 0.05 if MOVES > 20_000 else 0.03  # of the memory at the first look


def figures() -> Iterator[Figure]:
    """Yield the megabytes that the moves added, beside the most that they may."""
    with serving() as running:
        tokens = [running.add_player(f"P{i}")[1] for i in range(6)]
        tables = [Table(running.http, tokens, seed) for seed in range(CLIENTS)]
        before = _after(WARM, tables, running)
        after = _after(MOVES, tables, running)
    yield figure(f"memory added by {MOVES} moves", after - before, "MB", AIM * before, MOVES)


def _after(moves: int, tables: list[Table], running: Running) -> float:
    """Make that many moves, side by side; return the megabytes of memory when all mail is sent."""

    def play(table: Table) -> None:
        for _ in range(moves // len(tables)):
            table.move()

    threads = [threading.Thread(target=play, args=(table,)) for table in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    running.drain()
    return running.memory()
