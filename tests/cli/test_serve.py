"""`blackticket serve` as a process: it starts, answers, stops in order, and says what keeps it from starting."""

import asyncio
import http.client
import json
import os
import queue
import signal
import smtplib
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from flask.testing import FlaskClient

from server import migrations
from server.app import create_app
from server.settings import Settings
from tests import databases

WAIT = 30  # seconds, for a machine that is busy


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """The settings and the command of a server in a folder of its own."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = {f"BLACKTICKET_{name.upper()}": value for name, value in settings.items()}
        self.http, self.smtp = free_port(), free_port()
        self.is_sent = threading.Event()

    def start(self, command: str = "serve", **given: str) -> "subprocess.Popen[str]":
        others = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
        settings = databases.environ(self.folder / "var") | {
            "BLACKTICKET_HTTP_LISTEN": f"127.0.0.1:{self.http}",
            "BLACKTICKET_MAIL_LISTEN": f"smtp://127.0.0.1:{self.smtp}",
            **{f"BLACKTICKET_{name}": value for name, value in given.items()},
        }
        return subprocess.Popen(
            [sys.executable, "-m", "server", *command.split()],
            cwd=self.folder, env=others | settings | self.settings, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    @contextmanager
    def running(self, command: str = "serve", **given: str) -> Iterator["Running"]:
        """Started; afterwards stopped as a service manager does it, if it still runs."""
        process = self.start(command, **given)
        running = Running(process, [])
        try:
            assert process.stdout is not None
            for line in process.stdout:
                running.said.append(line)
                if line.startswith(("Ctrl-C", "HTTP on", "The worker runs")):
                    break
            yield running
        finally:
            if not running.is_told:
                running.terminate()
            _, errors = process.communicate(timeout=WAIT)
        assert (process.returncode, errors) == (running.ends_with, "")

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Within, whoever wants to write has to wait."""
        with sqlite3.connect(self.folder / "var" / "blackticket.db", isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                database.execute("ROLLBACK")
        database.close()

    def database(self, query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(self.folder / "var" / "blackticket.db") as database:
            found = database.execute(query).fetchall()
        database.close()
        return found

    def sign_up(self) -> int:
        """The status of a sign-up, which writes a player's mail."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=WAIT)
        body = json.dumps({"name": "Ada", "email": "ada@example.org"})
        connection.request("POST", "/api/v1/players", body, {"Content-Type": "application/json"})
        self.is_sent.set()
        status = connection.getresponse().status
        connection.close()
        return status

    def wait_until_it_refuses(self, port: int) -> None:
        """Wait until nobody answers the port; each try is answered, or refused, at once."""
        with suppress(ConnectionError):
            while True:
                with socket.create_connection(("127.0.0.1", port), WAIT):
                    pass

    def wait_until_it_is_asked(self) -> None:
        """Wait until a thread has the sign-up, which it has once later requests are answered."""
        assert self.is_sent.wait(WAIT)
        for _ in range(20):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/healthz", timeout=WAIT) as answer:
                answer.read()


class Running:
    """A process that runs, and how it will end."""

    def __init__(self, process: "subprocess.Popen[str]", said: list[str]) -> None:
        self.process, self.said = process, said
        self.is_told = False
        self.ends_with = 0

    def terminate(self) -> None:
        self.is_told = True
        self.process.send_signal(signal.SIGTERM)


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
    return Server(tmp_path)


def test_it_serves_http_and_smtp_until_it_is_told_to_stop(server: Server):
    with server.running() as running:
        said = running.said
        assert said[0].startswith(("Black Ticket is running", "The database was brought to revision"))
        assert f"http://127.0.0.1:{server.http}/api/v1" in "".join(said)
        assert "blackticket player add" in "".join(said), "it says what to do next"
        with urllib.request.urlopen(f"http://127.0.0.1:{server.http}/healthz", timeout=WAIT) as answer:
            assert json.load(answer) == {"status": "ok"}
        with smtplib.SMTP("127.0.0.1", server.smtp, timeout=WAIT) as smtp:
            smtp.sendmail("ada@example.org", ["play@localhost"], "From: ada@example.org\n\nHELP\n")
        key = (server.folder / "var" / "secret_key").read_text()
    with server.running():
        assert (server.folder / "var" / "secret_key").read_text() == key, "a second start keeps it"


class Hanging:
    """A relay that keeps whoever comes first waiting for ever, and takes the mails of all who come later."""

    def __init__(self) -> None:
        self.came: queue.Queue[str] = queue.Queue()
        self.is_first = True

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.came.put(",".join(envelope.rcpt_tos))
        if self.is_first:
            self.is_first = False
            await asyncio.Event().wait()
        return "250 OK"


@pytest.fixture
def hanging() -> Iterator[tuple[Hanging, str]]:
    handler, port = Hanging(), free_port()
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    yield handler, f"smtp://127.0.0.1:{port}"
    controller.stop()


def test_a_mail_in_the_hands_of_a_server_that_was_killed_is_sent_by_the_next_one_at_once(
    tmp_path: Path, hanging: tuple[Hanging, str]
):
    relay, url = hanging
    server = Server(tmp_path, smtp_url=url, public_url="https://tickets.example.org", tick_seconds="1")
    killed, second = server.start(), None
    try:
        until_it_runs(killed)
        body = json.dumps({"name": "Ada", "email": "ada@example.org"}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{server.http}/api/v1/players", body, {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request, timeout=WAIT).close()
        assert relay.came.get(timeout=WAIT) == "ada@example.org"
        # A second worker, which looks all the time, leaves what a living one has in hand alone.
        beside = Server(tmp_path, smtp_url=url, public_url="https://tickets.example.org", tick_seconds="1")
        second = beside.start("worker")
        until_it_runs(second, "The worker")
        with pytest.raises(queue.Empty):
            relay.came.get(timeout=1)
    finally:
        killed.kill()
        killed.communicate(timeout=WAIT)
        if second is not None:
            second.terminate()
            second.communicate(timeout=WAIT)
    with server.running():
        assert relay.came.get(timeout=WAIT) == "ada@example.org", "its lease was for five minutes"


def until_it_runs(process: "subprocess.Popen[str]", word: str = "Ctrl-C") -> None:
    assert process.stdout is not None
    assert any(line.startswith(word) for line in process.stdout)


@pytest.mark.parametrize(("protocol", "setting"), [("http", "HTTP_LISTEN"), ("smtp", "MAIL_LISTEN")])
def test_a_port_in_use_is_told_in_one_sentence(server: Server, protocol: str, setting: str):
    port = getattr(server, protocol)
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        process = server.start()
        said, errors = process.communicate(timeout=WAIT)
    assert (process.returncode, said) == (1, "")
    assert errors == (
        f"{protocol}://127.0.0.1:{port} is in use by another program; "
        f"end that program, or choose another address with BLACKTICKET_{setting}.\n"
    )


@pytest.mark.sqlite("a lock on its file keeps the process busy")
@pytest.mark.parametrize("command", ["serve", "web"])
def test_a_request_under_way_is_answered_before_the_process_ends(server: Server, command: str):
    prepare(server)
    with ThreadPoolExecutor(1) as client, server.running(command) as running:
        with server.busy():
            answer = client.submit(server.sign_up)
            server.wait_until_it_is_asked()
            running.terminate()
            server.wait_until_it_refuses(server.http)
            assert not answer.done()
        assert answer.result(WAIT) == 202


@pytest.mark.sqlite("a lock on its file keeps the process busy")
def test_a_second_signal_ends_it_at_once(server: Server):
    prepare(server)
    with ThreadPoolExecutor(1) as client, server.running() as running, server.busy():
        answer = client.submit(server.sign_up)
        server.wait_until_it_is_asked()
        running.terminate()
        server.wait_until_it_refuses(server.http)
        running.terminate()
        running.ends_with = -signal.SIGTERM
        assert running.process.wait(WAIT) == -signal.SIGTERM
        assert isinstance(answer.exception(WAIT), ConnectionError), "the request was not answered"


@pytest.mark.sqlite("its file is read beside the process")
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_mail_that_is_being_sent_is_sent_and_settled_before_the_process_ends(server: Server, command: str):
    client = prepare(server)
    assert client.post("/api/v1/players", json={"name": "Ada", "email": "ada@example.org"}).status_code == 202
    relay = Relay()
    with server.running(command, SMTP_URL=relay.url) as running:
        assert relay.has_mail.wait(WAIT)
        running.terminate()
        server.wait_until_it_refuses(server.smtp)
        relay.may_answer.set()
    assert server.database("SELECT state FROM outbox") == [("sent",)]


@pytest.mark.sqlite("a lock on its file keeps the process busy")
def test_a_mail_that_is_being_taken_in_is_stored_and_answered_before_the_process_ends(server: Server):
    prepare(server)
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
                server.wait_until_it_refuses(server.smtp)
            assert smtp.getreply()[0] == 250
    assert server.database("SELECT count(*) FROM inbox") == [(1,)]


def prepare(server: Server) -> FlaskClient:
    """Make the database that a process will find, and give a client that writes to it."""
    app = create_app(Settings.from_environ({}, server.folder / "var"))
    with app.app_context():
        migrations.upgrade()
    return app.test_client()


# Another secret key --------------------------------------------------------------------------------------------------


OTHER = "another key, which is as long as any that is good enough"


@pytest.mark.parametrize("command", ["serve", "web", "worker"])
def test_a_process_with_another_key_than_the_databases_does_not_start(server: Server, command: str):
    with server.running():
        pass
    (server.folder / "other").write_text(OTHER)
    refused = server.start(command, SECRET_KEY_FILE="other")
    out, errors = refused.communicate(timeout=WAIT)
    kept = server.folder / "var" / "secret_key"
    assert (refused.returncode, out) == (1, "")
    assert errors == (
        "The secret key in other (the file that BLACKTICKET_SECRET_KEY_FILE names) does not open this database, "
        f"but the one in {kept} does; remove the setting, or give it that key.\n"
    )
    with server.running():
        pass
