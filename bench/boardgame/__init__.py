"""A boardgame.io server with file storage, beside ours: moves a second, and its processor time for a move.

It has no mails, no deadlines and no rules here, and what it has answered is not on disk yet. The aim is its processor
time for a move, with all of that. It needs npm and its registry; without them one line says so. `package.json` pins the
versions.
"""

import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.engine import Figure, figure
from bench.running import free_port, processor_seconds

HERE = Path(__file__).parent
CLIENTS = 16
SECONDS = 8
INSTALLED_WITHIN = 180  # seconds


def figures() -> Iterator[Figure]:
    """Yield moves per second, their time and cost; or why there are no figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            _install(folder)
        except (OSError, subprocess.SubprocessError) as error:
            yield {"name": "boardgame.io", "skipped": f"npm could not install it ({type(error).__name__})"}
            return
        with _server(folder) as (port, pid):
            _play(folder, port, 1)  # to warm up
            spent = processor_seconds(pid)
            took = _play(folder, port, SECONDS)
            spent = processor_seconds(pid) - spent
    n = len(took)
    yield _figure("moves", n / SECONDS, "1/s", n)
    for hundredths in (50, 99):
        yield _figure(f"a move, {hundredths} of 100", statistics.quantiles(took, n=100)[hundredths - 1], "ms", n)
    yield _figure("processor for a move", 1000 * spent / n, "ms", n)


def _figure(name: str, value: float, unit: str, n: int) -> dict[str, Any]:
    return figure(f"boardgame.io: {name}", value, unit, None, n)


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


def _play(folder: Path, port: int, seconds: int) -> list[float]:
    """Return the milliseconds that each move took."""
    command = ["node", "clients.js", *map(str, (port, CLIENTS, seconds))]
    made = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=seconds + 60)
    return [float(each) for each in json.loads(made.stdout)]
