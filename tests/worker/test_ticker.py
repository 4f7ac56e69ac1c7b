"""The ticker goes on at its pace, whatever somebody does to the clock on the wall."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from apscheduler.schedulers import base

from server.worker import ticker as tickers
from server.worker.ticker import Ticker

LONG = 20  # seconds after which a test that waits for something has failed
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


class Wall:
    """A clock on the wall that can be set."""

    def __init__(self) -> None:
        self.wrong_by = timedelta(0)

    def module(self) -> type[datetime]:
        """The scheduler's `datetime`."""
        wall = self

        class Faked(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
                return datetime.now(tz) + wall.wrong_by

        return Faked


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    wall = Wall()
    monkeypatch.setattr(base, "datetime", wall.module())
    monkeypatch.setattr(tickers, "utc_now", lambda: datetime.now(UTC) + wall.wrong_by)
    return wall


@pytest.fixture
def ticks(wall: Wall) -> Iterator[Callable[[], bool]]:
    """A running ticker: whether it ticks three times more."""
    ticked = threading.Semaphore(0)
    ticker = Ticker()
    ticker.every(TICK, ticked.release)
    ticker.start()

    def go_on() -> bool:
        while ticked.acquire(blocking=False):
            pass
        return all(ticked.acquire(timeout=LONG) for _ in range(3))

    assert go_on()
    yield go_on
    ticker.shutdown()


@pytest.mark.parametrize("steps", [[-2 * HOUR], [-40 * DAY], [40 * DAY], [YEARS, -YEARS], [-YEARS, YEARS]], ids=str)
def test_it_ticks_on_when_the_clock_is_set(ticks: Callable[[], bool], wall: Wall, steps: list[timedelta]):
    for step in steps:
        wall.wrong_by += step
        assert ticks()


def test_a_clock_set_back_while_the_pause_is_computed_makes_it_no_longer(monkeypatch: pytest.MonkeyPatch):
    pauses: list[float | None] = []

    class Once(Ticker):
        def _main_loop(self) -> None:
            looks = iter([timedelta(0), timedelta(0), -2 * HOUR])
            faked = type("Faked", (datetime,), {"now": classmethod(lambda _cls, tz: datetime.now(tz) + next(looks))})
            with monkeypatch.context() as patched:
                patched.setattr(base, "datetime", faked)
                patched.setattr(tickers, "utc_now", lambda: faked.now(UTC))
                pauses.append(self._process_jobs())

    ticker = Once()
    ticker.every(5, print)
    ticker.start()
    ticker._thread.join(LONG)
    ticker.shutdown()
    assert pauses == [5]


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


def test_the_last_round_finds_no_jobs_any_more_when_the_ticker_stops_during_it(monkeypatch: pytest.MonkeyPatch):
    def stop(ticker: Ticker) -> float:
        ticker.remove_all_jobs()
        return 5.0

    monkeypatch.setattr(base.BaseScheduler, "_process_jobs", stop)
    ticker = Ticker()
    ticker.every(5, print)
    ticker.start(paused=True)
    assert ticker._process_jobs() == 5
    ticker.shutdown()


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
            for step in ("+0", "-2h", "-40d", "+40d", "+0"):
                stamp.write_text(step)
                lines = [process.stdout.readline() for _ in range(3)]
                assert lines == ["tick\n"] * 3, step
        finally:
            watchman.cancel()
            process.kill()
