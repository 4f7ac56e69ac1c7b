"""Rows that wait for a worker: of many that look, one has each for a while, and only he says what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import select

from server.models import Outgoing, Webhook, session, transaction
from server.runtime import now, runtime

Waits = TypeVar("Waits", Outgoing, Webhook)


@dataclass(frozen=True)
class Lease:
    """Whose turn it is with the row `id`: his whose `fence` stands in it."""

    id: str
    fence: str


def take(kind: type[Waits], *waiting: Any, limit: int, length: timedelta, order: Sequence[Any] = ()) -> list[Lease]:
    """Claim rows for `length`: whoever else looks meanwhile passes them by.

    They come in this `order`; without one those first that have waited longest.
    """
    due = (kind.not_before <= now(), *waiting)
    if session.scalar(select(kind.id).where(*due).limit(1)) is None:
        session.rollback()
        return []
    with transaction():
        query = select(kind).where(*due).order_by(*order or (kind.not_before,)).limit(limit)
        rows = session.scalars(query.with_for_update(skip_locked=True)).all()
        for row in rows:
            row.fence = runtime().new_id("lease")
            row.not_before = now() + length
        return [Lease(row.id, row.fence) for row in rows if row.fence]


def later(pause: timedelta) -> datetime:
    """After `pause`, a little earlier or later than others that failed at the same moment."""
    return now() + pause * runtime().dice("back-off").uniform(0.8, 1.2)
