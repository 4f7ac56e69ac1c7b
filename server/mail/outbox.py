"""The sender of the outbox: lease waiting rows, compose each as of its event, send it, and record the result."""

import logging
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import aliased

from server.application.game import reply_addresses
from server.application.mail import digest_queue, digest_watermark, outgoing
from server.application.mail.outgoing import Mail
from server.application.people.accounts import deliverability
from server.application.time import outages
from server.mail.composing import Failure, Merged, Outcome, outcomes_of
from server.mail.transport.smtp_client import SendingFailure, Transport
from server.mail.writing import digest, merging
from server.mail.writing.compose import Composed
from server.models import (
    PENDING,
    Outgoing,
    execute,
    leases,
    rows,
    session,
    shared_connection,
    table_of,
    transaction,
    wake_outbox,
    when_committed,
)
from server.models.leases import Lease
from server.runtime import now, runtime
from server.runtime.address_marks import address_mark
from server.runtime.faults import fault, is_of_machine
from server.vocabulary.mails import mails

log = logging.getLogger(__name__)
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
_MINE = select(_OUTBOX.c.id).where(*_ARE_MINE)
_RELEASE = update(_OUTBOX).where(*_ARE_MINE).values(not_before=bindparam("at"), fence=None)
_MARK_SENT = update(_OUTBOX).where(*_ARE_MINE)
_MARK_SENT = _MARK_SENT.values(
    state="sent", sent_at=bindparam("at"), message=None, details=None, error=None, refusal=None, fence=None
)
_MARK_SENT = _MARK_SENT.returning(deliverability.HAS_REFUSALS.label("has_refusals"))
_ONE = update(_OUTBOX).where(_OUTBOX.c.id == bindparam("row"))
_KEEP = _ONE.values(
    message=bindparam("mail"), recipient=bindparam("mark"), fence=bindparam("holder"), not_before=bindparam("until")
)  # fmt: skip
_TELL = _ONE.values(state="gathered", told_in=bindparam("by"), message=None, details=None, fence=None)
_SETTLE = _ONE.values(state=bindparam("word"), message=None, details=None, fence=None)
_WRITE_AGAIN = _ONE.values(fence=None, not_before=bindparam("at"))


class _Waiting(NamedTuple):
    """A mail that is due; with the fence of its lease, or None if it is leased when it is stored."""

    mail: Mail
    fence: str | None


_Composed = tuple[_Waiting, Outcome]


def send_waiting(transport: Transport, limit: int = BATCH) -> int:
    """Send the mails that are due, and return how many rows were looked at.

    1. Find the rows that are due. A full batch is leased now, because other workers may look for work too. A few mails
       are leased only when they are stored, which costs one transaction less; so another worker may compose them in
       vain.
    2. Compose each mail, outside any transaction: no move waits for it.
    3. Store the mails, so that every attempt sends the same bytes.
    4. Send each, and record the results.
    """
    session.remove()  # nothing read before is used, and a transaction without a session costs less
    with leases.working():
        with shared_connection():
            waiting = _find(limit)
            composed = _compose_all(waiting)
        _send_all(_store(composed), transport)
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
        Outgoing, Outgoing.state == PENDING, ~_is_behind_another(), *which, order=_IN_ORDER
    )
    for which in (
        (), (Outgoing.kind.in_(_FIRST_KINDS),), (Outgoing.kind.not_in(_FIRST_KINDS + _LAST_KINDS),),
        (Outgoing.kind.in_(_LAST_KINDS),),
    )
)  # fmt: skip


# One of these is sent to find out if a relay that was out takes mail again, best one that it has not refused.
_TRIAL = leases.Queue(
    Outgoing, Outgoing.state == PENDING, ~_is_behind_another(),
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
_EARLY = select(Outgoing.id).where(*_OF_SAME_READER, outgoing.is_early(Outgoing))
# The rows among `ids` that are leased to nobody yet, and may be sent.
_MAY_BE_SENT = or_(and_(*_QUEUE.due), outgoing.is_early(Outgoing))
_STILL_WAITING = select(Outgoing.id).where(Outgoing.id.in_(bindparam("ids", expanding=True)), _MAY_BE_SENT)
_STILL_WAITING = _STILL_WAITING.with_for_update(skip_locked=True)
_DUE = outgoing.SELECT_MAILS.where(*_QUEUE.due).order_by(*_IN_ORDER).limit(leases.MOST)


def _find(limit: int) -> list[_Waiting]:
    """Return at most `limit` mails that are due, leased if there are as many."""
    if runtime().settings.mail_limit is not None:
        return _as_leased(_lease_within_the_limit(limit))
    due = rows(_DUE, at=now(), most=limit)
    if len(due) == limit:
        return _as_leased(_QUEUE.take(limit))
    return [_Waiting(mail, None) for mail in outgoing.mails_of_rows(due).values()]


def _as_leased(leases_: Sequence[Lease]) -> list[_Waiting]:
    fences = {lease.id: lease.fence for lease in leases_}
    return [_Waiting(mail, fences[mail.id]) for mail in outgoing.load(fences).values()]


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
                continue  # this process was stopped for a while, and another one sends it
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
        with leases.working():
            held = _TRIAL.take(1)
            if not held:
                return True
            if to_send := _store(_compose_all(_as_leased(held))):
                leased, composed = to_send[0]
                return leases.holds(leased) and _is_taken(leased, composed, transport)
    return False


def _is_taken(leased: Lease, composed: Composed, transport: Transport) -> bool:
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


def _put_back(leased: Lease) -> None:
    """Release a mail, to be sent after those before it."""
    with transaction():
        execute(_RELEASE, {"ids": [leased.id], "fences": [leased.fence], "at": now()})


def _mark_sent(taken: Sequence[Lease]) -> None:
    runtime().handed_over.update(taken)
    settle()


def settle() -> None:
    """Record the mails as sent that were handed over; those too of which the database was lost before it knew.

    A thread of the worker calls it again and again, as they would be sent once more when their leases have run out.
    """
    if taken := [*runtime().handed_over]:
        fences = list({leased.fence for leased in taken})
        with transaction():
            marked = execute(_MARK_SENT, {"ids": [leased.id for leased in taken], "fences": fences, "at": now()}).all()
            if not marked or marked[0].has_refusals:
                deliverability.clear_refusals()
        runtime().handed_over.difference_update(taken)


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
    log.warning("outbox row %s: %s%s", leased.id, failure, deliverability.remedy(failure.said))
    has_lease = _retry(leased, failure)
    if failure.for_all or (failure.lasting and has_lease and deliverability.record_refusal(leased.id)):
        outages.record_relay_failure()
    if failure.no_reader:
        deliverability.record_bounce(leased.id, lasting=True)
    elif failure.is_full and has_lease:
        deliverability.record_full(leased.id)


def _compose_all(waiting: Sequence[_Waiting]) -> list[_Composed]:
    """Compose each mail, or find what becomes of its row instead."""
    if not waiting:
        return []
    here = [found.mail for found in waiting]
    if any(found.fence is not None for found in waiting):  # else all that is due is here
        here += _companions(_COMPANIONS, here, [mail for mail in here if merging.may_be_merged(mail)])
    early = _companions(_EARLY, here, [mail for mail in here if mail.has_early])
    outcomes = outcomes_of([*here, *early])
    fences = {found.mail.id: found.fence for found in waiting}
    composed = [(_Waiting(mail, fences.get(mail.id)), outcomes[mail.id]) for mail in here]
    composed += [(_Waiting(mail, None), told) for mail in early if isinstance(told := outcomes[mail.id], Merged)]
    session.remove()  # cheaper than to expire what was read, row by row
    for found, outcome in composed:
        if outcome == "suppressed" and found.mail.kind in ("invitation", "withheld"):
            deliverability.record_unsent_invitation(found.mail.id)
    return composed


def _companions(which: Select[Any], here: Sequence[Mail], tellers: Sequence[Mail]) -> list[Mail]:
    """Return the mails of `which` that `tellers` can tell and that are not here; they are leased to nobody yet."""
    if not tellers:
        return []
    players, games = {mail.player_id for mail in tellers}, {mail.game_id for mail in tellers}
    found = rows(which, players=list(players), games=list(games), at=now())
    return [*outgoing.load({row.id for row in found} - {mail.id for mail in here}).values()]


def _store(composed: Sequence[_Composed]) -> list[tuple[Lease, Composed]]:
    """Store composed mails with the reply tokens printed in them; return those to be sent, which are leased then."""
    if not composed:
        return []
    claim = _QUEUE.claim()
    with transaction():
        to_send = _settle_others(composed)
        execute(_KEEP, [_kept(found, outcome, claim) for found, outcome in to_send])
        printed = [token for _, outcome in to_send for token in (outcome.token, *outcome.others)]
        reply_addresses.store(token for token in printed if token)
    held = claim.leases(found.mail.id for found, _ in to_send)
    return [(leased, outcome) for leased, (_, outcome) in zip(held, to_send, strict=True)]


def _kept(found: _Waiting, outcome: Composed, claim: leases.Claim) -> dict[str, object]:
    mark = address_mark(outcome.recipient)
    return {"row": found.mail.id, "mail": outcome.message, "mark": mark, "holder": claim.fence, "until": claim.until}


def _settle_others(composed: Sequence[_Composed]) -> list[tuple[_Waiting, Composed]]:
    """Record what becomes of the rows that are not sent; return the others, which are locked."""
    mine = _still_mine([found for found, _ in composed])
    torn = _release_torn(composed, mine)
    here = [(found, outcome) for found, outcome in composed if found.mail.id in mine and found.mail.id not in torn]
    for found, outcome in here:
        if isinstance(outcome, Failure):
            row = session.get_one(Outgoing, found.mail.id)
            _schedule_retry(row, outcome.error, lasting=outcome.lasting, for_all=outcome.is_of_machine)
    execute(_TELL, [{"row": f.mail.id, "by": told.by} for f, told in here if isinstance(told, Merged)])
    left = _gather([(found, outcome) for found, outcome in here if isinstance(outcome, Composed | str)])
    execute(_SETTLE, [{"row": found.mail.id, "word": word} for found, word in left if isinstance(word, str)])
    return [(found, outcome) for found, outcome in left if isinstance(outcome, Composed)]


def _still_mine(found: Sequence[_Waiting]) -> set[str]:
    """Return the ids of rows that are still leased to this process, or to nobody, as they were found."""
    fences = {waiting.fence for waiting in found if waiting.fence is not None}
    leased, free = [w.mail.id for w in found if w.fence is not None], [w.mail.id for w in found if w.fence is None]
    mine = [
        *(rows(_MINE, ids=leased, fences=list(fences)) if leased else ()),
        *(rows(_STILL_WAITING, ids=free, at=now()) if free else ()),
    ]
    return {row.id for row in mine}


def _release_torn(composed: Sequence[_Composed], mine: Collection[str]) -> set[str]:
    """Release the rows of mails that were to be one, of which another process took a part; return their ids.

    They are composed again, each with what is left.
    """
    parts = [{found.mail.id, outcome.by} for found, outcome in composed if isinstance(outcome, Merged)]
    senders = {outcome.by for _, outcome in composed if isinstance(outcome, Merged)}
    lost = {by for by in senders for part in parts if by in part and not part <= set(mine)}
    torn = {row_id for part in parts for row_id in part if part & lost}
    if torn:
        fences = [found.fence for found, _ in composed if found.fence is not None]
        execute(_RELEASE, {"ids": list(torn), "fences": fences, "at": now()})
        when_committed(wake_outbox)
    return torn


def _gather(held: Sequence[tuple[_Waiting, Composed | str]]) -> list[tuple[_Waiting, Composed | str]]:
    """Hold mails back for digests, and record what the digests among them tell; return the others, and these digests.

    A digest whose content has changed meanwhile is composed again at once.
    """
    digests = {
        found.mail.id: str(found.mail.player_id) for found, _ in held if found.mail.kind == digest_watermark.DIGEST
    }
    waiting = {found.mail.id: str(found.mail.player_id) for found, outcome in held if outcome == "held"}
    if not digests and not waiting:
        return [*held]
    digest_queue.lock({*digests.values(), *waiting.values()})
    locked = outgoing.load(waiting)
    others = []
    for found, outcome in held:
        if found.mail.id in digests and not digest.store(found.mail, outcome):
            execute(_WRITE_AGAIN, {"row": found.mail.id, "at": now()})
            when_committed(wake_outbox)
        elif found.mail.id in waiting:
            digest_queue.hold(locked[found.mail.id])
        else:
            others.append((found, outcome))
    for player_id in set(digests.values()):
        digest_queue.schedule_next(player_id)
    return others


def _retry(leased: Lease, failure: SendingFailure) -> bool:
    """Schedule the next attempt of a mail; return False when another worker has the lease by now."""
    with transaction():
        row = session.get_one(Outgoing, leased.id)
        if row.fence != leased.fence or row.state != "pending":
            return False
        _schedule_retry(row, str(failure), lasting=failure.lasting, for_all=failure.for_all)
        row.refusal = failure.said
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
