"""What a running process does with signals."""

import signal
import subprocess
import sys

import pytest

from tests.cli.running import WAIT

# The system may give a signal to any thread; the main one, which waits, does not notice it.
WAITING = """
import signal, threading
from server.cli.processes import stop_on_signal

waiting = threading.Condition()

def stop():
    with waiting:
        waiting.notify()

def kill(other):
    with waiting:  # it is given up by the main thread, which waits by now
        signal.pthread_kill(other.ident, {number})

stop_on_signal(stop)
other = threading.Thread(target=threading.Event().wait, daemon=True)
other.start()
with waiting:
    threading.Thread(target=kill, args=[other]).start()
    waiting.wait()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_a_process_whose_main_thread_waits_and_does_not_notice_it(number: int):
    code = WAITING.format(number=number)
    assert subprocess.run([sys.executable, "-c", code], timeout=WAIT, check=False).returncode == 0
