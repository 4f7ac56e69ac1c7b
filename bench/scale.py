"""Several web processes and workers on one PostgreSQL: what a move costs with one of each, with two, and with four.

The clients spread over the web processes in two ways: each asks them in turn, and each game has one of them for good,
as behind a proxy with the configuration that ships. All ways are measured again and again, one after the other, each
with the same number of moves in games of its own, and a figure is the median: so a machine that does other work weighs
on all of them alike. The baseline of a figure is the same with one process of each kind.

Of locks there is how long connections waited for one, by looks at what each waits for. Of statements there are the
transactions that PostgreSQL counts, of which each statement outside of one is one: those of a move are counted by
`tests/test_statements.py`, and the PostgreSQL that this brings has no pg_stat_statements.

Before all of it come the bytes of a game, see `bench.disk`. Each figure is yielded as soon as it is there.
"""

import itertools
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from bench import disk
from bench.engine import Figure, figure
from bench.rest import Table
from bench.running import (
    COMMAND,
    WINDOWS,
    Client,
    Running,
    answers,
    environ_with,
    exact_processor_seconds_of,
    for_sqlalchemy,
    free_port,
    postgresql,
)

CLIENTS = 8  # each with a game of its own
MOVES = 24  # of each client, in one window
NUMBERS = (1, 2, 4)
LOOKS = 0.01  # seconds between two looks at what connections wait for
STARTED = 3.6  # seconds in which a worker starts
SETTLED = 1.2  # seconds after which PostgreSQL has counted what was done
_LOCKED = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type IN ('Lock', 'LWLock')"
)
_TRANSACTIONS = text("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
_BACKENDS = text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")


@dataclass
class Cost:
    """The cost of a move and its mails: milliseconds of processors and of waiting for locks; transactions and mails.

    The mails are those that were sent: a mail is not, if the next move comes before it. `workers` is for one of them.
    """

    web: float
    workers: float
    postgresql: float
    locked: float
    transactions: float
    mails: float


UNITS = {
    "web": "ms of the web processes", "workers": "ms of the workers for a mail", "postgresql": "ms of PostgreSQL",
    "locked": "ms of waiting for locks", "transactions": "transactions", "mails": "mails",
}  # fmt: skip


class InTurn(Client):
    """A client that asks one process after the other."""

    def __init__(self, ports: Sequence[int]) -> None:
        super().__init__(ports[0])
        self._clients = itertools.cycle([Client(port) for port in ports])

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the next process."""
        client = next(self._clients)
        client.headers = self.headers
        return client.call(method, path, body)


class Installation:
    """A PostgreSQL with web processes and workers, all from the start; `keep_workers` says which workers run."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self._stack = stack
        environ = environ_with(DATABASE_URL=url, MAIL_LISTEN="", TICK_SECONDS="5")
        self.running = Running(0, 0, folder / "var", environ, 0, 0.0, for_sqlalchemy(url))
        subprocess.run([*COMMAND, "db", "upgrade"], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL)
        self.ports = [free_port() for _ in range(max(NUMBERS))]
        self.webs = [self._start("web", HTTP_LISTEN=f"127.0.0.1:{port}").pid for port in self.ports]
        self.workers = []
        for _ in range(max(NUMBERS)):
            self.workers.append(self._start("worker"))
            time.sleep(STARTED)
        for port in self.ports:
            while not answers(port):
                time.sleep(0.05)
        self._engine = create_engine(self.running.url, isolation_level="AUTOCOMMIT")
        stack.callback(self._engine.dispose)
        self.tokens = [self.running.add_player(f"P{i}")[1] for i in range(6)]

    def _start(self, command: str, **settings: str) -> subprocess.Popen[bytes]:
        environ = self.running.environ | {f"BLACKTICKET_{name}": value for name, value in settings.items()}
        process = subprocess.Popen(
            [*COMMAND, command], cwd=self.running.var.parent, env=environ, stdout=subprocess.DEVNULL
        )
        self._stack.callback(process.wait, 20)
        self._stack.callback(process.terminate)
        self._stack.callback(process.send_signal, signal.SIGCONT)
        return process

    def keep_workers(self, *kept: int) -> None:
        """Have the workers of these numbers run; the others pause. The first is the one that listens."""
        for number, worker in enumerate(self.workers):
            worker.send_signal(signal.SIGCONT if number in kept else signal.SIGSTOP)
        time.sleep(SETTLED)

    def warm_up(self) -> None:
        """Have each worker send mails alone, which loads what it needs for them."""
        for number in range(len(self.workers)):
            self.keep_workers(number)
            self.measure(1, in_turn=True)

    def measure(self, webs: int, *, in_turn: bool) -> Cost:
        """Return what a move costs over so many of the web processes."""
        ports = self.ports[:webs]
        tables = [Table(ports[number % webs], self.tokens, number) for number in range(CLIENTS)]
        for table in tables:
            while len(table.moves) < MOVES + webs:
                table.deal()
            if in_turn:
                table.client = InTurn(ports)
            for _ in range(webs):
                table.move()
        self._settle()
        before, mails, locked = self._spent(webs), self.running.mails_sent(), [0]
        with self._watching(locked), ThreadPoolExecutor(CLIENTS) as clients:
            for played in [clients.submit(_play, table) for table in tables]:
                played.result()
            mails = self.running.drain() - mails
        self._settle()
        spent = [after - was for was, after in zip(before, self._spent(webs), strict=True)]
        web, workers, database, transactions = spent
        moves, ms = CLIENTS * MOVES, 1000
        waited = LOOKS * locked[0]
        return Cost(
            ms * web / moves, ms * workers / mails, ms * database / moves, ms * waited / moves, transactions / moves,
            mails / moves,
        )  # fmt: skip

    def _settle(self) -> None:
        self.running.drain()
        time.sleep(SETTLED)

    def _spent(self, webs: int) -> tuple[float, float, float, float]:
        """Return the seconds of the processors so far, of each kind of process, and the number of transactions."""
        with self._engine.connect() as connection:
            backends = connection.execute(_BACKENDS).scalars().all()
            transactions = connection.execute(_TRANSACTIONS).scalar_one()
        kinds = (self.webs[:webs], [worker.pid for worker in self.workers], backends)
        web, workers, database = (sum(map(exact_processor_seconds_of, kind)) for kind in kinds)
        return web, workers, database, float(transactions)

    @contextmanager
    def _watching(self, locked: list[int]) -> Iterator[None]:
        """Count within the block, at each look, the connections that wait for a lock."""
        stop = threading.Event()

        def look() -> None:
            with self._engine.connect() as connection:
                while not stop.wait(LOOKS):
                    locked[0] += connection.execute(_LOCKED).scalar_one()

        thread = threading.Thread(target=look)
        thread.start()
        yield
        stop.set()
        thread.join()


def figures() -> Iterator[Figure]:
    """Yield the bytes of a game, and what a move costs with several web processes, and with several workers."""
    yield from disk.figures()
    with postgresql() as database, ExitStack() as stack:
        installation = Installation(database("scale"), stack)
        ways = [(webs, in_turn, 1) for webs in NUMBERS for in_turn in ((True, False) if webs > 1 else (True,))]
        ways += [(NUMBERS[-1], False, workers) for workers in NUMBERS[1:]]
        installation.warm_up()
        costs: dict[str, list[Cost]] = {}
        for window in range(1, WINDOWS + 1):
            for webs, in_turn, workers in ways:
                installation.keep_workers(*range(workers))
                title = f"{webs} web, {'in turn' if in_turn else 'by game'}, workers: {workers}"
                costs.setdefault(title, []).append(installation.measure(webs, in_turn=in_turn))
                if window == WINDOWS:
                    yield from _medians(title, costs[title], next(iter(costs.values())))


def _medians(title: str, measured: list[Cost], with_one: list[Cost]) -> Iterator[Figure]:
    cost, one = _median(measured), _median(with_one)
    for name, unit in UNITS.items():
        value, baseline = getattr(cost, name), getattr(one, name)
        yield figure(f"a move and its mails, {title}: {name}", value, unit, baseline or 1, CLIENTS * MOVES)


def _play(table: Table) -> None:
    for _ in range(MOVES):
        table.move()


def _median(costs: list[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(cost, each.name) for cost in costs) for each in fields(Cost)))
