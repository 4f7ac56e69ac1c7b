"""Check that the server can store data: its data folder, its disk, and a database that takes a write."""

from pathlib import Path

from server.models import Pulse, Unavailable, db, table_of, try_write
from server.runtime import now, runtime
from server.vocabulary.errors import database_unusable

# Bytes of the disk: with less than the first nothing is taken, with less than the second the operator is told.
LEAST_FREE = 20_000_000  # room for some mails of the largest size
SHOULD_BE_FREE = 500_000_000
LOOKED_AT_EVERY = 5.0  # seconds, so that nobody costs a write by asking
PROBE = "probe"


def trouble() -> str | None:
    """Return a sentence, without a path, on why the server cannot store anything; None if it can.

    The answer is at most `LOOKED_AT_EVERY` seconds old.
    """
    kept, at = runtime().storage, runtime().monotonic()
    if kept is None or not 0 <= at - kept[0] < LOOKED_AT_EVERY:
        kept = runtime().storage = at, _look()
    return kept[1]


def free_bytes() -> int:
    """Return how much room the disk of the data folder has left."""
    return runtime().disk_usage(runtime().settings.var).free


def nearly_full() -> str | None:
    """Return a sentence if the disk of the data folder has little room left, else None."""
    if free_bytes() >= SHOULD_BE_FREE:
        return None
    megabytes = SHOULD_BE_FREE // 1_000_000
    return f"The disk with the data folder is nearly full: less than {megabytes} MB are left. Make room."


def _look() -> str | None:
    folder = runtime().settings.var
    if not folder.is_dir():
        return "The data folder is missing."
    file = db.engine.url.database if db.engine.dialect.name == "sqlite" else None
    if file is not None and not Path(file).exists():
        return "The file of the database is missing."
    if free_bytes() < LEAST_FREE:
        return "The disk of the data folder is full."
    try:
        # A row that is written and gone again: nothing is left of it, but it takes a place in the journal.
        pulses = table_of(Pulse)
        try_write(pulses.insert().values(name=PROBE, at=now()), pulses.delete().where(pulses.c.name == PROBE))
    except Unavailable as error:
        return database_unusable(error.why)
    return None
