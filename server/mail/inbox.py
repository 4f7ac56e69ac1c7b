"""Read the mails that `application/mail/arrivals.py` stored, each in a transaction of its own."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, bindparam, case, func, select
from sqlalchemy.orm import defer

from server.application.accounts import deliverability
from server.application.game import reply_addresses
from server.faults import fault
from server.mail.commands import dispatch, postmaster
from server.mail.examination.examine import Examination
from server.mail.examination.supervisor import TooCostly, examiner
from server.mail.reading.message import Kind, Reading
from server.mail.reading.quoting import MARKER
from server.mail.trust import bounce_handling, unsubscribe_mails
from server.mail.trust.bounce_reports import Report
from server.mail.trust.lookups import Ask
from server.mail.trust.mail import Handover
from server.mail.trust.results import Authentication
from server.models import Incoming, Seen, Unavailable, insert_new, rows_alone, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3
ANSWERS_FOR_ONE_OTHER = 4  # mails to reply addresses that are read for one that came to any other address
_ARRIVED = select(Incoming.raw, Incoming.sender, Incoming.peer, Incoming.recipient, Incoming.received_at)
_ARRIVED = _ARRIVED.where(Incoming.id == bindparam("id"))
_BY_ARRIVAL = (Incoming.received_at, Incoming.id)
_OF_GAME = select(Incoming.id).where(
    Incoming.state == "new", Incoming.game_id == bindparam("game"), Incoming.received_at <= bindparam("until")
).order_by(*_BY_ARRIVAL).limit(bindparam("most"))  # fmt: skip
_ROW = select(Incoming).where(Incoming.id == bindparam("id")).with_for_update()
_ROW = _ROW.options(defer(Incoming.raw))  # what was read of it is enough


def _in_turn() -> Select[str]:
    """Return the query for waiting mails in an order that no flood can push an answer out of.

    Games take turns at the reply addresses, senders take turns at all other addresses, and within each of them mails
    keep the order in which they came. While answers wait, few other mails are read; some are, so that a flood of
    answers cannot keep out everybody else.
    """
    is_other = Incoming.game_id.is_(None)
    whose = case((is_other, func.lower(Incoming.sender)), else_=Incoming.game_id)
    turn = func.row_number().over(partition_by=(is_other, whose), order_by=_BY_ARRIVAL)
    columns = (Incoming.id, Incoming.received_at, is_other.label("is_other"), turn.label("turn"))
    mail = select(*columns).where(Incoming.state == "new").subquery().c
    place = func.row_number().over(partition_by=mail.is_other, order_by=(mail.turn, mail.received_at, mail.id))
    weighted = place * case((mail.is_other, ANSWERS_FOR_ONE_OTHER), else_=1)
    return select(mail.id).order_by(weighted, mail.is_other, mail.id).limit(bindparam("most"))


_IN_TURN = _in_turn()


def process_waiting(
    game_id: str | None = None,
    until: datetime | None = None,
    limit: int = 100,
    is_stopping: Callable[[], bool] = lambda: False,
) -> int:
    """Read a batch of waiting mails and return how many were looked at.

    With `game_id`, the mails of that game that were received by `until`, the oldest first. Otherwise the mails of all
    senders in a fair order, see `_in_turn`. `is_stopping` is called before each mail; if it returns True the others
    are left to wait.
    """
    if game_id is None:
        waiting = rows_alone(_IN_TURN, most=limit)
    else:
        waiting = rows_alone(_OF_GAME, game=game_id, until=until or datetime.max.replace(tzinfo=UTC), most=limit)
    for number, row in enumerate(waiting, 1):
        if is_stopping():
            return number - 1
        if not _process(row.id):
            return number
    return len(waiting)


def _process(inbox_id: str) -> bool:
    """Read one mail; return False if that took so long that the mails which came meanwhile should have a turn."""
    try:
        # Read before the transaction: what a retried transaction does twice must not cost twice.
        (arrived,) = rows_alone(_ARRIVED, id=inbox_id)
        found = _examined(arrived.raw or b"", arrived)
        with transaction():
            row = session.scalars(_ROW, {"id": inbox_id}).one()
            if row.state == "new":
                row.verdict = _verdict(row, found.reading, found.report, found.authentication)
                row.checked = str(found.authentication) or None
                row.state = "aside" if row.verdict == postmaster.KEPT else "done"
    except Unavailable:
        raise  # no fault of the mail's, which is read when the database is back
    except TooCostly:
        _set_aside(inbox_id)
        return False
    except Exception as error:  # noqa: BLE001 the next mail must be read whatever this one did
        log.error("inbox row %s failed: %s", inbox_id, fault(error))
        _failed(inbox_id)
    return True


def _examined(raw: bytes, arrived: Any) -> Examination:
    at = int(arrived.received_at.timestamp())
    handover = Handover(arrived.sender, arrived.peer, reply_addresses.bare(arrived.recipient), at)
    authserv_id = runtime().settings.authserv_id
    return examiner().examine(raw, handover, _look_ups, marker=MARKER, authserv_id=authserv_id)


def _look_ups(domain: str) -> Ask:
    """Return the look-ups for a mail whose From is in `domain`."""
    return runtime().dns.for_mail_from(domain, now(), runtime().monotonic)


def _verdict(row: Incoming, reading: Reading, report: Report, authentication: Authentication) -> str:
    if reply_addresses.is_operators(row.recipient):
        return _to_operator(row, reading, report)
    if reading.kind in (Kind.BOUNCE, Kind.COMPLAINT):
        if _note_first_time(row, reading):
            bounce_handling.act(row, reading.kind, report)
        return reading.kind
    if reading.kind != Kind.LOOP and unsubscribe_mails.unsubscribe_if_asked(row, reading):
        return "stopped"
    if reading.kind != Kind.HUMAN:
        return reading.kind
    if not _note_first_time(row, reading):
        return "duplicate"
    if not authentication.is_failing:
        deliverability.record_mail_from(reading.from_addresses)
    return dispatch.obey(row, reading, authentication)


def _to_operator(row: Incoming, reading: Reading, report: Report) -> str:
    if not postmaster.may_be_passed_on(row):
        return postmaster.KEPT
    if not _note_first_time(row, reading):
        return "duplicate"
    if reading.kind in (Kind.BOUNCE, Kind.COMPLAINT):  # some servers report to these addresses alone
        bounce_handling.act(row, reading.kind, report)
    return postmaster.pass_on(row, reading)


def _note_first_time(row: Incoming, reading: Reading) -> bool:
    """Note this mail by its Message-ID, or by its bytes if it has none; return True if it was not noted before."""
    identity = reading.message_id or row.digest
    mark = runtime().keyring.fingerprint(f"{row.recipient.lower()}\0{identity}".encode())
    return insert_new(Seen, {"fingerprint": mark, "inbox_id": row.id})


def _set_aside(inbox_id: str) -> None:
    """Set aside a mail that costs too much to read: it would cost as much the next time."""
    with transaction():
        row = session.scalars(_ROW, {"id": inbox_id}).one()
        if row.state == "new":
            row.state, row.verdict = "aside", "too-costly"


def _failed(inbox_id: str) -> None:
    with transaction():
        row = session.scalars(_ROW, {"id": inbox_id}).one()
        row.attempts += 1
        if row.attempts >= MOST_ATTEMPTS:
            row.state, row.verdict = "aside", "failed"
