"""Leases: of many workers that look for waiting rows one holds each for a while, and only the holder settles it.

A lease names the process that holds it. It ends when its time is up, or as soon as that process is proven dead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, ColumnExpressionArgument, Integer, bindparam, exists, select, update

from server.models import PENDING, Outgoing, Webhook, execute, liveness, rows, session, table_of, transaction
from server.models.types import UtcTime
from server.runtime import now, runtime

Waits = TypeVar("Waits", Outgoing, Webhook)
AT = bindparam("at", type_=UtcTime())
# Written into the statement: if a limit is handed in, SQLite prepares the statement again at each use. Each limit makes
# a statement of its own; there are few.
MOST = bindparam("most", type_=Integer, literal_execute=True)
BATCH = 500
PAUSE = timedelta(seconds=30)  # after the first failure of a row
LONGEST_PAUSE = timedelta(hours=4)
TRIED = "tried"  # the fence of a row that failed and is tried again: it is nobody's


@dataclass(frozen=True)
class Lease:
    """A lease of the row `id`; it is good while its `fence` is in the row."""

    id: str
    fence: str


@dataclass(frozen=True)
class Claim:
    """The values that lease a row when they are written into it: the `fence`, and the time `until` when it ends."""

    fence: str
    until: datetime


class Queue(Generic[Waits]):
    """Rows of one kind that wait while all conditions `waiting` hold; `AT` in them is the time of the look.

    A lease lasts for `length`. Rows come in this `order`, by default the longest waiting first.
    """

    def __init__(
        self,
        kind: type[Waits],
        *waiting: ColumnExpressionArgument[bool],
        length: timedelta,
        order: Sequence[ColumnExpressionArgument[object]] = (),
        early: ColumnElement[bool] | None = None,
    ) -> None:
        """`early` is a condition under which rows are taken before they are due."""
        is_due = kind.not_before <= AT
        self.due = (is_due if early is None else is_due | early, *waiting)
        self._length = length
        self._any = select(exists().where(*self.due))
        self._in_order = select(kind.id).where(*self.due).order_by(*order or (kind.not_before,)).limit(MOST)
        self._first = self._in_order.with_for_update(skip_locked=True)
        table = table_of(kind)
        of_these = update(table).where(table.c.id.in_(bindparam("ids", expanding=True)))
        self._claim = of_these.values(fence=bindparam("holder"), not_before=bindparam("until"))

    def take(self, limit: int) -> list[Lease]:
        """Claim `limit` rows at most, all with the same fence; other workers pass over them."""
        if limit <= 0:
            return []
        if not rows(self._any, at=now())[0][0]:
            return []
        claim = self.claim()
        with transaction():
            ids = [row.id for row in rows(self._first, at=now(), most=limit)]
            if ids:
                execute(self._claim, {"ids": ids, "holder": claim.fence, "until": claim.until})
        return [Lease(row_id, claim.fence) for row_id in ids]

    def look(self, limit: int) -> list[str]:
        """Return the ids of the first rows, at most `limit`. They are leased to nobody: check `due` before a claim."""
        return [row.id for row in rows(self._in_order, at=now(), most=limit)]

    def claim(self) -> Claim:
        """Return a new claim of this process, for a lease that begins now."""
        return Claim(new_name("lease"), now() + self._length)


def new_name(of: str) -> str:
    """Return a name for somebody in this process who holds something; `of` says for what."""
    return f"{liveness.current()}-{runtime().new_id(of)}"


def is_dead(holder: str | None) -> bool:
    """Return whether the process in which somebody got that name is proven dead."""
    return holder is not None and liveness.is_over(holder.partition("-")[0])


def holds(lease: Lease) -> bool:
    """Return True unless this process was taken for dead since it got the lease: then others may hold it.

    Call it just before something is sent. What changes the row need not: it looks at the fence in the row.
    """
    return lease.fence.partition("-")[0] == liveness.current()


def drop_of_the_dead() -> int:
    """Drop all leases of processes that are proven dead; return how many those were.

    From then on such a process holds nothing, also if it was only stopped and goes on.
    """
    dropped = 0
    with transaction():
        liveness.bury()
        for kind, waits in ((Outgoing, Outgoing.state == PENDING), (Webhook, Webhook.fence.is_not(None))):
            table: Any = kind
            held = select(table.id, table.fence).where(waits, table.not_before > now(), table.fence.like("%-%"))
            leased = session.execute(held).all()
            dead = {life for life in {row.fence.partition("-")[0] for row in leased} if liveness.is_over(life)}
            fences = [row.fence for row in leased if row.fence.partition("-")[0] in dead]
            for start in range(0, len(fences), BATCH):
                mine = table.fence.in_(fences[start : start + BATCH])
                execute(update(table).where(mine).values(fence=None, not_before=now()))
            dropped += len(fences)
    return dropped


def back_off(failures: int, longest: timedelta = LONGEST_PAUSE, *, first: timedelta = PAUSE) -> datetime:
    """Return when a row is tried again that failed so many times, after a pause as `pause_after` gives it."""
    return now() + pause_after(failures, longest, first=first)


def pause_after(failures: int, longest: timedelta, *, first: timedelta) -> timedelta:
    """Return the pause after so many failures: `first`, and then each about twice as long as the last."""
    return _varied(min(first * 2 ** min(max(failures, 1) - 1, 16), longest))


def later(pause: timedelta) -> datetime:
    """Return a time after `pause`."""
    return now() + _varied(pause)


def _varied(pause: timedelta) -> timedelta:
    # So that what failed at the same moment is not tried again at the same moment.
    return pause * runtime().rng("back-off").uniform(0.8, 1.2)
