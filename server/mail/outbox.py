"""The sender: takes waiting rows, renders each as of its event, hands it over, says what became of it."""

import logging
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, update

from server.mail import compose
from server.mail.transport import Failure, Transport
from server.models import Outgoing, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=5)
BACK_OFF = timedelta(seconds=30)
LONGEST_BACK_OFF = timedelta(hours=4)
MOST_ATTEMPTS = 24


@dataclass(frozen=True)
class _Leased:
    id: str
    fence: str


def send_waiting(transport: Transport, limit: int = 50) -> int:
    """Send what is due; how many rows were looked at."""
    taken = _lease(limit)
    for leased in taken:
        try:
            _send(leased, transport)
        except Exception as error:  # noqa: BLE001 one mail that cannot be made must not hold up the others
            log.error("outbox row %s failed: %s", leased.id, type(error).__name__)
            _retry(leased, f"could not be written ({type(error).__name__})", lasting=False)
    return len(taken)


def _lease(limit: int) -> list[_Leased]:
    """Claim rows for a while: whoever else looks meanwhile passes them by."""
    waiting = (Outgoing.state == "pending", Outgoing.not_before <= now())
    if session.scalar(select(Outgoing.id).where(*waiting).limit(1)) is None:
        session.rollback()
        return []
    with transaction():
        query = select(Outgoing).where(*waiting).order_by(Outgoing.not_before).limit(limit)
        rows = session.scalars(query.with_for_update(skip_locked=True)).all()
        for row in rows:
            row.fence = runtime().new_id()
            row.not_before = now() + LEASE
        return [_Leased(row.id, row.fence) for row in rows if row.fence]


def _send(leased: _Leased, transport: Transport) -> None:
    with transaction():
        row = session.get_one(Outgoing, leased.id)
        if row.fence != leased.fence or row.state != "pending":
            return
        verdict = compose.verdict(row)
        if verdict != "send":
            row.state, row.message = verdict, None
            return
        if row.message is None:
            row.message = compose.compose(row)
        message, sender, recipient = row.message, compose.sender(), compose.recipient(row)
    try:
        transport.send(message, sender, recipient)
    except Failure as failure:
        _retry(leased, str(failure), lasting=failure.lasting)
    else:
        _settle(leased, state="sent", sent_at=now(), message=None, details=None, error=None)


def _retry(leased: _Leased, error: str, *, lasting: bool) -> None:
    """Later, each time about twice as late, a little earlier or later than others; dead when it is no use."""
    with transaction():
        row = session.get_one(Outgoing, leased.id)
        if row.fence != leased.fence or row.state != "pending":
            return
        row.attempts += 1
        row.error = error[:200]
        pause = min(BACK_OFF * 2 ** min(row.attempts - 1, 16), LONGEST_BACK_OFF)
        row.not_before = now() + pause * runtime().rng.uniform(0.8, 1.2)
        if lasting or row.attempts >= MOST_ATTEMPTS:
            row.state = "dead"


def _settle(leased: _Leased, **values: object) -> None:
    """Only who still holds the lease may say what became of the mail."""
    mine = (Outgoing.id == leased.id, Outgoing.fence == leased.fence, Outgoing.state == "pending")
    with transaction():
        session.execute(update(Outgoing).where(*mine).values(**values))
