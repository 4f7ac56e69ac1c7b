"""Input and output of commands."""

import re
import shutil
import sys
from pathlib import Path

from server.vocabulary.errors import Problem

Shown = tuple[object, str] | tuple[object, str, int]
"""What a command prints: the facts for a program, or sentences for a person; and its exit status, if that is not 0."""

STANDARD_INPUT = "-"
# Names of files have a dot or a slash in them, or are there.
_ID = re.compile(r"[\w-]{1,100}")


def is_file(named: str) -> bool:
    """Return whether a file is meant, even if it does not exist."""
    return named == STANDARD_INPUT or not _ID.fullmatch(named) or Path(named).is_file()


def read(named: str, what: str) -> str:
    """Return the text of a file, or of standard input for `-`; raise `Problem` if it cannot be read or is no text."""
    try:
        content = sys.stdin.buffer.read() if named == STANDARD_INPUT else Path(named).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise Problem("not-found", f"{named} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Problem("form", f"{named} is no text, so it is no {what}.") from None


def program() -> str:
    """Return the name by which a person in this folder starts this program."""
    return "blackticket" if shutil.which("blackticket") else ".venv/bin/blackticket"
