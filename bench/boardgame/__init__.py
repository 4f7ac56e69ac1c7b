"""A boardgame.io server with file storage, and clients that play on it. `package.json` pins the versions.

It needs npm and its registry.
"""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.running import free_port, processor_seconds

HERE = Path(__file__).parent
INSTALLED_WITHIN = 180  # seconds
Play = Callable[[int, float], tuple[list[float], float]]
"""Plays with so many clients for so many seconds; returns the seconds of each move, and of the server's processor."""


@contextmanager
def playing() -> Iterator[Play | str]:
    """Start the server, and yield a function that plays on it, or the reason why it cannot be started."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            _install(folder)
        except (OSError, subprocess.SubprocessError) as error:
            yield f"npm could not install it ({type(error).__name__})"
            return
        with _server(folder) as (port, pid):
            _play(folder, port, 1, 1)  # to warm up

            def play(clients: int, seconds: float) -> tuple[list[float], float]:
                spent = processor_seconds(pid)
                took = _play(folder, port, clients, seconds)
                return [each / 1000 for each in took], processor_seconds(pid) - spent

            yield play


def _install(folder: Path) -> None:
    for name in ("package.json", "server.js", "clients.js"):
        shutil.copy(HERE / name, folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=INSTALLED_WITHIN)


@contextmanager
def _server(folder: Path) -> Iterator[tuple[int, int]]:
    """The port of a server that runs, and the id of its process."""
    port = free_port()
    command = ["node", "server.js", str(port), str(folder / "matches")]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        if not any("serving" in line for line in process.stdout):
            raise RuntimeError("boardgame.io did not start")
        time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(20)


def _play(folder: Path, port: int, clients: int, seconds: float) -> list[float]:
    """Return the milliseconds that each move took."""
    command = ["node", "clients.js", *map(str, (port, clients, seconds))]
    made = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=seconds + 60)
    return [float(each) for each in json.loads(made.stdout)]
