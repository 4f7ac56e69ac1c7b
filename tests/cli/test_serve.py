"""`blackticket serve` as a process: it starts, answers, stops in order, and says what keeps it from starting."""

import json
import os
import signal
import smtplib
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import databases
import pytest

WAIT = 30  # seconds, for a machine that is busy


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """The settings and the command of a server in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.http, self.smtp = free_port(), free_port()

    def start(self, command: str = "serve", **given: str) -> "subprocess.Popen[str]":
        others = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
        settings = databases.environ(self.folder / "var") | {
            "BLACKTICKET_HTTP_LISTEN": f"127.0.0.1:{self.http}",
            "BLACKTICKET_MAIL_LISTEN": f"smtp://127.0.0.1:{self.smtp}",
        }
        return subprocess.Popen(
            [sys.executable, "-m", "server", command],
            cwd=self.folder, env=others | settings | given, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
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


# Another secret key --------------------------------------------------------------------------------------------------


OTHER = "another key, which is as long as any that is good enough"


@pytest.mark.parametrize("command", ["serve", "web", "worker"])
def test_a_process_with_another_key_than_the_databases_does_not_start(server: Server, command: str):
    with server.running():
        pass
    (server.folder / "other").write_text(OTHER)
    refused = server.start(command, BLACKTICKET_SECRET_KEY_FILE="other")
    out, errors = refused.communicate(timeout=WAIT)
    kept = server.folder / "var" / "secret_key"
    assert (refused.returncode, out) == (1, "")
    assert errors == (
        "The secret key in other (the file that BLACKTICKET_SECRET_KEY_FILE names) does not open this database, "
        f"but the one in {kept} does; remove the setting, or give it that key.\n"
    )
    with server.running():
        pass
