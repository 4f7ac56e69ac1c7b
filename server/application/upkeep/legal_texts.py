"""The texts of the operator's own for the pages `/imprint` and `/privacy`: two files of the data folder."""

from pathlib import Path

from server.runtime import runtime

NAMES = ("imprint", "privacy")
LONGEST = 200_000  # bytes


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
