"""The two processes of `blackticket serve`: they wake, stop and outlive each other as one program would."""

import os
import queue
import select
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.cli.worker_process import LETTERS, STOP, _Parent, _run, _send
from server.runtime.wake_ups import DistantEvent, WakeUps
from tests import databases
from tests.blanks import lay_migrated
from tests.cli.running import WAIT, Running, Server, children, until_it_runs
from tests.loaded import from_nothing
from tests.relays import relaying

HAS_TWO_CORES = hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1
on_two_cores = pytest.mark.skipif(not HAS_TWO_CORES, reason="serve is one process on one core")


def server_in(folder: Path, **settings: str) -> Server:
    """Return a server that ticks once in an hour: what it does earlier, it does because it was woken."""
    if not databases.IS_POSTGRESQL:
        lay_migrated(folder / "var")
    return Server(folder, tick_seconds="3600", public_url="https://tickets.example.org", **settings)


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return server_in(tmp_path)


@contextmanager
def one_core() -> Iterator[None]:
    """Let the processes that are started within run on one core only."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


class Relay:
    def __init__(self) -> None:
        self.came: queue.Queue[str] = queue.Queue()

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.came.put(",".join(envelope.rcpt_tos))
        return "250 OK"


@pytest.fixture(scope="module")
def relay() -> Iterator[tuple[Relay, str]]:
    handler = Relay()
    with relaying(handler) as port:
        yield handler, f"smtp://127.0.0.1:{port}"


@on_two_cores
def test_on_one_core_there_is_one_process(server: Server, relay: tuple[Relay, str]):
    with one_core(), server.running(SMTP_URL=relay[1]) as running:
        assert children(running.process.pid) == []
        assert server.sign_up() == 202
        assert relay[0].came.get(timeout=WAIT) == "ada@example.org"


@pytest.fixture(scope="class")
def both(tmp_path_factory: pytest.TempPathFactory, relay: tuple[Relay, str]) -> Iterator[tuple[Server, Running]]:
    server = server_in(tmp_path_factory.mktemp("both"), smtp_url=relay[1])
    server.start_process = from_nothing  # a copy would share memory with what it is a copy of
    with server.running() as running:
        yield server, running


@on_two_cores
class TestTwoProcesses:
    """One server for these tests."""

    def test_the_worker_is_a_process_beside_the_one_that_serves_http(self, both: tuple[Server, Running]):
        assert len(children(both[1].process.pid)) == 1

    def test_a_commit_in_one_process_wakes_the_sender_in_the_other(
        self, both: tuple[Server, Running], relay: tuple[Relay, str]
    ):
        assert both[0].sign_up() == 202
        assert relay[0].came.get(timeout=WAIT) == "ada@example.org", "the next tick comes in an hour"

    def test_together_they_take_less_than_180_megabytes(self, both: tuple[Server, Running]):
        """Pages that they share are counted once."""
        assert both[0].sign_up() == 202
        pids = [both[1].process.pid, *children(both[1].process.pid)]
        assert sum(map(megabytes, pids)) < 180


def megabytes(pid: int) -> float:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(rollup.split("\nPss:")[1].split()[0]) / 1024


@on_two_cores
def test_when_the_worker_is_killed_the_server_ends_and_says_so(server: Server):
    process = server.start()
    until_it_runs(process)
    (worker,) = children(process.pid)
    os.kill(worker, signal.SIGKILL)
    _, errors = process.communicate(timeout=WAIT)
    assert process.returncode == 1
    assert errors.splitlines() == [
        "the worker's process has ended, so the server stops",
        "the worker's process was killed by SIGKILL",
    ]


@on_two_cores
def test_when_the_server_is_killed_its_worker_ends_too(server: Server):
    process = server.start()
    until_it_runs(process)
    (worker,) = children(process.pid)
    end = os.pidfd_open(worker)
    process.kill()
    process.communicate(timeout=WAIT)
    has_ended = select.poll()
    has_ended.register(end, select.POLLIN)
    assert has_ended.poll(1000 * WAIT)
    os.close(end)


@on_two_cores
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_reaches_both_processes_stops_them_in_order(server: Server, number: signal.Signals):
    """As Ctrl-C in a terminal does, or a service manager."""
    with server.running() as running:
        (worker,) = children(running.process.pid)
        os.kill(worker, number)
        running.is_told = True
        running.process.send_signal(number)


# The socket between them ---------------------------------------------------------------------------------------------


@pytest.fixture
def line() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    with here, there:
        yield here, there


@pytest.mark.parametrize("name", LETTERS)
def test_a_wake_up_arrives_as_itself(line: tuple[socket.socket, socket.socket], name: str):
    ended: list[int] = []
    here, there = line
    wake_ups = WakeUps()
    DistantEvent(lambda: _send(here.send, LETTERS[name])).set()
    here.close()
    _Parent(there, ended.append)._listen(wake_ups)
    assert [other for other in LETTERS if getattr(wake_ups, other).is_set()] == [name]
    assert ended == [1], "the other process is gone"


def test_the_word_to_stop_arrives(line: tuple[socket.socket, socket.socket]):
    here, there = line
    here.sendall(STOP)
    here.close()
    parent = _Parent(there, lambda _status: None)
    parent._listen(WakeUps())
    parent.wait()


def test_a_wake_up_that_finds_the_line_full_waits_for_nothing(line: tuple[socket.socket, socket.socket]):
    here, _ = line
    sent = threading.Thread(target=lambda: [_send(here.send, b"A") for _ in range(20_000)], daemon=True)
    sent.start()
    sent.join(WAIT)
    assert not sent.is_alive()


def test_who_is_left_alone_sends_nothing():
    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        here.close()
        parent = _Parent(there)
        parent.check()
        there.sendall(b"!")
        there.recv(1)  # until the other end is closed
        parent.check()
        os._exit(0)
    there.close()
    assert here.recv(1) == b"!", "it goes on while the other is there"
    here.close()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_a_worker_that_cannot_start_ends_with_a_status_of_its_own():
    child = os.fork()
    if child == 0:
        _run(lambda: 1 / 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
