"""Processes of `blackticket` for tests: copies of one that has loaded the program, since loading it is most of a start.

That the command starts from nothing is shown in tests/e2e and tests/docs.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.reduction import DupFd
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import blackticket

_HAS_AFFINITY = hasattr(os, "sched_getaffinity")  # not on macOS
# One for all tests, as Python keeps one list of modules for it.
LOADER = multiprocessing.get_context("forkserver")
LOADER.set_forkserver_preload(["tests.preloaded"])


class Command:
    """A running `blackticket WORDS`, with what tests use of a `subprocess.Popen` whose outputs are pipes of text."""

    def __init__(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], main: Callable[[], None] = blackticket.main
    ) -> None:
        """Start it; `main` is what the copy runs, of a module that loads nothing of the tests."""
        self._words = words
        (out, its_out), (err, its_err) = os.pipe(), os.pipe()
        self.stdout, self.stderr = os.fdopen(out), os.fdopen(err)
        place = cwd, dict(env), os.sched_getaffinity(0) if _HAS_AFFINITY else None
        self._process = LOADER.Process(target=_run, args=(main, words, place, _Ends(its_out, its_err)))
        self._process.start()
        os.close(its_out)
        os.close(its_err)
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended; negative after a signal, None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return how it ended, None while it runs."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM, at which it stops in order."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> int:
        """Wait until it has ended, and return how."""
        self._process.join(timeout)
        if self.returncode is None:
            raise TimeoutExpired(self._words, timeout)
        return self.returncode

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait until it has ended, and return what it still wrote to standard output and standard error."""
        with ThreadPoolExecutor(2) as readers, self.stdout, self.stderr:
            said = [readers.submit(output.read) for output in (self.stdout, self.stderr)]
            try:
                self.wait(timeout)
            except TimeoutExpired:
                self.kill()  # or the readers would wait for it
                raise
            return said[0].result(), said[1].result()


Process = Command | subprocess.Popen[str]


class _Ends:
    """The ends of pipes that a process writes to, in a form that can be handed to it before it runs."""

    def __init__(self, *outputs: int) -> None:
        self._outputs = outputs

    def __reduce__(self) -> Any:
        return _Ends, tuple(map(DupFd, self._outputs))

    def take(self) -> None:
        """Make them the standard output and the standard error of this process."""
        for number, output in enumerate(self._outputs, 1):
            given = output.detach()
            os.dup2(given, number)
            os.close(given)


def from_nothing(words: Sequence[str], cwd: Path, env: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start the command in a process of its own that loads the program, as a user does."""
    return subprocess.Popen(
        [sys.executable, "-m", "blackticket", *words],
        cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def _run(
    main: Callable[[], None], words: Sequence[str], place: tuple[Path, dict[str, str], set[int] | None], ends: _Ends
) -> None:
    """Run the command in the copy, with the folder, the environment and the cores that it was given."""
    ends.take()
    folder, environ, cores = place
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    if cores is not None:
        os.sched_setaffinity(0, cores)
    sys.argv = ["blackticket", *words]
    main()
