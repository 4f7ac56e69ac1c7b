"""The sender: takes waiting rows, renders each as of its event, hands it over, says what became of it."""

import logging
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, update

from server.faults import fault
from server.mail import addresses, compose
from server.mail.compose import Composed
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


def send_waiting(transport: Transport, limit: int = 20) -> int:
    """Send what is due; how many rows were looked at.

    A batch is leased, written, and stored as written, so that every attempt sends the same bytes; then each mail is
    handed over and settled by itself. Mails are written outside any transaction: nobody's move waits for them.
    """
    leases = _lease(limit)
    written = [(leased, outcome) for leased in leases if (outcome := _write(leased)) is not None]
    for leased, composed in _store(written):
        _hand_over(leased, composed, transport)
    return len(leases)


def _hand_over(leased: _Leased, composed: Composed, transport: Transport) -> None:
    try:
        transport.send(composed.message, composed.sender, composed.recipient)
    except Failure as failure:
        _retry(leased, str(failure), lasting=failure.lasting)
    except Exception as error:  # noqa: BLE001 one mail must not hold up the others
        log.error("outbox row %s failed: %s", leased.id, fault(error))
        _retry(leased, f"could not be handed over ({type(error).__name__})", lasting=False)
    else:
        _settle(leased, state="sent", sent_at=now(), message=None, details=None, error=None)


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
            row.fence = runtime().new_id("lease")
            row.not_before = now() + LEASE
        return [_Leased(row.id, row.fence) for row in rows if row.fence]


def _write(leased: _Leased) -> Composed | str | None:
    """The mail, or why it is not to be sent. One that cannot be written must not hold up the others: None."""
    try:
        row = session.get_one(Outgoing, leased.id)
        verdict = compose.verdict(row)
        return compose.compose(row) if verdict == "send" else verdict
    except Exception as error:  # noqa: BLE001 whatever is wrong with this one
        log.error("outbox row %s failed: %s", leased.id, fault(error))
        _retry(leased, f"could not be written ({type(error).__name__})", lasting=False)
    finally:
        session.rollback()
    return None


def _store(written: list[tuple[_Leased, Composed | str]]) -> list[tuple[_Leased, Composed]]:
    """Keep what was written, with the reply tokens printed in it; what of it is still to be sent."""
    if not written:
        return []
    with transaction():
        held = []
        for leased, outcome in written:
            row = session.get_one(Outgoing, leased.id)
            if row.fence != leased.fence or row.state != "pending":
                continue
            if isinstance(outcome, str):
                row.state, row.message = outcome, None
                continue
            row.message = outcome.message
            held.append((leased, outcome))
        addresses.remember(outcome.token for _, outcome in held if outcome.token)
    return held


def _retry(leased: _Leased, error: str, *, lasting: bool) -> None:
    """Later, each time about twice as late, a little earlier or later than others; dead when it is no use."""
    with transaction():
        row = session.get_one(Outgoing, leased.id)
        if row.fence != leased.fence or row.state != "pending":
            return
        row.attempts += 1
        row.error = error[:200]
        pause = min(BACK_OFF * 2 ** min(row.attempts - 1, 16), LONGEST_BACK_OFF)
        row.not_before = now() + pause * runtime().dice("back-off").uniform(0.8, 1.2)
        if lasting or row.attempts >= MOST_ATTEMPTS:
            row.state = "dead"


def _settle(leased: _Leased, **values: object) -> None:
    """Only who still holds the lease may say what became of the mail."""
    mine = (Outgoing.id == leased.id, Outgoing.fence == leased.fence, Outgoing.state == "pending")
    with transaction():
        session.execute(update(Outgoing).where(*mine).values(**values))
