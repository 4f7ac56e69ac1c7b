"""Writers of all threads and processes queue on one lock, and nobody is kept out by one who writes all the time."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.models.write_lock import WriteLock

WAIT = 30  # seconds, for a machine that is busy
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "some.db")


@pytest.fixture
def held(database: str) -> Iterator[Any]:
    """Another process that holds the lock until it is told to go on."""
    holds, go_on = FORK.Event(), FORK.Event()
    process = FORK.Process(target=hold, args=(database, holds, go_on), daemon=True)
    process.start()
    assert holds.wait(WAIT)
    yield process, go_on
    process.kill()
    process.join(WAIT)


def hold(database: str, holds: Any, go_on: Any) -> None:
    with WriteLock(database):
        holds.set()
        go_on.wait(WAIT)


def test_a_thread_waits_for_the_one_before_it():
    lock, order = WriteLock(None), []

    def write() -> None:
        with lock:
            order.append("second")

    with lock:
        thread = threading.Thread(target=write)
        thread.start()
        order.append("first")
    thread.join(WAIT)
    assert order == ["first", "second"]


def test_a_process_waits_for_another(database: str, held: Any):
    _, go_on = held
    lock = WriteLock(database)
    assert not lock.acquire(0.02)
    go_on.set()
    assert lock.acquire(WAIT)
    lock.release()


def test_the_lock_of_a_process_that_was_killed_is_free(database: str, held: Any):
    process, _ = held
    process.kill()
    with WriteLock(database):
        pass


def test_a_forked_process_does_not_have_its_parents_lock(database: str):
    """The files of the parent, which the child has copies of, would let it in."""
    lock, said = WriteLock(database), FORK.Queue()
    with lock:
        child = FORK.Process(target=lambda: said.put(WriteLock(database).acquire(0.02)))
        child.start()
        assert said.get(timeout=WAIT) is False
        child.join(WAIT)


def test_a_lock_that_was_used_before_a_fork_works_in_the_child(database: str):
    lock, said = WriteLock(database), FORK.Queue()
    with lock:
        pass

    def child() -> None:
        with lock:
            said.put(os.getpid())

    process = FORK.Process(target=child)
    process.start()
    assert said.get(timeout=WAIT) == process.pid
    process.join(WAIT)


def test_who_waits_has_a_turn_although_others_never_stop(database: str):
    """Two threads of a process take the lock again as soon as they have given it back."""
    ready, done = FORK.Event(), FORK.Event()
    busy = FORK.Process(target=never_stop, args=(database, ready, done), daemon=True)
    busy.start()
    assert ready.wait(WAIT)
    lock = WriteLock(database)
    for _ in range(20):
        assert_within(lock)
    done.set()
    busy.join(WAIT)
    assert busy.exitcode == 0


def never_stop(database: str, ready: Any, done: Any) -> None:
    lock = WriteLock(database)

    def write() -> None:
        while not done.is_set():
            with lock:
                ready.set()

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def assert_within(lock: WriteLock) -> None:
    entered = threading.Event()

    def write() -> None:
        with lock:
            entered.set()

    threading.Thread(target=write, daemon=True).start()
    assert entered.wait(WAIT)


def test_who_gives_up_leaves_the_lock_as_it_was(database: str):
    lock = WriteLock(database)
    with lock:
        tried: list[bool] = []
        thread = threading.Thread(target=lambda: tried.append(lock.acquire(0.02)))
        thread.start()
        thread.join(WAIT)
        assert tried == [False]
    with lock:
        pass


def test_where_no_file_can_be_made_threads_still_queue(tmp_path: Path):
    lock = WriteLock(str(tmp_path / "missing" / "some.db"))
    with lock:
        assert not lock._files
    assert lock.acquire(0.02)
    lock.release()
