"""Several processes at work on one database at once."""

import random
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from typing import Any

from tests.loaded import LOADER

Job = Callable[..., None]


def at_once(*jobs: tuple[Job, tuple[Any, ...]]) -> list[int | None]:
    """Run each `(function, arguments)` in a process of its own; their exit codes.

    The first argument of each is a barrier, at which all wait until everybody is ready.
    """
    start: Barrier = LOADER.Barrier(len(jobs))
    crowd = [LOADER.Process(target=job, args=(start, *arguments)) for job, arguments in jobs]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
    return [process.exitcode for process in crowd]


def under_fire(jobs: Sequence[tuple[Job, tuple[Any, ...]]], kills: int, seed: int) -> int:
    """Run each `(function, arguments)` in a process of its own, again from the beginning whenever it is killed with -9.

    The first argument of each is an event that it sets when it begins its work. From then on it may be killed: a moment
    after one another, so many times, one that is drawn by lot. How often that was. An `AssertionError` when a process
    fails otherwise.
    """
    rng, killed = random.Random(seed), 0
    crowd = [_Worker(*job) for job in jobs]
    while any(worker.process.is_alive() for worker in crowd):
        time.sleep(rng.uniform(0.01, 0.1))
        at_work = [place for place, worker in enumerate(crowd) if worker.is_at_work]
        if killed < kills and at_work:
            place = rng.choice(at_work)
            crowd[place].kill()
            killed += 1
            crowd[place] = _Worker(*jobs[place])
    assert {worker.exit_code() for worker in crowd} == {0}
    return killed


class _Worker:
    """A process that does a job."""

    def __init__(self, job: Job, arguments: tuple[Any, ...]) -> None:
        self._begun = LOADER.Event()
        self.process = LOADER.Process(target=job, args=(self._begun, *arguments))
        self.process.start()

    @property
    def is_at_work(self) -> bool:
        return self._begun.is_set() and self.process.is_alive()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def exit_code(self) -> int | None:
        self.process.join()
        return self.process.exitcode
