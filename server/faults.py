"""Saying of an unexpected error what a log may say: its kind and its place, never its text.

The text and the local variables of an error can hold a sealed station.
"""

from types import TracebackType


def fault(error: BaseException) -> str:
    """`TypeError at server.mail.compose:88`: the kind, and the innermost line of our own code."""
    place = "unknown place"
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == "server" or place == "unknown place":
            place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {place}"
