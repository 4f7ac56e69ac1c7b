"""The kernel, asked about the clock of this machine."""

import ctypes
from typing import Any

_NOT_SET = 5  # TIME_ERROR, which adjtimex(2) returns while nothing has set the clock


def is_clock_set(library: Any = None) -> bool | None:
    """Return whether the kernel knows that its clock is right, or None where it does not tell.

    `library` is the C library, by default that of this process.
    """
    try:
        adjtimex = (library or ctypes.CDLL(None)).adjtimex
        answer: int = adjtimex(ctypes.create_string_buffer(512))  # of zeros: it sets nothing
    except (AttributeError, OSError):
        return None
    return None if answer < 0 else answer != _NOT_SET
