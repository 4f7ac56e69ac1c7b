"""Several processes at work on one database at once."""

import multiprocessing
from collections.abc import Callable
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
