"""`blackticket serve` as a process: it starts, answers, stops in order, and says what keeps it from starting."""

import asyncio
import json
import os
import queue
import signal
import smtplib
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

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

    def start(self, command: str = "serve") -> "subprocess.Popen[str]":
        others = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
        settings = {
            "BLACKTICKET_HTTP_LISTEN": f"127.0.0.1:{self.http}",
            "BLACKTICKET_MAIL_LISTEN": f"smtp://127.0.0.1:{self.smtp}",
        }
        return subprocess.Popen(
            [sys.executable, "-m", "server", command],
            cwd=self.folder, env=others | settings | self.settings, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    @contextmanager
    def running(self) -> Iterator[list[str]]:
        """Started, with what it says by then; afterwards stopped as a service manager does it."""
        process = self.start()
        try:
            assert process.stdout is not None
            said: list[str] = []
            for line in process.stdout:
                said.append(line)
                if line.startswith("Ctrl-C"):
                    break
            yield said
        finally:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=WAIT)
        assert (process.returncode, errors) == (0, "")


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def test_it_serves_http_and_smtp_until_it_is_told_to_stop(server: Server):
    with server.running() as said:
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
