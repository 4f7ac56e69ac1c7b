"""The sender: takes waiting rows, renders each as of its event, hands it over, says what became of it."""

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.orm import aliased, joinedload, selectinload

from server.application import leases
from server.application.accounts import deliverability
from server.application.game import reply_addresses
from server.application.game.as_of import AsOf, as_of
from server.application.leases import Lease
from server.application.news import digest_queue, digest_watermark
from server.application.people.address_marks import address_mark
from server.application.time import outages
from server.faults import fault
from server.mail.transport.smtp_client import SendingFailure, Transport
from server.mail.writing import compose, digest
from server.mail.writing.compose import Composed
from server.mail.writing.disposition import disposition
from server.mail.writing.mime import UnsafeMail
from server.models import Game, Outgoing, Unavailable, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=5)
BACK_OFF = timedelta(seconds=30)
LONGEST_BACK_OFF = timedelta(hours=4)
MOST_ATTEMPTS = 24
MOST_TRIALS = 20  # mails that are looked at for one that can be sent for trial
MOST_HELD_UP = 3  # attempts of a mail for which later ones of the game wait: some minutes
# A turn, or an account, hangs on these: with a MAIL_LIMIT they go first, and a fifth of it is kept for them.
FIRST = (
    "turn", "go", "started", "granted", "returned", "overdue", "reminder", "reinstated", "repaired", "substituted",
    "code", "address", "digest",
)  # fmt: skip
KEPT_FOR_TURNS = 0.2
_UNLOADED = {"synchronize_session": False}  # no object of the session is changed besides
SETTLED_WITHIN = 0.1  # seconds in which a mail that was handed over is known to have been
# What mails are written from; each game once, however many of a batch are about it.
_ALL_OF_IT = select(Outgoing).where(Outgoing.id.in_(bindparam("ids", expanding=True)))
_ALL_OF_IT = _ALL_OF_IT.options(
    joinedload(Outgoing.player), joinedload(Outgoing.wish), joinedload(Outgoing.told),
    selectinload(Outgoing.game).selectinload(Game.seats),
)  # fmt: skip


def send_waiting(transport: Transport, limit: int = 20) -> int:
    """Send what is due; how many rows were looked at.

    A batch is leased, written, and stored as written, so that every attempt sends the same bytes; then each mail is
    handed over by itself. Mails are written outside any transaction: nobody's move waits for them.
    """
    held = _leased(limit)
    _hand_over_all(_store(_written(held)), transport)
    transport.close()
    return len(held)


# Which are sent, and in which order ----------------------------------------------------------------

# What happened first is told first.
_IN_ORDER = (Outgoing.created_at, Outgoing.event, Outgoing.id)


def _is_behind_another() -> ColumnElement[bool]:
    """Whether a mail of the same game to the same player came before, and is tried again in a moment.

    One that fails again and again does not hold up the others for as long.
    """
    before = aliased(Outgoing)
    query = select(before.id).where(
        before.game_id == Outgoing.game_id, before.player_id == Outgoing.player_id, before.state == "pending",
        before.fence.is_not(None), before.not_before > leases.AT, before.attempts <= MOST_HELD_UP,
        (before.created_at < Outgoing.created_at)
        | ((before.created_at == Outgoing.created_at) & (before.event < Outgoing.event)),
    )  # fmt: skip
    return query.exists()


_QUEUE, _FIRST, _OTHERS = (
    leases.Queue(
        Outgoing, Outgoing.state == "pending", ~_is_behind_another(), *which, length=LEASE, order=_IN_ORDER
    )
    for which in ((), (Outgoing.kind.in_(FIRST),), (Outgoing.kind.not_in(FIRST),))
)  # fmt: skip


# One of these is sent to see whether a relay that was out takes mail again. Those it has not refused come first.
_TRIAL = leases.Queue(
    Outgoing, Outgoing.state == "pending", ~_is_behind_another(), length=LEASE,
    order=(Outgoing.refused_at.is_not(None), Outgoing.player_id.is_(None), Outgoing.not_before),
    early=(Outgoing.attempts > 0) & (Outgoing.fence.is_(None) | (Outgoing.fence == leases.TRIED)),
)  # fmt: skip


def _leased(limit: int) -> list[Lease]:
    """At most `limit` mails; with a `MAIL_LIMIT` those first that turns hang on, for which a part of it is kept."""
    rate = runtime().settings.mail_limit
    if rate is None:
        return _QUEUE.take(limit)
    sent = select(func.count()).select_from(Outgoing).where(Outgoing.sent_at > now() - rate.window)
    left = rate.most - (session.scalar(sent) or 0)
    first = _FIRST.take(min(limit, left))
    others = min(limit, left - int(rate.most * KEPT_FOR_TURNS)) - len(first)
    return first + _OTHERS.take(others)


# What becomes of them ------------------------------------------------------------------------------


def _hand_over_all(mails: Sequence[tuple[Lease, Composed]], transport: Transport) -> None:
    """Each by itself. Those that were taken are settled together, at once where the other side takes its time.

    Whatever fails with one of them, those before it are not sent again. Those behind one for which the relay turned out
    to be out are put back.
    """
    monotonic = runtime().monotonic
    failed: set[tuple[str, str]] = set()
    taken: list[Lease] = []
    settled = monotonic()
    is_out = False
    try:
        for leased, composed in mails:
            if is_out or composed.thread in failed:
                _put_back(leased)
                continue
            failure = _hand_over(leased, composed, transport)
            if failure is None:
                taken.append(leased)
            else:
                done, taken = taken, []
                _sent(done)  # first: a mail that was taken ends a row of refusals
                _failed(leased, failure)
                is_out = outages.is_relay_out()
                if composed.thread:
                    failed.add(composed.thread)
            if monotonic() > settled + SETTLED_WITHIN:
                done, taken = taken, []
                _sent(done)
                settled = monotonic()
    finally:
        _sent(taken)


def is_taken_again(transport: Transport) -> bool:
    """Send one mail, to see whether the relay takes mail again; return True as well where none waits.

    A mail that is refused uses up no attempt by this, as long as it is the relay that is out.
    """
    for _ in range(MOST_TRIALS):
        held = _TRIAL.take(1)
        if not held:
            return True
        for leased, composed in _store(_written(held)):
            failure = _hand_over(leased, composed, transport)
            transport.close()
            if failure is None:
                _sent([leased])
            elif failure.for_all or deliverability.refuses_everybody():
                _put_back(leased)
                return False
            else:
                _failed(leased, failure)
            return True
    return False


def _put_back(leased: Lease) -> None:
    """To be sent when what comes before it has been."""
    _settle([leased], not_before=now(), fence=None)


def _sent(taken: Sequence[Lease]) -> None:
    if taken:
        with transaction():
            _settle(taken, state="sent", sent_at=now(), message=None, details=None, error=None)
            deliverability.clear_refusals()


def _hand_over(leased: Lease, composed: Composed, transport: Transport) -> SendingFailure | None:
    """Return why the mail was not taken; None if it was."""
    try:
        transport.send(composed.message, composed.sender, composed.recipient)
    except SendingFailure as failure:
        return failure
    except Exception as error:  # noqa: BLE001 one mail must not hold up the others
        log.error("outbox row %s failed: %s", leased.id, fault(error))
        return SendingFailure(f"could not be handed over ({type(error).__name__})", lasting=False)
    return None


def _failed(leased: Lease, failure: SendingFailure) -> None:
    is_held = _retry(leased, str(failure), lasting=failure.lasting, for_all=failure.for_all)
    if failure.for_all or (failure.lasting and is_held and deliverability.record_refusal(leased.id)):
        outages.relay_fails()
    if failure.no_reader:
        deliverability.record_bounce(leased.id, lasting=True)


def _written(held: Sequence[Lease]) -> list[tuple[Lease, Composed | str]]:
    """Each mail, or why it is not to be sent; without those that could not be written."""
    if not held:
        return []
    rows = {row.id: row for row in session.scalars(_ALL_OF_IT, {"ids": [leased.id for leased in held]})}
    look = cache(as_of)  # of one event there are several mails
    written = [(leased, outcome) for leased in held if (outcome := _write(leased, rows[leased.id], look)) is not None]
    session.close()  # cheaper than to forget, row by row, what was read of the games
    for leased, outcome in written:
        if outcome == "suppressed" and rows[leased.id].kind in ("invitation", "withheld"):
            deliverability.record_unsent_invitation(leased.id)
    return written


def _write(leased: Lease, row: Outgoing, look: Callable[[Game, int], AsOf]) -> Composed | str | None:
    """The mail, or why it is not to be sent. One that cannot be written must not hold up the others: None."""
    try:
        if row.kind == digest_watermark.DIGEST:
            return digest.compose_digest(row, look)
        state = disposition(row)
        return compose.compose(row, look) if state == "send" else state
    except UnsafeMail as unsafe:
        log.error("outbox row %s is refused: %s", leased.id, unsafe)
        _retry(leased, f"refused: {unsafe}", lasting=True)
    except Unavailable:
        raise  # no fault of the mail's: its lease runs out, and it is written again
    except Exception as error:  # noqa: BLE001 whatever is wrong with this one
        log.error("outbox row %s failed: %s", leased.id, fault(error))
        _retry(leased, f"could not be written ({type(error).__name__})", lasting=False)
    return None


def _store(written: list[tuple[Lease, Composed | str]]) -> list[tuple[Lease, Composed]]:
    """Keep what was written, with the reply tokens printed in it; what of it is still to be sent."""
    if not written:
        return []
    with transaction():
        held = []
        rows = session.scalars(select(Outgoing).where(Outgoing.id.in_([leased.id for leased, _ in written])))
        by_id = {row.id: row for row in rows}
        told_at_once = {str(row.player_id) for row in by_id.values() if row.kind == digest_watermark.DIGEST}
        waiting = {str(by_id[leased.id].player_id) for leased, outcome in written if outcome == "held"}
        digest_queue.lock(told_at_once | waiting)
        for leased, outcome in written:
            row = by_id[leased.id]
            if row.fence != leased.fence or row.state != "pending":
                continue
            if row.kind == digest_watermark.DIGEST and not digest.store(row, outcome):
                row.fence, row.not_before = None, now()  # what it tells has changed meanwhile
                continue
            if outcome == "held":
                digest_queue.hold(row)
                continue
            if isinstance(outcome, str):
                row.state, row.message, row.details = outcome, None, None
                continue
            row.message = outcome.message
            row.recipient = address_mark(outcome.recipient)
            held.append((leased, outcome))
        for player_id in told_at_once:
            digest_queue.schedule_next(player_id)
        printed = [token for _, outcome in held for token in (outcome.token, *outcome.others)]
        reply_addresses.remember(token for token in printed if token)
    return held


def _retry(leased: Lease, error: str, *, lasting: bool, for_all: bool = False) -> bool:
    """Later, each time about twice as late, a little earlier or later than others; dead when it is no use.

    A mail does not die of a relay that is out: `for_all`. False when somebody else has the lease by now.
    """
    with transaction():
        row = session.get_one(Outgoing, leased.id)
        if row.fence != leased.fence or row.state != "pending":
            return False
        row.attempts += 1
        row.error = error[:200]
        pause = min(BACK_OFF * 2 ** min(row.attempts - 1, 16), LONGEST_BACK_OFF)
        row.not_before, row.fence = leases.later(pause), leases.TRIED
        if lasting or (row.attempts >= MOST_ATTEMPTS and not for_all):
            row.state = "dead"
    return True


def _settle(held: Sequence[Lease], **values: object) -> None:
    """Only who still holds the lease, of which each has a fence of its own, may say what became of a mail."""
    ids, fences = zip(*((leased.id, leased.fence) for leased in held), strict=True)
    mine = (Outgoing.id.in_(ids), Outgoing.fence.in_(fences), Outgoing.state == "pending")
    with transaction():
        session.execute(update(Outgoing).where(*mine).values(**values), execution_options=_UNLOADED)
