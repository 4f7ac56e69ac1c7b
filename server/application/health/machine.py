"""Check the machine for faults that would show only later. Each sentence says what is wrong and what to do."""

from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import func, select, text

from server.drawing import picture
from server.models import Player, Pulse, Unavailable, db, journal_mode, session, table_of, try_write
from server.runtime import now, runtime
from server.vocabulary.errors import database_unusable

# Settings of PostgreSQL without which a power cut loses moves that were confirmed.
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")


def warnings() -> dict[str, str]:
    """Return a sentence on each thing that is wrong with the machine, by its name."""
    return {name: sentence for name, look in LOOKS.items() if (sentence := look()) is not None}


def _clock() -> str | None:
    if runtime().settings.is_for_trying_out or runtime().is_clock_set() is not False:
        return None
    return (
        "Nothing sets the clock of this machine, so deadlines may fire early or late. Install chrony, or switch "
        "systemd-timesyncd on: timedatectl set-ntp true."
    )


def _time_zones() -> str | None:
    """Return a sentence if the time zone of a player is missing here; their mails could not be written."""
    players = dict(session.execute(select(Player.zone, func.count()).group_by(Player.zone)).all())
    missing = sorted(zone for zone in players if not _is_known(zone))
    if not missing:
        return None
    concerned = sum(players[zone] for zone in missing)
    return (
        f"Time zones that this machine does not know: {', '.join(missing)}; players who have one: {concerned}. "
        "Reinstall the Python package tzdata."
    )


def _is_known(zone: str) -> bool:
    try:
        ZoneInfo(zone)
    except (KeyError, OSError, ValueError):
        return False
    return True


def _durability() -> str | None:
    if db.engine.dialect.name != "sqlite":
        off = [name for name in DURABLE if session.scalar(text(f"SHOW {name}")) == "off"]
        return f"A power cut would lose moves: set {', '.join(off)} to on in PostgreSQL." if off else None
    wanted, mode = journal_mode().lower(), session.scalar(text("PRAGMA journal_mode"))
    if mode == wanted:
        return None
    return (
        f"The database has the journal mode {mode} instead of {wanted}: keep the data folder on a local disk, and let "
        "no other program open the database."
    )


def _fonts() -> str | None:
    if picture.has_font():
        return None
    return "Pictures of the board have no letters, because their font is missing: install Black Ticket again."


# Storage -----------------------------------------------------------------------------------------
# Bytes of the disk: with less than the first nothing is taken, with less than the second the operator is told.
LEAST_FREE = 20_000_000  # room for some mails of the largest size
SHOULD_BE_FREE = 500_000_000
LOOKED_AT_EVERY = 5.0  # seconds, so that nobody costs a write by asking
PROBE = "probe"


def storage_trouble() -> str | None:
    """Return a sentence, without a path, on why the server cannot store anything; None if it can.

    The answer is at most `LOOKED_AT_EVERY` seconds old.
    """
    kept, at = runtime().storage, runtime().monotonic()
    if kept is None or not 0 <= at - kept[0] < LOOKED_AT_EVERY:
        kept = runtime().storage = at, _look_at_storage()
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


def _look_at_storage() -> str | None:
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


LOOKS: dict[str, Callable[[], str | None]] = {
    "disk": nearly_full, "clock": _clock, "time-zones": _time_zones, "durability": _durability, "fonts": _fonts,
}  # fmt: skip
