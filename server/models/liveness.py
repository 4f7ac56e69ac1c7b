"""The processes that work on a PostgreSQL: a row for each, which says when it last looked. No lease depends on it.

A process is alive whose row was renewed within `SEEN`. With SQLite all run on one machine, and none has a row.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, bindparam, delete, func, select

from server.models.base import execute, reading, session, table_of, transaction
from server.models.statements import insert_or_add
from server.models.types import UtcTime
from server.models.upkeep import News, Process
from server.runtime import now, runtime

RENEWED_EVERY = 2.0  # seconds
SEEN = timedelta(seconds=6)
NEWS_KEPT = timedelta(minutes=1)
# Nor before the clock was set back.
_IS_ALIVE = Process.seen_at.between(bindparam("since", type_=UtcTime()), bindparam("until", type_=UtcTime()))
_ALIVE = select(*table_of(Process).c).where(_IS_ALIVE).order_by(Process.began_at, Process.name)
_FORGET_NEWS = delete(News).where(News.at < func.clock_timestamp() - NEWS_KEPT)
_FORGET = delete(Process).where(~_IS_ALIVE)


def renew(settings: str) -> None:
    """Say that this process is alive, with a fingerprint of its settings; forget those that are not."""
    parts = runtime()
    with transaction():
        session.connection()  # first: a process may have taken a wrong time from a clock that was set
        parts.process = parts.process or (f"{parts.rng('process').getrandbits(31):08x}", now())
        row: dict[str, Any] = dict(zip(("name", "began_at"), parts.process, strict=True))
        row |= {"seen_at": now(), "host": parts.host[:64], "ahead": parts.ahead.total_seconds(), "settings": settings}
        row["connections"] = parts.settings.database_connections + 1  # on which it hears notifications
        execute(_FORGET, _recently())
        execute(_FORGET_NEWS)
        execute(insert_or_add(table_of(Process), frozenset(row)), row)


def alive() -> Sequence[Row[Any]]:
    """Return the row of each process that is alive, those first that began first; none with SQLite."""
    with reading() as connection:
        return connection.execute(_ALIVE, _recently()).all()


def _recently() -> dict[str, datetime]:
    """Return between which times a row was renewed whose process is alive; ask for it with a connection in hand."""
    return {"since": now() - SEEN, "until": now() + SEEN}
