"""Temporary folders of the tests: in memory where there is room, since a file is made there in a hundredth of the time.

Hundreds of tests have a database file each, and `fsync` is off for them anyway. TMPDIR, if set, names another place.
"""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 2_000_000_000  # bytes that have to be free; a run needs some hundred million at a time


def use_memory() -> None:
    """Have this process and those that it starts make their temporary folders in memory, if there is room."""
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
