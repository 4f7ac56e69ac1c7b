"""Waiting for what another process or a browser does in its own time."""

import time
from collections.abc import Callable
from typing import Any

LONGEST = 60  # seconds that anything may take


def eventually(find: Callable[[], Any], longest: float = LONGEST, pause: float = 0.05) -> Any:
    """Return the first result of `find` that is not empty."""
    end = time.monotonic() + longest
    while time.monotonic() < end:
        if found := find():
            return found
        time.sleep(pause)
    raise AssertionError(f"nothing came within {longest} seconds")
