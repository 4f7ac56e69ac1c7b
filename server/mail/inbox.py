"""The inbox table: mails are stored first and read afterwards, each in one transaction of its own."""

import logging
from datetime import datetime

from sqlalchemy import select

from server.faults import fault
from server.mail import addresses, commands
from server.mail.compose import MARKER
from server.mail.reading import Reading, read
from server.models import Incoming, Seen, ring_when_committed, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3


def store(raw: bytes, sender: str, recipients: list[str], source: str) -> None:
    """Keep a mail, once for each recipient, and commit. Whoever brought it may then be told it was taken."""
    with transaction():
        for recipient in recipients:
            token = addresses.find(recipient)
            session.add(
                Incoming(
                    id=runtime().new_id("mail"),
                    digest=runtime().keyring.fingerprint(raw),
                    sender=_column(sender),
                    recipient=_column(recipient),
                    source=source,
                    raw=raw,
                    game_id=token.game_id if token else None,
                    attempts=0,
                    received_at=now(),
                )
            )
        ring_when_committed(runtime().bells.inbox)


def process_waiting(game_id: str | None = None, until: datetime | None = None, limit: int = 100) -> int:
    """Read what waits (of one game, received by `until`), oldest first; how many mails were looked at."""
    query = select(Incoming.id).where(Incoming.state == "new").order_by(Incoming.received_at, Incoming.id)
    if game_id is not None:
        query = query.where(Incoming.game_id == game_id)
    if until is not None:
        query = query.where(Incoming.received_at <= until)
    waiting = session.scalars(query.limit(limit)).all()
    session.rollback()
    for inbox_id in waiting:
        _process(inbox_id)
    return len(waiting)


def _column(address: str) -> str:
    """An address as every database takes it: no NUL, no half of a letter."""
    return address.encode(errors="replace").decode().replace("\0", "?")[:320]


def _process(inbox_id: str) -> None:
    try:
        # Read before the transaction: what a retried transaction does twice must not cost twice.
        row = session.get_one(Incoming, inbox_id)
        raw, sender = row.raw or b"", row.sender
        session.rollback()
        reading = read(raw, marker=MARKER, envelope_sender=sender)
        with transaction():
            row = session.get_one(Incoming, inbox_id, with_for_update=True)
            if row.state == "new":
                row.verdict = _verdict(row, reading)
                row.state = "done"
    except Exception as error:  # noqa: BLE001 the next mail must be read whatever this one did
        log.error("inbox row %s failed: %s", inbox_id, fault(error))
        _failed(inbox_id)


def _verdict(row: Incoming, reading: Reading) -> str:
    if reading.kind != "human":
        return reading.kind
    if not _first_time(row, reading):
        return "duplicate"
    return commands.obey(row, reading)


def _first_time(row: Incoming, reading: Reading) -> bool:
    """Whether this mail was not acted on before, by its Message-ID, or by its bytes where it has none."""
    identity = reading.message_id or row.digest
    mark = runtime().keyring.fingerprint(f"{row.recipient.lower()}\0{identity}".encode())
    if session.get(Seen, mark) is not None:
        return False
    session.add(Seen(fingerprint=mark, inbox_id=row.id))
    return True


def _failed(inbox_id: str) -> None:
    with transaction():
        row = session.get_one(Incoming, inbox_id)
        row.attempts += 1
        if row.attempts >= MOST_ATTEMPTS:
            row.state, row.verdict = "aside", "failed"
