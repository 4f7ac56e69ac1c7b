"""Read the mails that `application/mail/arrivals.py` stored, each in a transaction of its own."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, Subquery, and_, bindparam, case, false, func, literal, select, tuple_
from sqlalchemy.orm import defer

from server.application.game import reply_addresses
from server.application.limits import quotas
from server.application.mail import arrivals
from server.application.people.accounts import deliverability
from server.application.time import outages
from server.mail import cannot_be_read, postmaster
from server.mail.commands import dispatch
from server.mail.commands.request import player_in_from
from server.mail.examination.examine import Examination
from server.mail.examination.supervisor import CannotRead, TooCostly, examiner
from server.mail.reading.message import Kind, Reading
from server.mail.reading.quoting import MARKER
from server.mail.trust import bounce_handling, unsubscribe_mails
from server.mail.trust.bounce_reports import Report
from server.mail.trust.mail import Ask, Handover
from server.mail.trust.results import Authentication
from server.models import (
    NEW,
    Incoming,
    Quota,
    Seen,
    Unavailable,
    execute,
    insert_new,
    leases,
    rows,
    session,
    transaction,
)
from server.models.leases import AT
from server.runtime import now, runtime
from server.runtime.faults import fault, is_of_machine
from server.vocabulary import limits

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # that are the mail's own fault
LONGEST_PAUSE = timedelta(minutes=5)  # between two attempts while this machine can read no mail
MOST_OF_A_TEST = 20_000  # bytes
PAGE = 100  # mails of a game
ANSWERS_FOR_ONE_OTHER = 4  # mails to reply addresses that are read for one that came to any other address
_ARRIVED = select(Incoming.raw, Incoming.sender, Incoming.recipient, Incoming.received_at)
_ARRIVED = _ARRIVED.where(Incoming.id == bindparam("id"))
_BY_ARRIVAL = (Incoming.received_at, Incoming.id)
_IN_TIME = (Incoming.state == NEW, Incoming.game_id == bindparam("game"), Incoming.received_at <= bindparam("until"))
_ONE_OF_GAME = select(Incoming.id).where(*_IN_TIME).limit(1)
# What somebody wrote to a game after a mail that is tried again waits behind it, or an older word would undo it.
_AGAIN = select(Incoming.game_id, Incoming.sender).where(
    Incoming.state == NEW, Incoming.not_before > AT, Incoming.game_id.is_not(None)
)
_IS_BEHIND = tuple_(Incoming.game_id, Incoming.sender).in_(_AGAIN)
_OF_GAME = select(Incoming.id).where(*_IN_TIME, ~_IS_BEHIND).order_by(*_BY_ARRIVAL).limit(bindparam("most"))
_ROW = select(Incoming).where(Incoming.id == bindparam("id")).with_for_update()
_ROW = _ROW.options(defer(Incoming.raw))  # what was read of it is enough


def _in_turn() -> Select[str]:
    """Return the query for waiting mails in an order that no flood can push an answer out of.

    Games take turns at the reply addresses, and within each of them mails keep the order in which they came. At all
    other addresses the providers that mails come from take turns, within each of these the networks, and within each of
    these the senders; a provider whose mails took up much of the time of reading comes behind all others. While answers
    wait, few other mails are read; some are, so that a flood of answers cannot keep out everybody else.
    """
    is_other = Incoming.game_id.is_(None)
    whose = case((is_other, Incoming.sender), else_=Incoming.game_id)
    parts = (is_other.label("is_other"), Incoming.game_id, Incoming.provider, Incoming.network, whose.label("whose"))
    columns = (Incoming.id, Incoming.received_at, literal(1).label("turn"), *parts)
    waiting = select(*columns).where(*arrivals.to_read(AT), is_other | ~_IS_BEHIND).subquery()
    for level in ("whose", "network", "provider"):
        waiting = _with_turns(waiting, level)
    mail = waiting.c
    used = (Quota.purpose == limits.READING.what, Quota.begin == bindparam("hour"), Quota.branch == mail.provider)
    is_slow = func.coalesce(Quota.amount > limits.READING.plenty, false())
    place = func.row_number().over(partition_by=mail.is_other, order_by=(is_slow, mail.turn, mail.received_at, mail.id))
    weighted = place * case((mail.is_other, ANSWERS_FOR_ONE_OTHER), else_=1)
    query = select(mail.id).outerjoin_from(waiting, Quota, and_(*used))
    return query.order_by(weighted, mail.is_other, mail.id).limit(bindparam("most"))


def _with_turns(waiting: Subquery, level: str) -> Subquery:
    """Return the waiting mails with the turn of each within its game, or within its branch at this level."""
    levels = ("game_id", "provider", "network", "whose")
    parts = [waiting.c[name] for name in levels[: levels.index(level) + 1]]
    turn = func.row_number().over(partition_by=parts, order_by=(waiting.c.turn, waiting.c.received_at, waiting.c.id))
    kept = [column for column in waiting.c if column.name != "turn"]
    return select(*kept, turn.label("turn")).subquery()


_IN_TURN = _in_turn()


def process_waiting(limit: int = 100, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Read a batch of waiting mails in a fair order, see `_in_turn`; return how many were looked at.

    0 also if no mail can be read now. `is_stopping` is called before each mail; if it returns True the others are left
    to wait.
    """
    waiting = rows(_IN_TURN, most=limit, at=now(), hour=limits.READING.begin(now()))
    for number, row in enumerate(waiting, 1):
        if is_stopping():
            return number - 1
        try:
            if not _process(row.id):
                return number
        except CannotRead:
            return 0
    return len(waiting)


def read_of_game(game_id: str, until: datetime, page: int = PAGE) -> bool:
    """Read the mails of a game that were received by `until`, the oldest first; return False if one waits still.

    It waits for its next attempt, or as no mail can be read now, or behind such a mail of the same sender. `page` mails
    are asked for at a time.
    """
    given = {"game": game_id, "until": until}
    while readable := rows(_OF_GAME, **given, at=now(), most=page):
        try:
            for row in readable:
                if not _process(row.id):
                    break  # what its author wrote later may have to wait behind it
        except CannotRead:
            return False
    return not rows(_ONE_OF_GAME, **given)


def _process(inbox_id: str) -> bool:
    """Read one mail; return False if the batch is to be asked for again, as time has passed or the mail waits.

    Raises:
        CannotRead: if no mail can be read now; then this one is tried again later.
    """
    try:
        # Read before the transaction: what a retried transaction does twice must not cost twice.
        (arrived,) = rows(_ARRIVED, id=inbox_id)
        began = runtime().monotonic()
        found = _examined(arrived.raw or b"", arrived)
        took = runtime().monotonic() - began
        with transaction():
            row = session.scalars(_ROW, {"id": inbox_id}).one()
            if row.state == "new":
                row.verdict = _verdict(row, found.reading, found.report, found.authentication)
                row.checked = str(found.authentication) or None
                row.state = "aside" if row.verdict == postmaster.KEPT else "done"
                _credit_wait(row)
                _note_reading(row, found, len(arrived.raw or b""), took)
    except Unavailable:
        raise  # no fault of the mail's, which is read when the database is back
    except CannotRead as error:
        log.error("no mail can be read: %s", error)
        _postpone(inbox_id)
        raise
    except TooCostly:
        _set_aside(inbox_id, "too-costly", runtime().monotonic() - began)
        return False
    except Exception as error:  # noqa: BLE001 the next mail must be read whatever this one did
        log.error("inbox row %s failed: %s", inbox_id, fault(error))
        if is_of_machine(error):
            _postpone(inbox_id)
        else:
            _failed(inbox_id)
        return False
    return True


def _examined(raw: bytes, arrived: Any) -> Examination:
    at = int(arrived.received_at.timestamp())
    handover = Handover(arrived.sender, reply_addresses.bare(arrived.recipient), at)
    authserv_id = runtime().settings.authserv_id
    examination = examiner().examine(raw, handover, _look_ups, marker=MARKER, authserv_id=authserv_id)
    if runtime().settings.believes_senders:
        examination = replace(examination, authentication=Authentication(by="nobody"))
    return examination


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
    return execute(insert_new(Seen), {"fingerprint": mark, "inbox_id": row.id}).first() is not None


def _postpone(inbox_id: str) -> None:
    """Try a mail again later, as often as it takes: this machine could not read it."""
    with transaction():
        row = session.scalars(_ROW, {"id": inbox_id}).one()
        row.postponed += 1
        row.not_before = leases.back_off(row.postponed, LONGEST_PAUSE)


def _note_reading(row: Incoming, found: Examination, size: int, took: float) -> None:
    """Note what it took to read a mail, and drop its bytes if they need not be kept."""
    is_of_stranger = arrivals.branch_of(row) is not None  # only then the player is asked for, which takes a statement
    is_proven = is_of_stranger and found.authentication.is_proven and player_in_from(found.reading) is not None
    is_report = row.verdict == Kind.LOOP and size <= MOST_OF_A_TEST  # our own test mail is looked for in the inbox
    is_needed = row.state == "aside" or row.verdict == postmaster.PASSED_ON or is_report
    arrivals.was_read(row, size, took, is_proven=is_proven, is_needed=is_needed)


def _failed(inbox_id: str) -> None:
    """Try a mail again later that failed by itself, or set it aside when it has done so too often."""
    with transaction():
        row = session.scalars(_ROW, {"id": inbox_id}).one()
        row.attempts += 1
        row.not_before = leases.back_off(row.attempts)
        if row.attempts >= MOST_ATTEMPTS:
            _set_aside(inbox_id, "failed")


def _set_aside(inbox_id: str, verdict: str, took: float = 0.0) -> None:
    """Set a mail aside that cannot be read, and tell the holder of its reply address.

    The seconds that it `took` count for where it came from, unless that is a reply address.
    """
    with transaction():
        row = session.scalars(_ROW, {"id": inbox_id}).one()
        if row.state == "new":
            row.state, row.verdict = "aside", verdict
            cannot_be_read.tell_holder(row)
            _credit_wait(row)
            if took and (branch := arrivals.branch_of(row)) is not None:
                quotas.record_use(limits.READING, branch, round(took * 1000))


def _credit_wait(row: Incoming) -> None:
    """Credit a game that waited for a mail beyond a deadline with the time in which this machine could not read it."""
    if row.postponed and row.game_id is not None:
        outages.credit_wait(row.game_id, row.received_at)
