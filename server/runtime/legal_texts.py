"""The texts of the operator's own for the pages `/imprint` and `/privacy`: two files of the data folder."""

from pathlib import Path

from server.runtime import runtime

NAMES = ("imprint", "privacy")
LONGEST = 100_000  # bytes; what is behind them is not shown


def path_of(name: str) -> Path:
    """Return the file of a text, one of `NAMES`."""
    return runtime().settings.var / f"{name}.txt"


def read(name: str) -> str | None:
    """Return a text; None if the operator has written none, or nothing that can be read as text."""
    try:
        with path_of(name).open("rb") as file:
            text = file.read(LONGEST).decode("utf-8-sig", errors="replace").strip()
    except OSError:
        return None
    return text or None


def is_too_long(name: str) -> bool:
    """Return True if there is more of a text than is shown."""
    try:
        return path_of(name).stat().st_size > LONGEST
    except OSError:
        return False
