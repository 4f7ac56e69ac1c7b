"""The processes that work on PostgreSQL: whether clocks and settings agree, and whether it has connections for all."""

import logging
from collections.abc import Iterator
from typing import Any

from sqlalchemy import text

from server.models import liveness, rows, session
from server.models.base import is_sqlite
from server.models.postgresql import is_behind_pooler
from server.runtime import runtime
from server.vocabulary.durations import rfc3339

log = logging.getLogger(__name__)
# The settings that must agree; the first alone may be unknown to a process that sends no mail.
AGREE = ("smtp_url", "mail_domain", "play_address", "reply_address", "bounce_address", "public_url", "secret_key")
FAR_OFF = 2.0  # seconds by which the clock of a machine may differ from the database's
# `reserved_connections` is there since PostgreSQL 16; of an older server it is null.
_LIMITS = text(
    "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    " - coalesce(current_setting('reserved_connections', true)::int, 0)"
)


def renew() -> None:
    """Say that this process is alive, and find out whether its settings are those of the worker that began first.

    A worker that differs from it takes no mail: it would send to another relay, or print and read other addresses.
    """
    parts = runtime()
    liveness.renew(_fingerprint())
    assert parts.process is not None
    name = parts.process[0]
    differs = next((found for row, first, found in _differing() if row.name == name and first.name != name), ())
    if differs != parts.differs and differs:
        what = "takes no mail" if parts.has_listener else "differs"
        log.error("this process %s: a worker that began earlier has another %s", what, ", ".join(differs))
    parts.differs = differs


def _fingerprint() -> str:
    """Return a keyed hash of each setting of `AGREE`, so that they are compared and not read; of the relay a worker's.

    A process that sends no mail may know of none.
    """
    settings = runtime().settings
    relay = settings.smtp_url if runtime().has_listener else None
    values = {name: getattr(settings, name) for name in AGREE} | {"smtp_url": relay and f"{relay.host}:{relay.port}"}
    hashes = (runtime().keyring.fingerprint(f"setting\0{name}\0{value}".encode())[:8] for name, value in values.items())
    return "-".join(hashes if relay else ("", *list(hashes)[1:]))


def _differing() -> Iterator[tuple[Any, Any, tuple[str, ...]]]:
    """Yield each process that differs from the worker that began first, with that one, and the settings."""
    alive = liveness.alive()
    first: Any = next(filter(_is_worker, alive), None)
    for row in alive if first is not None else ():
        pairs = zip(AGREE, row.settings.split("-"), first.settings.split("-"), strict=True)
        differs = tuple(name.upper() for name, ours, theirs in pairs if ours not in ("", theirs))
        if differs:  # with another key all hashes are others
            yield row, first, ("SECRET_KEY",) if "SECRET_KEY" in differs else differs


def _is_worker(row: Any) -> bool:
    return not row.settings.startswith("-")


def other_settings() -> list[str]:
    """Return a sentence on each process whose settings are not those of the worker that began first."""
    return [
        f"A process on {row.host}, which began at {rfc3339(row.began_at)}, has another {', '.join(differs)} than the "
        f"worker on {first.host}{', and takes no mail' if _is_worker(row) else ''}: start it with the same settings."
        for row, first, differs in _differing()
    ]


def clocks() -> dict[str, float]:
    """Return by how many seconds the clock of each machine is ahead of the database's; nothing with SQLite."""
    ahead: dict[str, float] = {}
    for process in liveness.alive():
        ahead[process.host] = max(ahead.get(process.host, 0.0), process.ahead, key=abs)
    return ahead


def farthest_off() -> float:
    """Return the largest of these differences, without its sign, if it is more than `FAR_OFF`; else 0."""
    largest = max(map(abs, clocks().values()), default=0.0)
    return round(largest, 1) if largest > FAR_OFF else 0.0


def wrong_clocks() -> list[str]:
    """Return a sentence on each machine whose clock is far off. All go by the database's, so nothing fires wrongly."""
    return [
        f"The clock of the machine {host} is {abs(ahead):.1f} seconds {'ahead of' if ahead > 0 else 'behind'} the "
        "database's, by which the server goes. Have NTP set both."
        for host, ahead in clocks().items()
        if abs(ahead) > FAR_OFF
    ]


def too_many_connections() -> list[str]:
    """Return a sentence if the processes may open more connections than PostgreSQL takes; nothing behind a pooler."""
    settings = runtime().settings
    if is_sqlite(settings.database_url) or is_behind_pooler(_driver()):
        return []
    wanted = [process.connections for process in liveness.alive()]
    ((allowed,),) = rows(_LIMITS)
    if sum(wanted) <= allowed:
        return []
    comparison = f"{len(wanted)} processes may open {sum(wanted)} connections, and PostgreSQL takes {allowed}"
    return [f"{comparison}: raise its max_connections, or lower DATABASE_CONNECTIONS."]


def _driver() -> Any:
    return session.connection().connection.driver_connection
