"""The ticker goes on at its pace, whatever somebody does to the clock on the wall."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.worker import ticker as tickers
from server.worker.ticker import Ticker

LONG = 100  # seconds after which a test that waits for something has failed
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
YEARS = 1000 * 365 * DAY
TICK = 0.01  # seconds

# The ticker in a process whose clock `faketime` sets; it says "tick" at each round.
PROGRAM = """
import runpy, sys, threading
ticker = runpy.run_path(sys.argv[1])["Ticker"]()  # the package would load all that a worker needs
ticker.every(0.02, lambda: print("tick", flush=True))
ticker.start()
threading.Event().wait()
"""


@pytest.fixture
def ticker() -> Iterator[Ticker]:
    ticker = Ticker()
    ticker.start(paused=True)
    yield ticker
    ticker.shutdown()


def test_a_clock_set_back_while_the_pause_is_computed_makes_it_no_longer(ticker: Ticker):
    ticker.every(5, print)
    assert [ticker._an_interval_at_most(pause) for pause in (3.0, 2 * 3600.0, None)] == [3.0, 5.0, None]


def test_a_run_that_is_left_out_because_the_last_one_is_under_way_is_not_logged(caplog: pytest.LogCaptureFixture):
    began, may_end = threading.Event(), threading.Event()
    ticker = Ticker()
    ticker.every(TICK, lambda: (began.set(), may_end.wait(LONG)))
    ticker.start()
    assert began.wait(LONG)
    (job,) = ticker.get_jobs()
    job.modify(next_run_time=datetime.now(UTC))
    ticker._process_jobs()
    may_end.set()
    ticker.shutdown()
    assert caplog.messages == []


def test_the_last_round_finds_no_jobs_any_more_when_the_ticker_stops_during_it(ticker: Ticker):
    assert ticker._an_interval_at_most(5.0) == 5.0


@pytest.fixture
def faketime() -> str:
    """The library by which a process sees another time."""
    program = shutil.which("faketime")
    places = ("lib*/faketime", "lib*/*/faketime") if program else ()
    root = Path(program or "/bin/faketime").parents[1]
    found = [str(file) for place in places for file in root.glob(f"{place}/libfaketimeMT.so.1")]
    if not found:
        pytest.skip("needs libfaketime: apt install faketime")
    return found[0]


def test_it_ticks_on_in_a_process_whose_clock_is_set(tmp_path: Path, faketime: str):
    stamp = tmp_path / "time"
    stamp.write_text("+0")
    faked = {
        "LD_PRELOAD": faketime, "FAKETIME_TIMESTAMP_FILE": str(stamp), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1", "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, tickers.__file__], env=os.environ | faked, text=True, stdout=subprocess.PIPE
    ) as process:
        watchman = threading.Timer(LONG, process.kill)
        watchman.start()
        assert process.stdout is not None
        try:
            for step in ("+0", "-2h", "-40d", "+40d", "+10y", "+0"):
                stamp.write_text(step)
                lines = [process.stdout.readline() for _ in range(3)]
                assert lines == ["tick\n"] * 3, step
        finally:
            watchman.cancel()
            process.kill()
