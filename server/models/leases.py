"""Leases: of many workers that look for waiting rows one holds each for a while, and only the holder settles it.

A lease is a time in the row, by the clock of the database: `LENGTH` after it was taken or last renewed the row is free
again. A thread renews the leases of all work under way. Those of a worker that was killed or stopped, or that gave up
in the middle, run out.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, ColumnExpressionArgument, Integer, Update, bindparam, exists, select, update

from server.models import Mailbox, Outgoing, Webhook, execute, rows, table_of, transaction
from server.models.types import UtcTime
from server.runtime import now, runtime

Waits = TypeVar("Waits", Outgoing, Webhook)
AT = bindparam("at", type_=UtcTime())
# Written into the statement: if a limit is handed in, SQLite prepares the statement again at each use. Each limit makes
# a statement of its own; there are few.
MOST = bindparam("most", type_=Integer, literal_execute=True)
LENGTH = timedelta(seconds=20)
RENEWED_AFTER = timedelta(seconds=5)
LEAST = LENGTH / 2  # what has to be left of a lease for something to be handed over
_WORK: ContextVar["list[Lease] | None"] = ContextVar("work", default=None)  # the leases that this thread works with
PAUSE = timedelta(seconds=30)  # after the first failure of a row
LONGEST_PAUSE = timedelta(hours=4)
TRIED = "tried"  # the fence of a row that failed and is tried again: it is nobody's


@dataclass(eq=False)
class Lease:
    """A lease of the row `id` of a kind, as long as its `fence` is in the row, and `until` then at least."""

    kind: type[Outgoing | Webhook | Mailbox]
    id: str
    fence: str
    until: datetime


@dataclass(frozen=True)
class Claim:
    """The values that lease rows when they are written into them: the `fence`, and the time `until` when it ends."""

    kind: type[Outgoing | Webhook]
    fence: str
    until: datetime

    def leases(self, ids: Iterable[str]) -> list[Lease]:
        """Return the leases of rows into which the claim was written, which are renewed within `working`."""
        held = [Lease(self.kind, row_id, self.fence, self.until) for row_id in ids]
        if (under_way := _WORK.get()) is not None:
            under_way += held
            runtime().leases.update(held)
        return held


class Queue(Generic[Waits]):
    """Rows of one kind that wait while all conditions `waiting` hold; `AT` in them is the time of the look.

    They come in this `order`, by default the longest waiting first.
    """

    def __init__(
        self,
        kind: type[Waits],
        *waiting: ColumnExpressionArgument[bool],
        order: Sequence[ColumnExpressionArgument[object]] = (),
        early: ColumnElement[bool] | None = None,
    ) -> None:
        """`early` is a condition under which rows are taken before they are due."""
        is_due = kind.not_before <= AT
        self.due = (is_due if early is None else is_due | early, *waiting)
        self._kind: type[Outgoing | Webhook] = kind
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
        return claim.leases(ids)

    def look(self, limit: int) -> list[str]:
        """Return the ids of the first rows, at most `limit`. They are leased to nobody: check `due` before a claim."""
        return [row.id for row in rows(self._in_order, at=now(), most=limit)]

    def claim(self) -> Claim:
        """Return a new claim, for leases that begin now."""
        return Claim(self._kind, runtime().new_id("lease"), now() + LENGTH)


@contextmanager
def working() -> Iterator[None]:
    """Have the leases that are taken within renewed until the end of this work; those that are left run out then."""
    taken: list[Lease] = []
    before = _WORK.set(taken)
    try:
        yield
    finally:
        _WORK.reset(before)
        runtime().leases.difference_update(taken)


def holds(lease: Lease) -> bool:
    """Return whether the row is leased for long enough to hand something over; renew a lease that is not.

    Call it just before, and outside of a transaction. A process that was stopped may find that another one has the row.
    """
    if not LEAST < lease.until - now() <= LENGTH:
        _renew([lease])
    return LEAST < lease.until - now() <= LENGTH


def renew() -> None:
    """Renew the leases of all work under way in this process that are a while old."""
    old = LENGTH - RENEWED_AFTER
    if due := [lease for lease in [*runtime().leases] if not old < lease.until - now() <= LENGTH]:
        _renew(due)


def _renewal(row: Any, fence: Any, until: Any) -> Update:
    mine = (row.in_(bindparam("ids", expanding=True)), fence.in_(bindparam("fences", expanding=True)))
    # A row that this process is settling in another thread is passed over: neither may wait for the other.
    still_mine = select(row).where(*mine).with_for_update(skip_locked=True)
    renewed = update(row.table).where(row.in_(still_mine)).values({until: bindparam("until")})
    return renewed.returning(row.label("row"), fence.label("fence"))


_OUTBOX, _WEBHOOKS, _MAILBOXES = (table_of(kind).c for kind in (Outgoing, Webhook, Mailbox))
_RENEWALS = {
    Outgoing: _renewal(_OUTBOX.id, _OUTBOX.fence, _OUTBOX.not_before),
    Webhook: _renewal(_WEBHOOKS.id, _WEBHOOKS.fence, _WEBHOOKS.not_before),
    Mailbox: _renewal(_MAILBOXES.name, _MAILBOXES.holder, _MAILBOXES.held_until),
}


def _renew(leases: Sequence[Lease]) -> None:
    until = now() + LENGTH
    renewed = set()
    with transaction():
        for kind, renewal in _RENEWALS.items():
            if mine := [lease for lease in leases if lease.kind is kind]:
                fences = list({lease.fence for lease in mine})
                held = execute(renewal, {"ids": [lease.id for lease in mine], "fences": fences, "until": until}).all()
                renewed |= {(kind, row.row, row.fence) for row in held}
    for lease in leases:
        if (lease.kind, lease.id, lease.fence) in renewed:
            lease.until = until


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
