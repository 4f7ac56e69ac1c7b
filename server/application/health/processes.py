"""The processes that work on PostgreSQL: whether their clocks agree, and whether it has connections for all of them."""

from typing import Any

from sqlalchemy import text

from server.models import liveness, rows, session
from server.models.base import is_sqlite
from server.models.postgresql import is_behind_pooler
from server.runtime import runtime

FAR_OFF = 2.0  # seconds by which the clock of a machine may differ from the database's
# `reserved_connections` is there since PostgreSQL 16; of an older server it is null.
_LIMITS = text(
    "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    " - coalesce(current_setting('reserved_connections', true)::int, 0)"
)


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
