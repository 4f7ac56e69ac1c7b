"""Figures on the start of `blackticket serve`: the time until it answers, and its memory then."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from bench.engine import figure
from bench.running import serving

RUNS = 5


def figures() -> Iterator[dict[str, Any]]:
    """Start-up time against that of an empty interpreter, and resident memory."""
    times, memory = [], []
    for _ in range(RUNS):
        with serving() as running:
            times.append(running.ready_after)
            memory.append(running.memory())
    bare = statistics.median(_bare() for _ in range(RUNS))
    value = statistics.median(times)
    yield figure("start", value, "s", bare, RUNS)
    yield figure("memory", max(memory), "MB", None, RUNS)


def _bare() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import flask"], check=True)
    return time.perf_counter() - began
