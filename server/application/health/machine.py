"""Check the machine for faults that would show only later. Each sentence says what is wrong and what to do."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from sqlalchemy import func, select, text

from server.application.health import storage
from server.drawing import picture
from server.models import Player, db, journal_mode, session
from server.runtime import runtime

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


LOOKS: dict[str, Callable[[], str | None]] = {
    "disk": storage.nearly_full, "clock": _clock, "time-zones": _time_zones, "durability": _durability, "fonts": _fonts,
}  # fmt: skip
