"""`blackticket serve`, `web` and `worker` as processes in a folder of their own."""

import http.client
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from server.models.sqlite import sqlite3
from tests import databases
from tests.loaded import Command, Process
from tests.relays import free_port

WAIT = 30  # seconds, for a machine that is busy


def children(pid: int) -> list[int]:
    """Return the ids of the processes that a process has started, and that have not ended."""
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


def is_over(pid: int) -> bool:
    """Return whether a process has ended, and let go of all that it held; it may still wait to be noticed."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state in "ZX"


# A worker on PostgreSQL needs a relay; where a test names none, nobody is there, and the log says so.
NO_RELAY = {"BLACKTICKET_SMTP_URL": "smtp://127.0.0.1:1"} if databases.IS_POSTGRESQL else {}
OF_NO_RELAY = re.compile(r"outbox row \w+: the relay cannot be reached \(nobody listens at that port\)\n")


class Running:
    """A process that runs, and how it will end."""

    def __init__(self, process: Process, said: list[str]) -> None:
        self.process, self.said = process, said
        self.is_told = False
        self.ends_with = 0

    def terminate(self) -> None:
        """Tell it to stop, as a service manager does."""
        self.is_told = True
        self.process.terminate()


class Server:
    """The settings and the command of a server in a folder of its own."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = {f"BLACKTICKET_{name.upper()}": value for name, value in settings.items()}
        self.http, self.smtp = free_port(), free_port()
        self.is_sent = threading.Event()
        self.start_process: Callable[[Sequence[str], Path, Mapping[str, str]], Process] = Command

    def start(self, command: str = "serve", **given: str) -> Process:
        """Start a process, and wait for nothing."""
        others = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
        settings = (
            databases.environ(self.folder / "var")
            | NO_RELAY
            | {
                "BLACKTICKET_HTTP_LISTEN": f"127.0.0.1:{self.http}",
                "BLACKTICKET_MAIL_LISTEN": f"smtp://127.0.0.1:{self.smtp}",
                **{f"BLACKTICKET_{name}": value for name, value in given.items()},
            }
        )
        return self.start_process(command.split(), self.folder, others | settings | self.settings)

    @contextmanager
    def running(self, command: str = "serve", **given: str) -> Iterator[Running]:
        """Start a process and wait until it works; at the end stop it as a service manager does, if it still runs."""
        process = self.start(command, **given)
        running = Running(process, [])
        try:
            running.said += until_it_runs(process)
            yield running
        finally:
            if not running.is_told:
                running.terminate()
            _, errors = process.communicate(timeout=WAIT)
        errors = OF_NO_RELAY.sub("", errors) if NO_RELAY else errors
        assert (process.returncode, errors) == (running.ends_with, ""), errors

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Make every other writer wait, inside the block."""
        with sqlite3.connect(self.folder / "var" / "blackticket.db", isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                database.execute("ROLLBACK")
        database.close()

    def database(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows that a query finds in the file of the database."""
        with sqlite3.connect(self.folder / "var" / "blackticket.db") as database:
            found = database.execute(query).fetchall()
        database.close()
        return found

    def sign_up(self, name: str = "Ada") -> int:
        """Sign up, which has the server write a player's mail, and return the status of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=WAIT)
        body = json.dumps({"name": name, "email": f"{name.lower()}@example.org"})
        connection.request("POST", "/api/v1/players", body, {"Content-Type": "application/json"})
        self.is_sent.set()
        status = connection.getresponse().status
        connection.close()
        return status


def until_it_runs(process: Process) -> list[str]:
    """Return the lines that a process says until it works."""
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith(("Ctrl-C", "HTTP on", "The worker runs")):
            return said
    raise AssertionError(f"it did not start: {said}, {process.stderr.read()}")
