"""Several processes at work on one database at once."""

import multiprocessing
import random
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from typing import Any

Job = Callable[..., None]

_processes = multiprocessing.get_context("forkserver")
# Loaded once, in the process that the others are forked from.
_processes.set_forkserver_preload(["pytest", "psycopg", "server.app", "server.worker", "server.migrations"])


def at_once(*jobs: tuple[Job, tuple[Any, ...]]) -> list[int | None]:
    """Run each `(function, arguments)` in a process of its own; their exit codes.

    The first argument of each is a barrier, at which all wait until everybody is ready.
    """
    start: Barrier = _processes.Barrier(len(jobs))
    crowd = [_processes.Process(target=job, args=(start, *arguments)) for job, arguments in jobs]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
    return [process.exitcode for process in crowd]


def under_fire(jobs: Sequence[tuple[Job, tuple[Any, ...]]], kills: int, seed: int) -> int:
    """Run each `(function, arguments)` in a process of its own, again from the beginning whenever it is killed with -9.

    That happens to one drawn by lot, so many times, a moment after one another; how often it did. An `AssertionError`
    when a process fails otherwise.
    """
    rng, killed = random.Random(seed), 0
    crowd = [_started(*job) for job in jobs]
    while any(process.is_alive() for process in crowd):
        time.sleep(rng.uniform(0.01, 0.1))
        place = rng.randrange(len(crowd))
        if killed < kills and crowd[place].is_alive():
            crowd[place].kill()
            crowd[place].join()
            killed += 1
            crowd[place] = _started(*jobs[place])
    for process in crowd:
        process.join()
    assert {process.exitcode for process in crowd} == {0}
    return killed


def _started(job: Job, arguments: tuple[Any, ...]) -> Any:
    process = _processes.Process(target=job, args=arguments)
    process.start()
    return process
