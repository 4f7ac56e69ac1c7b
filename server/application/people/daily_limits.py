"""Daily limits: how often a player, an address or a network may have something done within a day."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text

from server.application.errors import Problem
from server.durations import DAY, seconds_until
from server.models import Base, session
from server.runtime import now


def lock_table(table: type[Base]) -> None:
    """Lock the table, so that only one process counts its rows at a time; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text(f"LOCK TABLE {table.__tablename__} IN EXCLUSIVE MODE"))


def check_daily_limit(
    times: Sequence[datetime], most: int, sentence: str = "Enough mails were asked for today", more: int = 1
) -> None:
    """Raise `Problem` too-many with `sentence` if something done at these `times` and `more` times now is too often.

    It may be done `most` times within a day. The times are in their order, the oldest first.
    """
    if len(times) + more > most:
        again = seconds_until(times[len(times) + more - most - 1] + DAY, now())
        raise Problem("too-many", f"{sentence}; try again later.", retry_after=again)
