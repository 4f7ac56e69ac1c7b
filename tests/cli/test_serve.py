"""`blackticket serve` as a process: it starts, answers, stops in order, and says what keeps it from starting."""

import asyncio
import json
import os
import queue
import re
import signal
import smtplib
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import pytest
from flask.testing import FlaskClient
from sqlalchemy import create_engine

from server.app import create_app
from server.cli.processes import hold_folder
from server.cli.worker_process import mail_sockets
from server.models import startup
from server.models.sqlite import sqlite3
from server.runtime import utc_now
from server.settings import Listen, SettingError, Settings
from tests import databases
from tests.blanks import lay_migrated
from tests.cli.running import WAIT, Server, children, is_over, until_it_runs
from tests.docs.pages import ROOT
from tests.patience import LONGEST, eventually
from tests.relays import relaying


def wait_until_it_refuses(port: int) -> None:
    """Wait until the port refuses connections."""

    def is_refused() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=0.1).close()
        except TimeoutError:  # at the moment when the port closes, a try may get no answer at all
            return False
        except ConnectionError:
            return True
        return False

    eventually(is_refused)


def wait_until_it_is_asked(server: Server) -> None:
    """Wait until a thread has the sign-up, which it has once later requests are answered."""
    assert server.is_sent.wait(WAIT)
    for _ in range(20):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.http}/healthz", timeout=WAIT) as answer:
            answer.read()


class Relay:
    """A mail server that takes one mail, and says so when it is told to."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"smtp://127.0.0.1:{self.listening.getsockname()[1]}"
        self.has_mail, self.may_answer = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._take, daemon=True)
        self.thread.start()

    def _take(self) -> None:
        with self.listening:
            line, _ = self.listening.accept()
        with line, line.makefile("rwb") as file:
            file.write(b"220 relay\r\n")
            file.flush()
            for said in file:
                if said.upper().startswith(b"DATA"):
                    file.write(b"354 go on\r\n")
                    file.flush()
                    while file.readline() != b".\r\n":
                        pass
                    self.has_mail.set()
                    self.may_answer.wait(WAIT)
                file.write(b"250 OK\r\n")
                file.flush()


@pytest.fixture
def server(tmp_path: Path) -> Server:
    if not databases.IS_POSTGRESQL:
        lay_migrated(tmp_path / "var")
    return Server(tmp_path)


def test_it_serves_http_and_smtp_in_an_empty_folder_until_it_is_told_to_stop(tmp_path: Path):
    server = Server(tmp_path)
    with server.running() as running:
        said = running.said
        assert said[0].startswith(("Black Ticket is running", "There was no database, so a new one was made"))
        assert f"http://127.0.0.1:{server.http}/api/v1" in "".join(said)
        assert "blackticket player add" in "".join(said), "it says what to do next"
        with urllib.request.urlopen(f"http://127.0.0.1:{server.http}/healthz", timeout=WAIT) as answer:
            assert json.load(answer) == {"status": "ok"}
        with smtplib.SMTP("127.0.0.1", server.smtp, timeout=WAIT) as smtp:
            smtp.sendmail("ada@example.org", ["play@localhost"], "From: ada@example.org\n\nHELP\n")
    assert not [*tmp_path.rglob("*.db-wal")], "all that was written is in one file"


def test_a_server_that_listens_on_all_addresses_prints_one_that_others_in_the_house_can_open(server: Server):
    with server.running(HTTP_LISTEN=f"0.0.0.0:{server.http}") as running:
        opened = re.search(r"Open (http://([0-9.]+):[0-9]+)/", "".join(running.said))
        assert opened is not None
        assert opened[2] != "0.0.0.0"
        with urllib.request.urlopen(f"{opened[1]}/healthz", timeout=WAIT) as answer:
            assert json.load(answer) == {"status": "ok"}


@pytest.mark.parametrize(("given", "listen"), [([], None), (["LAN=yes"], "0.0.0.0:8000"), (["LAN=no"], None)])
def test_make_run_listens_in_the_house_where_it_is_told_to(given: list[str], listen: str | None):
    said = subprocess.run(["make", "--dry-run", "run", *given], cwd=ROOT, capture_output=True, text=True, check=True)
    found = re.search(r"HTTP_LISTEN=(\S+) \S+ serve", said.stdout)
    assert (found and found[1]) == listen


@pytest.mark.sqlite("its file")
def test_it_says_that_it_makes_a_new_database_where_one_was_lost(server: Server):
    with server.running() as running:
        assert "There was no database" not in "".join(running.said)
    (server.folder / "var" / "blackticket.db").write_bytes(b"")
    with server.running() as running:
        told = f"There was no database, so a new one was made; the data folder is {server.folder / 'var'}.\n"
        assert "".join(running.said).count(told) == 1


class Hanging:
    """A relay that keeps whoever comes first waiting for ever, and takes the mails of all who come later.

    A line now and then keeps the one that waits from giving up, however long the test takes.
    """

    def __init__(self) -> None:
        self.came: queue.Queue[str] = queue.Queue()
        self.is_first = True

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.came.put(",".join(envelope.rcpt_tos))
        if self.is_first:
            self.is_first = False
            while True:
                await server.push("250-have patience")
                await asyncio.sleep(1)
        return "250 OK"


@pytest.fixture
def hanging() -> Iterator[tuple[Hanging, str]]:
    handler = Hanging()
    with relaying(handler) as port:
        yield handler, f"smtp://127.0.0.1:{port}"


def test_a_mail_in_the_hands_of_a_server_that_was_killed_is_sent_by_the_next_one_at_once(
    server: Server, hanging: tuple[Hanging, str]
):
    relay, url = hanging
    settings = {"smtp_url": url, "public_url": "https://tickets.example.org", "tick_seconds": "1"}
    first, beside = Server(server.folder, **settings), Server(server.folder, **settings)
    killed, second = first.start(), None
    try:
        until_it_runs(killed)
        assert first.sign_up("Ada") == 202
        assert relay.came.get(timeout=LONGEST) == "ada@example.org"
        # A second worker leaves what a living one has in hand alone, and sends what it finds beside that.
        second = beside.start("worker")
        until_it_runs(second)
        assert first.sign_up("Ben") == 202
        assert relay.came.get(timeout=LONGEST) == "ben@example.org"
    finally:
        parts = [killed.pid, *children(killed.pid)]
        killed.kill()
        killed.communicate(timeout=WAIT)
        if second is not None:
            second.terminate()
            second.communicate(timeout=WAIT)
    eventually(lambda: all(map(is_over, parts)))
    with first.running():
        assert relay.came.get(timeout=LONGEST) == "ada@example.org", "its lease was for five minutes"


# What keeps it from starting -----------------------------------------------------------------------------------------


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_an_http_port_in_use_is_told_in_one_sentence(server: Server, taken: int):
    server.http = taken
    process = server.start()
    said, errors = process.communicate(timeout=WAIT)
    assert (process.returncode, said) == (1, "")
    assert errors == (
        f"http://127.0.0.1:{taken} is in use by another program; "
        "end that program, or choose another address with BLACKTICKET_HTTP_LISTEN.\n"
    )


def test_a_mail_port_in_use_is_told_in_one_sentence(taken: int):
    with pytest.raises(SettingError) as refused:
        mail_sockets([Listen("smtp", "127.0.0.1", taken)])
    assert str(refused.value) == (
        f"smtp://127.0.0.1:{taken} is in use by another program; "
        "end that program, or choose another address with BLACKTICKET_MAIL_LISTEN."
    )


@pytest.mark.sqlite("its file")
def test_it_waits_for_a_file_that_another_program_has_locked(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    file = tmp_path / "some.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        engine = create_engine(f"sqlite:///{file}", module=sqlite3, connect_args={"timeout": 0.01})
        assert startup.wait_for(engine, lambda: "done", lambda _pause: other.execute("ROLLBACK")) == "done"
        engine.dispose()
    assert "the database cannot be used (another program keeps it locked); the next attempt is in 1" in caplog.text


@pytest.mark.sqlite("its file")
@pytest.mark.parametrize("command", ["serve", "web", "worker"])
def test_no_process_starts_on_a_file_that_it_may_not_write(server: Server, command: str):
    with server.running():
        pass
    file = server.folder / "var" / "blackticket.db"
    process = server.start(command, DATABASE_URL=f"sqlite:///file:{file}?mode=ro&uri=true")
    said, error = process.communicate(timeout=WAIT)
    assert (process.returncode, said) == (1, "")
    assert error.startswith("The database cannot be used: attempt to write a readonly database.")


def test_a_second_server_in_the_folder_is_refused_and_leaves_the_first_alone(server: Server):
    with server.running():
        process = Server(server.folder).start()
        said, errors = process.communicate(timeout=WAIT)
        assert (process.returncode, said) == (1, "")
        assert errors == (
            f"Another `blackticket serve` works in the folder {server.folder / 'var'}; stop that one, or start "
            "this one in another folder. With PostgreSQL `blackticket web` and `blackticket worker` may run beside "
            "it.\n"
        )
        assert server.sign_up() == 202


def test_a_server_that_was_killed_does_not_keep_the_next_one_from_its_folder(server: Server):
    killed = server.start()
    until_it_runs(killed)
    killed.kill()
    killed.wait(WAIT)
    with Server(server.folder).running() as next_one:
        assert "Black Ticket is running" in "".join(next_one.said)
    killed.communicate(timeout=WAIT)


@pytest.mark.parametrize("command", ["serve", "web", "worker"])
def test_no_backup_is_restored_under_a_process_that_runs(server: Server, command: str):
    with server.running():
        process = server.start("backup copy.db")
        process.communicate(timeout=WAIT)
        assert process.returncode == 0
    with server.running(command):
        process = server.start("restore copy.db --replace", TICK_SECONDS="1")
        said, errors = process.communicate(timeout=WAIT)
        assert (process.returncode, said) == (1, "")
        assert "stop the server first" in errors
    assert not [*server.folder.rglob("replaced-*")]


def hold_and_fork(folder: Path, generations: int, reading: int, lives: int) -> NoReturn:
    """Hold a folder and exit. The youngest child says that it lives, until the writing end of the pipe is closed."""
    status = 1
    try:
        hold_folder(folder)
        for _ in range(generations):
            if os.fork():
                break
        else:
            os.write(lives, b".")
            os.read(reading, 1)
        status = 0
    finally:
        os._exit(status)


@pytest.mark.parametrize("generations", [pytest.param(1, marks=pytest.mark.campaign), 2])
def test_a_child_that_outlives_its_server_for_a_moment_does_not_keep_the_folder(tmp_path: Path, generations: int):
    (reading, writing), (hearing, lives) = os.pipe(), os.pipe()
    server = os.fork()
    if server == 0:
        os.close(writing)
        hold_and_fork(tmp_path, generations, reading, lives)
    try:
        assert os.waitstatus_to_exitcode(os.waitpid(server, 0)[1]) == 0
        assert os.read(hearing, 1) == b"."  # a child of this moment still has its parent's lock
        hold_folder(tmp_path)
    finally:
        for end in (writing, reading, hearing, lives):
            os.close(end)
    with pytest.raises(SettingError, match="Another `blackticket serve` works in the folder"):
        hold_folder(tmp_path)


# What is under way when it stops -------------------------------------------------------------------------------------


@pytest.mark.sqlite("a lock on its file keeps the process busy")
@pytest.mark.parametrize("command", ["serve", "web"])
def test_a_request_under_way_is_answered_before_the_process_ends(server: Server, command: str):
    with ThreadPoolExecutor(1) as client, server.running(command) as running:
        with server.busy():
            answer = client.submit(server.sign_up)
            wait_until_it_is_asked(server)
            running.terminate()
            wait_until_it_refuses(server.http)
            assert not answer.done()
        assert answer.result(WAIT) == 202


@pytest.mark.sqlite("a lock on its file keeps the process busy")
def test_a_second_signal_ends_it_at_once(server: Server):
    with ThreadPoolExecutor(1) as client, server.running() as running, server.busy():
        answer = client.submit(server.sign_up)
        wait_until_it_is_asked(server)
        running.terminate()
        wait_until_it_refuses(server.http)
        running.terminate()
        running.ends_with = 128 + signal.SIGTERM
        assert running.process.wait(WAIT) == 128 + signal.SIGTERM
        assert isinstance(answer.exception(WAIT), ConnectionError), "the request was not answered"


@pytest.mark.sqlite("its file is read beside the process")
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_mail_that_is_being_sent_is_sent_and_settled_before_the_process_ends(server: Server, command: str):
    signed_up = client_of(server).post("/api/v1/players", json={"name": "Ada", "email": "ada@example.org"})
    assert signed_up.status_code == 202
    relay = Relay()
    with server.running(command, SMTP_URL=relay.url) as running:
        assert relay.has_mail.wait(WAIT)
        running.terminate()
        wait_until_it_refuses(server.smtp)
        relay.may_answer.set()
    assert server.database("SELECT state FROM outbox") == [("sent",)]


@pytest.mark.sqlite("a lock on its file keeps the process busy")
def test_a_mail_that_is_being_taken_in_is_stored_and_answered_before_the_process_ends(server: Server):
    with server.running("worker") as running:
        smtp, other = (smtplib.SMTP("127.0.0.1", server.smtp, timeout=WAIT) for _ in range(2))
        with smtp, other:
            smtp.ehlo()
            smtp.mail("ada@example.org")
            smtp.rcpt("play@localhost")
            assert smtp.docmd("DATA")[0] == 354
            with server.busy():
                smtp.send("From: ada@example.org\r\n\r\nHELP\r\n.\r\n")
                for _ in range(20):
                    other.noop()
                running.terminate()
                wait_until_it_refuses(server.smtp)
            assert smtp.getreply()[0] == 250
    assert server.database("SELECT count(*) FROM inbox") == [(1,)]


def client_of(server: Server) -> FlaskClient:
    """Return a client that writes to the database that a process will find, at the time that the process will read."""
    return create_app(Settings.from_environ({}, server.folder / "var"), clock=utc_now).test_client()


APART = """
import sys
from functools import partial
from server import migrations
from server.app import create_app
from server.vocabulary.errors import Problem
from server.cli.processes import run_apart

def fail(error):
    raise error

with create_app(serves_http=False).app_context():
    run_apart(migrations.upgrade)
    print("alembic" in sys.modules, migrations.current() == migrations.newest())
    for error in (ValueError("no"), Problem("form", "not to be pickled")):
        try:
            run_apart(partial(fail, error))
        except Exception as raised:
            print(type(raised).__name__, raised)
"""


def test_a_migration_runs_apart_so_that_its_library_does_not_stay_and_its_errors_are_raised(tmp_path: Path):
    environ = os.environ | databases.environ(tmp_path / "var") | {"PYTHONPATH": str(Path(__file__).parents[2])}
    ran = subprocess.run(
        [sys.executable, "-c", APART], check=False, cwd=tmp_path, env=environ, capture_output=True, text=True
    )
    loaded, first, second = ran.stdout.splitlines()
    assert (loaded, first) == ("False True", "ValueError no")
    assert second.startswith("RuntimeError Problem at ")


AT_ONCE = """
import os
from functools import partial
from server.app import create_app
from server.cli.processes import run_apart

reading, writing = os.pipe()
with create_app(serves_http=False).app_context():
    run_apart(partial(os.read, reading, 1), meanwhile=partial(os.write, writing, b"!"))
print("both are done")
"""


def test_the_server_loads_what_it_needs_while_its_database_is_made(tmp_path: Path):
    environ = os.environ | databases.environ(tmp_path / "var") | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", AT_ONCE]  # the work apart waits for what is done meanwhile
    ran = subprocess.run(command, check=True, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert ran.stdout == "both are done\n"


def has_ended(pid: int) -> bool:
    """Return True if there is no such process, or only its status, which nobody has asked for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


WAITING = """
import os, sys
from functools import partial
from server.app import create_app
from server.cli.processes import run_apart

with create_app(serves_http=False).app_context():
    run_apart(partial(os.read, int(sys.argv[1]), 1))
"""


def test_what_runs_apart_ends_with_its_work_when_the_server_was_stopped_before(tmp_path: Path):
    environ = os.environ | databases.environ(tmp_path / "var") | {"PYTHONPATH": str(Path(__file__).parents[2])}
    reading, writing = os.pipe()
    command = [sys.executable, "-c", WAITING, str(reading)]
    with subprocess.Popen(command, cwd=tmp_path, env=environ, pass_fds=[reading]) as process:
        eventually(lambda: children(process.pid))
        (apart,) = children(process.pid)
        process.terminate()
    os.close(writing)
    os.close(reading)
    eventually(lambda: has_ended(apart))
