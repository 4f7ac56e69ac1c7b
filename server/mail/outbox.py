"""The sender of the outbox: lease waiting rows, compose each as of its event, send it, and record the result."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import aliased

from server.application import leases
from server.application.catalogues.mails import mails
from server.application.game import reply_addresses
from server.application.leases import AT, Lease
from server.application.mail import digest_queue, digest_watermark
from server.application.people.accounts import deliverability
from server.application.time import outages
from server.faults import fault, is_of_machine
from server.mail.composing import Failure, Merged, Outcome, load, outcomes_of
from server.mail.transport.smtp_client import SendingFailure, Transport
from server.mail.writing import digest, merging
from server.mail.writing.compose import Composed
from server.models import PENDING, Outgoing, execute, rows, session, table_of, transaction, wake_outbox, when_committed
from server.runtime import now, runtime
from server.runtime.address_marks import address_mark

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=5)
BATCH = 20  # mails that are composed together
MOST_TRIALS = 20  # mails that are tried for one that can be sent as a trial
MOST_HELD_UP = 3  # attempts of a mail for which later ones of the game wait: some minutes
_FIRST_KINDS = mails(lambda kind: kind.order == "first")
_LAST_KINDS = mails(lambda kind: kind.order == "last")
RESERVED_FOR_FIRST = 0.2  # of a MAIL_LIMIT
SETTLED_WITHIN = 0.1  # seconds until a mail that was taken is recorded as sent
_OUTBOX = table_of(Outgoing)
# The rows among `ids` whose leases are still held.
_ARE_MINE = (
    _OUTBOX.c.id.in_(bindparam("ids", expanding=True)), _OUTBOX.c.fence.in_(bindparam("fences", expanding=True)),
    _OUTBOX.c.state == PENDING,
)  # fmt: skip
_MINE = select(_OUTBOX.c.id, _OUTBOX.c.kind, _OUTBOX.c.player_id).where(*_ARE_MINE)
_RELEASE = update(_OUTBOX).where(*_ARE_MINE).values(not_before=bindparam("at"), fence=None)
_MARK_SENT = update(_OUTBOX).where(*_ARE_MINE)
_MARK_SENT = _MARK_SENT.values(state="sent", sent_at=bindparam("at"), message=None, details=None, error=None)
_ONE = update(_OUTBOX).where(_OUTBOX.c.id == bindparam("row"))
_KEEP = _ONE.values(
    message=bindparam("mail"), recipient=bindparam("mark"), fence=bindparam("holder"), not_before=bindparam("until")
)  # fmt: skip
_TELL = _ONE.values(state="gathered", told_in=bindparam("by"), message=None, details=None, fence=None)
_SETTLE = _ONE.values(state=bindparam("word"), message=None, details=None)


@dataclass(frozen=True)
class _Waiting:
    """A row that is due; with the fence of its lease, or None if it is leased when its mail is stored."""

    id: str
    fence: str | None


class _Mine(NamedTuple):
    """A row that this process may write: columns of `server.models.Outgoing`."""

    id: str
    kind: str
    player_id: str | None


def send_waiting(transport: Transport, limit: int = BATCH) -> int:
    """Send the mails that are due, and return how many rows were looked at.

    1. Find the rows that are due. A full batch is leased now, because other workers may look for work too. A few mails
       are leased only when they are stored, which costs one transaction less; so another worker may compose them in
       vain.
    2. Compose each mail, outside any transaction: no move waits for it.
    3. Store the mails, so that every attempt sends the same bytes.
    4. Send each, and record the results.
    """
    waiting = _find(limit)
    _send_all(_store(_compose_all(waiting)), transport)
    transport.close()
    return len(waiting)


# The queue ----------------------------------------------------------------------------------------

_IN_ORDER = (Outgoing.created_at, Outgoing.event, Outgoing.id)


def _is_behind_another() -> ColumnElement[bool]:
    """Return the condition that an earlier mail of the same game to the same player will soon be tried again.

    One that fails again and again does not hold up the others.
    """
    before = aliased(Outgoing)
    query = select(before.id).where(
        before.game_id == Outgoing.game_id, before.player_id == Outgoing.player_id, before.state == PENDING,
        before.fence.is_not(None), before.not_before > leases.AT, before.attempts <= MOST_HELD_UP,
        (before.created_at < Outgoing.created_at)
        | ((before.created_at == Outgoing.created_at) & (before.event < Outgoing.event)),
    )  # fmt: skip
    return query.exists()


_QUEUE, _FIRST, _OTHERS, _LAST = (
    leases.Queue(
        Outgoing, Outgoing.state == PENDING, ~_is_behind_another(), *which, length=LEASE, order=_IN_ORDER
    )
    for which in (
        (), (Outgoing.kind.in_(_FIRST_KINDS),), (Outgoing.kind.not_in(_FIRST_KINDS + _LAST_KINDS),),
        (Outgoing.kind.in_(_LAST_KINDS),),
    )
)  # fmt: skip


# One of these is sent to find out if a relay that was out takes mail again, best one that it has not refused.
_TRIAL = leases.Queue(
    Outgoing, Outgoing.state == PENDING, ~_is_behind_another(), length=LEASE,
    order=(Outgoing.refused_at.is_not(None), Outgoing.player_id.is_(None), Outgoing.not_before),
    early=(Outgoing.attempts > 0) & (Outgoing.fence.is_(None) | (Outgoing.fence == leases.TRIED)),
)  # fmt: skip


_OF_SAME_READER = (
    Outgoing.player_id.in_(bindparam("players", expanding=True)),
    Outgoing.game_id.in_(bindparam("games", expanding=True)), Outgoing.message.is_(None),
)  # fmt: skip
# What could be told in the mails of a full batch, and is not in it.
_COMPANIONS = select(Outgoing.id).where(*_OF_SAME_READER, Outgoing.kind.in_(merging.KINDS), *_QUEUE.due)
# The answers that wait for such a mail, which may be told before they are due.
_IS_EARLY = and_(
    Outgoing.kind.in_(merging.ANSWERS), Outgoing.state == PENDING, Outgoing.fence.is_(None), Outgoing.not_before > AT
)
_EARLY = select(Outgoing.id).where(*_OF_SAME_READER, _IS_EARLY)
# The rows among `ids` that are leased to nobody yet, and may be sent.
_STILL_WAITING = select(Outgoing.id, Outgoing.kind, Outgoing.player_id).where(
    Outgoing.id.in_(bindparam("ids", expanding=True)), or_(and_(*_QUEUE.due), _IS_EARLY)
).with_for_update(skip_locked=True)  # fmt: skip


def _find(limit: int) -> list[_Waiting]:
    """Return at most `limit` rows that are due, leased if there are as many."""
    session.close()  # nothing read before is used
    if runtime().settings.mail_limit is not None:
        return _as_leased(_lease_within_the_limit(limit))
    due = _QUEUE.look(limit)
    if len(due) == limit:
        return _as_leased(_QUEUE.take(limit))
    return [_Waiting(row_id, None) for row_id in due]


def _as_leased(leases_: Sequence[Lease]) -> list[_Waiting]:
    return [_Waiting(lease.id, lease.fence) for lease in leases_]


def _lease_within_the_limit(limit: int) -> list[Lease]:
    """Lease at most `limit` mails, the first kinds first, for which a part of the `MAIL_LIMIT` is reserved."""
    rate = runtime().settings.mail_limit
    assert rate is not None
    sent = select(func.count()).select_from(Outgoing).where(Outgoing.sent_at > now() - rate.window)
    left = rate.most - (session.scalar(sent) or 0)
    first = _FIRST.take(min(limit, left))
    others = min(limit, left - int(rate.most * RESERVED_FOR_FIRST)) - len(first)
    taken = first + _OTHERS.take(others)
    return taken or _LAST.take(others)


# Sending and its results ---------------------------------------------------------------------------


def _send_all(mails: Sequence[tuple[Lease, Composed]], transport: Transport) -> None:
    """Send each mail; record those that were taken together, or soon where the relay is slow.

    Whatever fails at one mail, those before it are not sent again. Once the relay turns out to be out, the others are
    put back.
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
            if not leases.holds(leased):
                continue  # this process was taken for dead, and another one sends it
            failure = _send(leased, composed, transport)
            if failure is None:
                taken.append(leased)
            else:
                done, taken = taken, []
                _mark_sent(done)  # first: a mail that was taken ends a row of refusals
                _record_failure(leased, failure)
                is_out = outages.is_relay_out()
                if composed.thread:
                    failed.add(composed.thread)
            if monotonic() > settled + SETTLED_WITHIN:
                done, taken = taken, []
                _mark_sent(done)
                settled = monotonic()
    finally:
        _mark_sent(taken)


def is_taken_again(transport: Transport) -> bool:
    """Send one mail as a trial; return True if the relay takes mail again, or no mail waits.

    A mail that is refused because the relay is out uses up no attempt.
    """
    for _ in range(MOST_TRIALS):
        held = _TRIAL.take(1)
        if not held:
            return True
        for leased, composed in _store(_compose_all(_as_leased(held))):
            if not leases.holds(leased):
                return False
            failure = _send(leased, composed, transport)
            transport.close()
            if failure is None:
                _mark_sent([leased])
            elif failure.for_all or deliverability.refuses_everybody():
                _put_back(leased)
                return False
            else:
                _record_failure(leased, failure)
            return True
    return False


def _put_back(leased: Lease) -> None:
    """Release a mail, to be sent after those before it."""
    with transaction():
        execute(_RELEASE, {"ids": [leased.id], "fences": [leased.fence], "at": now()})


def _mark_sent(taken: Sequence[Lease]) -> None:
    if taken:
        ids, fences = _of(taken)
        with transaction():
            execute(_MARK_SENT, {"ids": ids, "fences": fences, "at": now()})
            deliverability.clear_refusals()


def _send(leased: Lease, composed: Composed, transport: Transport) -> SendingFailure | None:
    """Return why the mail was not taken; None if it was."""
    try:
        transport.send(composed.message, composed.sender, composed.recipient)
    except SendingFailure as failure:
        return failure
    except Exception as error:  # noqa: BLE001 one mail must not hold up the others
        log.error("outbox row %s failed: %s", leased.id, fault(error))
        sentence = f"could not be handed over ({type(error).__name__})"
        return SendingFailure(sentence, lasting=False, for_all=is_of_machine(error))
    return None


def _record_failure(leased: Lease, failure: SendingFailure) -> None:
    has_lease = _retry(leased, str(failure), lasting=failure.lasting, for_all=failure.for_all)
    if failure.for_all or (failure.lasting and has_lease and deliverability.record_refusal(leased.id)):
        outages.record_relay_failure()
    if failure.no_reader:
        deliverability.record_bounce(leased.id, lasting=True)
    elif failure.is_full and has_lease:
        deliverability.record_full(leased.id)


def _compose_all(waiting: Sequence[_Waiting]) -> list[tuple[_Waiting, Outcome]]:
    """Compose each mail, or find what becomes of its row instead."""
    if not waiting:
        return []
    by_id = load([found.id for found in waiting])
    if any(found.fence is not None for found in waiting):  # else all that is due is here
        companions = _companions(_COMPANIONS, [row for row in by_id.values() if merging.may_be_merged(row)])
        waiting = [*waiting, *companions]
        by_id |= load([found.id for found in companions]) if companions else {}
    early = _companions(_EARLY, [row for row in by_id.values() if row.kind in merging.WHOLE])
    by_id |= load([found.id for found in early]) if early else {}
    outcomes = outcomes_of(list(by_id.values()))
    composed = [(found, outcomes[found.id]) for found in waiting if found.id in outcomes]
    composed += [(found, told) for found in early if isinstance(told := outcomes.get(found.id), Merged)]
    session.close()  # cheaper than to expire the games row by row
    for found, outcome in composed:
        if outcome == "suppressed" and by_id[found.id].kind in ("invitation", "withheld"):
            deliverability.record_unsent_invitation(found.id)
    return composed


def _companions(which: Select[Any], here: Collection[Outgoing]) -> list[_Waiting]:
    """Return the rows of `which` that can be told in these mails of the batch; they are leased to nobody yet."""
    players, games = {row.player_id for row in here}, {row.game_id for row in here}
    if not here:
        return []
    found = rows(which, players=list(players), games=list(games), at=now())
    return [_Waiting(row.id, None) for row in found if row.id not in {leased.id for leased in here}]


def _store(composed: list[tuple[_Waiting, Outcome]]) -> list[tuple[Lease, Composed]]:
    """Store composed mails with the reply tokens printed in them; return those to be sent, which are leased then."""
    if not composed:
        return []
    claim = _QUEUE.claim()
    with transaction():
        mine = {row.id: row for row in _still_mine([found for found, _ in composed])}
        torn = _release_torn(composed, mine)
        held: list[tuple[Lease, Composed | str]] = []
        told = []
        for found, outcome in composed:
            if found.id not in mine or found.id in torn:
                continue
            if isinstance(outcome, Merged):
                told.append({"row": found.id, "by": outcome.by})
                continue
            if isinstance(outcome, Failure):
                row = session.get_one(Outgoing, found.id)
                _schedule_retry(row, outcome.error, lasting=outcome.lasting, for_all=outcome.is_of_machine)
            else:
                held.append((Lease(found.id, claim.fence), outcome))
        execute(_TELL, told)
        for_digests = [mine[leased.id] for leased, _ in held if mine[leased.id].kind == digest_watermark.DIGEST]
        to_hold = [mine[leased.id] for leased, outcome in held if outcome == "held"]
        if for_digests or to_hold:
            held = _gather(held, for_digests, to_hold)
        to_send = [(leased, outcome) for leased, outcome in held if isinstance(outcome, Composed)]
        execute(_SETTLE, [{"row": leased.id, "word": word} for leased, word in held if isinstance(word, str)])
        execute(_KEEP, [
            {"row": leased.id, "mail": outcome.message, "mark": address_mark(outcome.recipient),
             "holder": claim.fence, "until": claim.until}
            for leased, outcome in to_send
        ])  # fmt: skip
        printed = [token for _, outcome in to_send for token in (outcome.token, *outcome.others)]
        reply_addresses.store(token for token in printed if token)
    return to_send


def _still_mine(found: Sequence[_Waiting]) -> list[_Mine]:
    """Return the rows that are still leased to this process, or to nobody, as they were found."""
    fences = {waiting.fence for waiting in found if waiting.fence is not None}
    leased, free = [w.id for w in found if w.fence is not None], [w.id for w in found if w.fence is None]
    mine = [
        *(rows(_MINE, ids=leased, fences=list(fences)) if leased else ()),
        *(rows(_STILL_WAITING, ids=free, at=now()) if free else ()),
    ]
    return [_Mine(*tuple(row)) for row in mine]


def _release_torn(composed: Sequence[tuple[_Waiting, Outcome]], mine: Collection[str]) -> set[str]:
    """Release the rows of mails that were to be one, of which another process took a part; return their ids.

    They are composed again, each with what is left.
    """
    parts = [{found.id, outcome.by} for found, outcome in composed if isinstance(outcome, Merged)]
    senders = {outcome.by for _, outcome in composed if isinstance(outcome, Merged)}
    lost = {by for by in senders for part in parts if by in part and not part <= set(mine)}
    torn = {row_id for part in parts for row_id in part if part & lost}
    if torn:
        fences = [found.fence for found, _ in composed if found.fence is not None]
        execute(_RELEASE, {"ids": list(torn), "fences": fences, "at": now()})
        when_committed(wake_outbox)
    return torn


def _gather(
    held: Sequence[tuple[Lease, Composed | str]], for_digests: Sequence[_Mine], to_hold: Sequence[_Mine]
) -> list[tuple[Lease, Composed | str]]:
    """Hold mails back for digests, and record what the digests among them tell; return the others, and these digests.

    A digest whose content has changed meanwhile is composed again at once.
    """
    readers = {str(row.player_id) for row in for_digests}
    digest_queue.lock(readers | {str(row.player_id) for row in to_hold})
    digests, waiting = {row.id for row in for_digests}, {row.id for row in to_hold}
    others = []
    for leased, outcome in held:
        row = session.get_one(Outgoing, leased.id) if leased.id in digests | waiting else None
        if row is not None and leased.id in digests and not digest.store(row, outcome):
            row.fence, row.not_before = None, now()
            when_committed(wake_outbox)
        elif row is not None and leased.id in waiting:
            digest_queue.hold(row)
        else:
            others.append((leased, outcome))
    for player_id in readers:
        digest_queue.schedule_next(player_id)
    return others


def _retry(leased: Lease, error: str, *, lasting: bool, for_all: bool = False) -> bool:
    """Schedule the next attempt of a mail; return False when another worker has the lease by now."""
    with transaction():
        row = session.get_one(Outgoing, leased.id)
        if row.fence != leased.fence or row.state != "pending":
            return False
        _schedule_retry(row, error, lasting=lasting, for_all=for_all)
    return True


def _schedule_retry(row: Outgoing, error: str, *, lasting: bool, for_all: bool = False) -> None:
    """Schedule the next attempt, each pause about twice as long; declare the mail dead when that is no use.

    No mail dies of a relay that is out, or of what this machine lacks (`for_all`): such an attempt is counted only as
    long as it holds up later mails.
    """
    if not for_all or row.attempts <= MOST_HELD_UP:
        row.attempts += 1
    row.error = error[:200]
    row.not_before, row.fence = leases.back_off(row.attempts), leases.TRIED
    if lasting or (row.attempts >= deliverability.MOST_ATTEMPTS and not for_all):
        row.state = "dead"


def _of(held: Sequence[Lease]) -> tuple[list[str], list[str]]:
    """Return the ids of leased rows, and their fences."""
    return [leased.id for leased in held], list({leased.fence for leased in held})
