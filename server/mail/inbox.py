"""The inbox table is read: each mail, which was stored before, in one transaction of its own."""

import logging
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import defer

from server.application.mail import addresses, reach
from server.faults import fault
from server.mail import obeying, postmaster, reports, senders
from server.mail.compose import MARKER
from server.mail.reading import Kind, Reading, read
from server.mail.senders import Findings, Handover
from server.models import Incoming, Seen, insert_new, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3
# Every mail asks for these, so they are built once.
_ARRIVED = select(Incoming.raw, Incoming.sender, Incoming.peer, Incoming.recipient)
_ARRIVED = _ARRIVED.where(Incoming.id == bindparam("id"))
_WAITING = select(Incoming.id).where(Incoming.state == "new").order_by(Incoming.received_at, Incoming.id)
_ROW = select(Incoming).where(Incoming.id == bindparam("id")).with_for_update()
_ROW = _ROW.options(defer(Incoming.raw))  # what was read of it is enough


def process_waiting(game_id: str | None = None, until: datetime | None = None, limit: int = 100) -> int:
    """Read what waits (of one game, received by `until`), oldest first; how many mails were looked at."""
    query = _WAITING
    if game_id is not None:
        query = query.where(Incoming.game_id == game_id)
    if until is not None:
        query = query.where(Incoming.received_at <= until)
    waiting = session.scalars(query.limit(limit)).all()
    session.rollback()
    for inbox_id in waiting:
        _process(inbox_id)
    return len(waiting)


def _process(inbox_id: str) -> None:
    try:
        # Read before the transaction: what a retried transaction does twice must not cost twice.
        arrived = session.execute(_ARRIVED, {"id": inbox_id}).one()
        session.rollback()
        raw, handover = arrived.raw or b"", Handover(arrived.sender, arrived.peer, addresses.bare(arrived.recipient))
        reading = read(raw, marker=MARKER, envelope_sender=handover.sender)
        findings = _findings(raw, reading, handover)
        report = reports.read(raw, reading)
        with transaction():
            row = session.scalars(_ROW, {"id": inbox_id}).one()
            if row.state == "new":
                row.verdict = _verdict(row, reading, report, findings)
                row.checked = str(findings) or None
                row.state = "aside" if row.verdict == postmaster.KEPT else "done"
    except Exception as error:  # noqa: BLE001 the next mail must be read whatever this one did
        log.error("inbox row %s failed: %s", inbox_id, fault(error))
        _failed(inbox_id)


def _findings(raw: bytes, reading: Reading, handover: Handover) -> Findings:
    """What is found of the sender of a mail that a person wrote."""
    if reading.kind != Kind.HUMAN or len(reading.from_addresses) != 1:
        return Findings()
    (author,) = reading.from_addresses
    ask = runtime().records.about(senders.domain_of(author), now(), runtime().monotonic)
    return senders.check(raw, author, reading.to, handover, runtime().settings.authserv_id, ask)


def _verdict(row: Incoming, reading: Reading, report: reports.Outcome, findings: Findings) -> str:
    if addresses.is_operators(row.recipient):
        return _to_operator(row, reading, report)
    if reading.kind in (Kind.BOUNCE, Kind.COMPLAINT):
        if _first_time(row, reading):
            reports.act(row, reading.kind, report)
        return reading.kind
    if reading.kind != Kind.LOOP and reports.wants_no_more(row, reading):
        return "stopped"
    if reading.kind != Kind.HUMAN:
        return reading.kind
    if not _first_time(row, reading):
        return "duplicate"
    if not findings.failing:
        reach.heard_from(reading.from_addresses)
    return obeying.obey(row, reading, findings)


def _to_operator(row: Incoming, reading: Reading, report: reports.Outcome) -> str:
    if not postmaster.may_be_passed_on(row):
        return postmaster.KEPT
    if not _first_time(row, reading):
        return "duplicate"
    if reading.kind in (Kind.BOUNCE, Kind.COMPLAINT):  # some servers report to these addresses alone
        reports.act(row, reading.kind, report)
    return postmaster.pass_on(row, reading)


def _first_time(row: Incoming, reading: Reading) -> bool:
    """Whether this mail was not acted on before, by its Message-ID, or by its bytes where it has none."""
    identity = reading.message_id or row.digest
    mark = runtime().keyring.fingerprint(f"{row.recipient.lower()}\0{identity}".encode())
    return insert_new(Seen, {"fingerprint": mark, "inbox_id": row.id})


def _failed(inbox_id: str) -> None:
    with transaction():
        row = session.scalars(_ROW, {"id": inbox_id}).one()
        row.attempts += 1
        if row.attempts >= MOST_ATTEMPTS:
            row.state, row.verdict = "aside", "failed"
