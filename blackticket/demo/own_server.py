"""The demo's own `blackticket serve`: on free ports, in a temporary folder, without the user's settings."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from blackticket.standalone.client import Client


class DemoFailed(Exception):
    """The demo cannot go on; the message is one sentence for the user."""


COMMAND = (sys.executable, "-m", "blackticket")
PREFIX = "BLACKTICKET_"  # of settings in the environment
LAST_LINES = 15
# Seconds that the server may take to answer and to end, on a loaded machine too.
START_SECONDS = 45
STOP_SECONDS = 20


class OwnServer:
    """A server that runs within `with`. `http` and `smtp` are (host, port); `last_lines` are those of its log."""

    def __init__(self) -> None:
        self.http, self.smtp = free_addresses(2)
        self.last_lines = "(it wrote none)"
        self._clean_up = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            made = stack.enter_context(tempfile.TemporaryDirectory(prefix="blackticket-demo-"))
            self.folder = Path(made)
            self.log = self.folder / "serve.log"
            self._process = stack.enter_context(self._serve())
            stack.callback(self._remember)
            self._wait_until_ready()
            self._clean_up = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._clean_up.__exit__(kind, error, at)

    @property
    def url(self) -> str:
        """Return the base URL of the server."""
        return "http://{}:{}".format(*self.http)

    @property
    def mailbox(self) -> Path:
        """Return the Maildir that gets the server's mails."""
        return self.folder / "var" / "mail"

    def command(self, *words: str) -> Any:
        """Run `blackticket WORDS --json` on the data of this server, and return what it prints."""
        done = subprocess.run(  # noqa: S603 our own command
            [*COMMAND, *words, "--json"],
            cwd=self.folder, env=self._environment(), capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        if done.returncode != 0:
            raise DemoFailed(f'"blackticket {" ".join(words)}" failed: {done.stderr.strip() or "it said nothing"}')
        return json.loads(done.stdout)

    def check_alive(self) -> None:
        """Raise `DemoFailed` if the server has ended."""
        if self._process.poll() is not None:
            raise DemoFailed(f"The server ended unexpectedly, with exit code {self._process.returncode}.")

    @contextmanager
    def _serve(self) -> Iterator[subprocess.Popen[bytes]]:
        with self.log.open("wb") as log:
            # In a session of its own, so that Ctrl-C reaches the demo alone, which then ends the server in order.
            process = subprocess.Popen(  # noqa: S603 our own command
                [*COMMAND, "serve"],
                cwd=self.folder, env=self._environment(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            yield process
        finally:
            _end(process)

    def _environment(self) -> dict[str, str]:
        """Return the user's environment without their settings, which name their data, ports and relay."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        settings = {
            "HTTP_LISTEN": "{}:{}".format(*self.http),
            "MAIL_LISTEN": "smtp://{}:{}".format(*self.smtp),
            "MIN_TURN": "PT1S",
            "TICK_SECONDS": "0.25",
            "RATE_LIMIT": "",  # its players are faster than people
        }
        return environment | {f"{PREFIX}{name}": value for name, value in settings.items()}

    def _wait_until_ready(self) -> None:
        give_up = time.monotonic() + START_SECONDS
        with Client(self.url, timeout=5) as client:
            while time.monotonic() < give_up:
                self.check_alive()
                if client.is_ready():
                    return
                time.sleep(0.05)
        raise DemoFailed(f"The server did not answer within {START_SECONDS} seconds.")

    def _remember(self) -> None:
        written = self.log.read_text(errors="replace").splitlines()
        self.last_lines = "\n".join(written[-LAST_LINES:]) or self.last_lines


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the server in order, or by force if it does not stop; a second Ctrl-C does not leave it running."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def free_addresses(n: int) -> list[tuple[str, int]]:
    """Return free addresses on loopback; all are held until the last is found."""
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(n)]
        return [("127.0.0.1", listening.getsockname()[1]) for listening in found]
