"""The service manager hears when the server is ready, that it does its work, and when it stops."""

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.cli.serve import _welcome
from server.cli.service_manager import (
    ALIVE,
    READY,
    STOPPING,
    HangLimit,
    LastLook,
    ServiceManager,
    feed,
    http_check,
    is_journal,
)
from server.settings import Settings
from tests import databases
from tests.blanks import lay_migrated
from tests.cli.running import WAIT, Server
from tests.docs.pages import ROOT


class Systemd:
    """The socket of a service manager, which a process finds in its environment."""

    def __init__(self, folder: Path) -> None:
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind(str(folder / "notify"))
        self.line.settimeout(WAIT)
        self.environ = {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "120000000"}

    def hear(self) -> str:
        """Return the next thing that it is told."""
        return self.line.recv(100).decode()

    def heard(self) -> list[str]:
        """Return all that it was told and has not been heard yet."""
        self.line.setblocking(False)
        said = []
        try:
            while True:
                said.append(self.hear())
        except BlockingIOError:
            return said


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    made = Systemd(tmp_path)
    yield made
    made.line.close()


class Waits:
    """Pauses that end at once, a few of them."""

    def __init__(self, count: int) -> None:
        self.left, self.seconds = count, 0.0

    def __call__(self, seconds: float) -> bool:
        self.left -= 1
        self.seconds += seconds
        return self.left < 0


def test_without_a_service_manager_nothing_is_told():
    ServiceManager({}).tell(READY)
    assert ServiceManager({}).patience is None
    ServiceManager({"NOTIFY_SOCKET": "/nowhere/notify"}).tell(READY)


@pytest.mark.parametrize(
    ("asked", "patience"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_a_watchdog_is_fed_only_if_it_asked_this_process(asked: dict[str, str], patience: float | None):
    assert ServiceManager({"NOTIFY_SOCKET": "/run/notify"} | asked).patience == patience


def test_a_socket_without_a_file_is_reached_by_its_name():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(f"\0blackticket-{os.getpid()}")
        line.settimeout(WAIT)
        ServiceManager({"NOTIFY_SOCKET": f"@blackticket-{os.getpid()}"}).tell(STOPPING)
        assert line.recv(100) == b"STOPPING=1"


def test_it_is_fed_several_times_in_its_patience(systemd: Systemd):
    waits = Waits(8)
    feed(ServiceManager(systemd.environ), [lambda: None, lambda: None], waits)
    assert systemd.heard() == [ALIVE] * 8
    assert waits.seconds <= 9 * 120 / 3


def test_it_is_not_fed_while_a_check_finds_something_which_is_logged_once(
    systemd: Systemd, caplog: pytest.LogCaptureFixture
):
    findings = iter([None, "it hangs", "it hangs", None])
    with caplog.at_level(logging.ERROR):
        feed(ServiceManager(systemd.environ), [lambda: None, lambda: next(findings)], Waits(4))
    assert systemd.heard() == [ALIVE, ALIVE]
    assert caplog.messages == ["it hangs; if that lasts, the service manager ends this process"]


def test_a_process_that_stops_is_not_said_to_hang(systemd: Systemd, caplog: pytest.LogCaptureFixture):
    manager = ServiceManager(systemd.environ)
    manager.tell(STOPPING)
    feed(manager, [lambda: "it does not answer"], Waits(4))
    assert (systemd.heard(), caplog.messages) == ([STOPPING], [])


@pytest.mark.parametrize(("tick", "patience"), [("5", 15), ("0.05", 10), ("60", 180)])
def test_a_worker_hangs_when_it_has_not_looked_for_three_ticks(tick: str, patience: int, tmp_path: Path):
    now = [1000.0]
    look = LastLook(Settings.from_environ({"BLACKTICKET_TICK_SECONDS": tick}, tmp_path), lambda: now[0])
    now[0] += patience
    assert look.check() is None
    now[0] += 1
    assert look.check() == "the worker does not look for what is due"
    look.note()
    assert look.check() is None


HANGING = """
import threading
from pathlib import Path
from server.cli.service_manager import HangLimit
from server.settings import Settings
limit = HangLimit(Settings.from_environ({"BLACKTICKET_TICK_SECONDS": "0.05"}, Path("var")), 0.1)
limit.put_off()
limit.lift()
threading.Event().wait(0.5)
print("goes on", flush=True)
limit.put_off()
threading.Event().wait()
"""


def test_a_worker_that_hangs_ends_itself_and_says_where(tmp_path: Path):
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", HANGING],
        cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=WAIT, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (1, "goes on\n")
    assert "in wait" in ended.stderr


@pytest.mark.parametrize(("tick", "patience"), [("5", 120), ("600", 1800)])
def test_a_worker_may_take_two_minutes_or_three_ticks_from_look_to_look(tick: str, patience: float, tmp_path: Path):
    assert HangLimit(Settings.from_environ({"BLACKTICKET_TICK_SECONDS": tick}, tmp_path)).patience == patience


def test_a_server_that_takes_connections_and_does_not_answer_hangs():
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        check = http_check("127.0.0.1", deaf.getsockname()[1], patience=0.05)
        assert check() == "this server does not answer its own requests"
    assert check() == "this server does not answer its own requests"


@pytest.mark.parametrize("command", ["serve", "web", "worker"])
def test_each_process_says_that_it_is_ready_does_its_work_and_stops(command: str, systemd: Systemd, tmp_path: Path):
    if not databases.IS_POSTGRESQL:
        lay_migrated(tmp_path / "var")
    server = Server(tmp_path, tick_seconds="0.5")
    server.settings |= systemd.environ | {"WATCHDOG_USEC": "400000"}
    with server.running(command):
        assert [systemd.hear() for _ in range(3)] == [READY, ALIVE, ALIVE]
    assert STOPPING in systemd.heard()


def test_the_journal_is_told_from_any_other_output(tmp_path: Path):
    with (tmp_path / "journal").open("w") as journal, (tmp_path / "terminal").open("w") as terminal:
        about = os.fstat(journal.fileno())
        environ = {"JOURNAL_STREAM": f"{about.st_dev}:{about.st_ino}"}
        assert is_journal(journal.fileno(), environ)
        assert not is_journal(terminal.fileno(), environ)
        assert not is_journal(journal.fileno(), {})


def test_the_journal_is_asked_to_open_nothing_and_to_press_no_key(tmp_path: Path):
    settings = Settings.from_environ({"BLACKTICKET_PUBLIC_URL": "https://play.example.org"}, tmp_path)
    told = _welcome(settings, for_journal=True)
    assert told.startswith("Black Ticket is running at https://play.example.org; ")
    assert not any(word in told for word in ("Open", "Ctrl-C", "\n"))
    assert {"Open", "Ctrl-C"} <= {*_welcome(settings, for_journal=False).split()}
