"""Rows that wait for a worker: of many that look, one has each for a while, and only he says what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sqlalchemy import Select, bindparam, select

from server.models import Outgoing, Webhook, session, transaction
from server.models.types import UtcTime
from server.runtime import now, runtime

Waits = TypeVar("Waits", Outgoing, Webhook)
AT = bindparam("at", type_=UtcTime())
TRIED = "tried"  # the fence of a row that failed and is tried again: it is nobody's


@dataclass(frozen=True)
class Lease:
    """Whose turn it is with the row `id`: his whose `fence` stands in it."""

    id: str
    fence: str


class Queue(Generic[Waits]):
    """Rows of one kind that wait while all of `waiting` holds, in which `AT` is the moment at which somebody looks.

    Who has one holds it for `length`. They come in this `order`; without one those first that have waited longest.
    Put together once, as it is looked into all the time.
    """

    def __init__(
        self, kind: type[Waits], *waiting: Any, length: timedelta, order: Sequence[Any] = (), early: Any = None
    ) -> None:
        """`early` is a condition under which rows are taken before they are due."""
        is_due = kind.not_before <= AT
        due = (is_due if early is None else is_due | early, *waiting)
        self._length = length
        self._any = select(kind.id).where(*due).limit(1)
        in_order = select(kind).where(*due).order_by(*order or (kind.not_before,))
        self._first: Select[Waits] = in_order.with_for_update(skip_locked=True)

    def take(self, limit: int) -> list[Lease]:
        """Claim `limit` rows at most: whoever else looks meanwhile passes them by."""
        if limit <= 0:
            return []
        if session.scalar(self._any, {"at": now()}) is None:
            session.rollback()
            return []
        with transaction():
            rows = session.scalars(self._first.limit(limit), {"at": now()}).all()
            for row in rows:
                row.fence = runtime().new_id("lease")
                row.not_before = now() + self._length
            return [Lease(row.id, row.fence) for row in rows if row.fence]


def later(pause: timedelta) -> datetime:
    """After `pause`, a little earlier or later than others that failed at the same moment."""
    return now() + pause * runtime().dice("back-off").uniform(0.8, 1.2)
