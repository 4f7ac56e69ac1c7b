"""The sender: takes waiting rows, renders each as of its event, hands it over, says what became of it."""

import logging
from datetime import timedelta

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import aliased, joinedload

from server.application.mail import addresses, reach
from server.application.time import outages
from server.application.upkeep import leases
from server.application.upkeep.leases import Lease
from server.faults import fault
from server.mail import compose
from server.mail.compose import Composed
from server.mail.message import Refused
from server.mail.transport import Failure, Transport
from server.models import Game, Outgoing, session, transaction
from server.runtime import now, runtime

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=5)
BACK_OFF = timedelta(seconds=30)
LONGEST_BACK_OFF = timedelta(hours=4)
MOST_ATTEMPTS = 24
MOST_HELD_UP = 3  # attempts of a mail for which later ones of the game wait: some minutes
# A turn, or an account, hangs on these: with a MAIL_LIMIT they go first, and a fifth of it is kept for them.
FIRST = (
    "turn", "go", "started", "granted", "returned", "overdue", "reminder", "reinstated", "substituted", "code",
    "address",
)  # fmt: skip
KEPT_FOR_TURNS = 0.2
_UNLOADED = {"synchronize_session": False}  # no object of the session is changed besides
# What a mail is written from, in one query.
_ALL_OF_IT = [joinedload(Outgoing.player), joinedload(Outgoing.game).joinedload(Game.seats)]


def send_waiting(transport: Transport, limit: int = 20) -> int:
    """Send what is due; how many rows were looked at.

    A batch is leased, written, and stored as written, so that every attempt sends the same bytes; then each mail is
    handed over and settled by itself. Mails are written outside any transaction: nobody's move waits for them.
    """
    held = _leased(limit)
    written = [(leased, outcome) for leased in held if (outcome := _write(leased)) is not None]
    failed: set[tuple[str, str]] = set()
    for leased, composed in _store(written):
        if composed.thread in failed:
            _put_back(leased)
        elif not _hand_over(leased, composed, transport) and composed.thread:
            failed.add(composed.thread)
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
        before.fence.is_not(None), before.not_before > now(), before.attempts <= MOST_HELD_UP,
        (before.created_at < Outgoing.created_at)
        | ((before.created_at == Outgoing.created_at) & (before.event < Outgoing.event)),
    )  # fmt: skip
    return query.exists()


def _leased(limit: int) -> list[Lease]:
    """At most `limit` mails; with a `MAIL_LIMIT` those first that turns hang on, for which a part of it is kept."""
    rate = runtime().settings.mail_limit
    if rate is None:
        return _take(limit)
    sent = select(func.count()).select_from(Outgoing).where(Outgoing.sent_at > now() - rate.window)
    left = rate.most - (session.scalar(sent) or 0)
    first = _take(min(limit, left), Outgoing.kind.in_(FIRST))
    others = min(limit, left - int(rate.most * KEPT_FOR_TURNS)) - len(first)
    return first + _take(others, Outgoing.kind.not_in(FIRST))


def _take(limit: int, *which: ColumnElement[bool]) -> list[Lease]:
    if limit <= 0:
        return []
    waiting = (Outgoing.state == "pending", ~_is_behind_another(), *which)
    return leases.take(Outgoing, *waiting, limit=limit, length=LEASE, order=_IN_ORDER)


def _put_back(leased: Lease) -> None:
    """To be sent when what comes before it has been."""
    _settle(leased, not_before=now(), fence=None)


# What becomes of them ------------------------------------------------------------------------------


def _hand_over(leased: Lease, composed: Composed, transport: Transport) -> bool:
    """Whether the mail was taken."""
    try:
        transport.send(composed.message, composed.sender, composed.recipient)
    except Failure as failure:
        if failure.for_all:
            outages.relay_fails()
        _retry(leased, str(failure), lasting=failure.lasting)
        if failure.no_reader:
            reach.failed(leased.id, lasting=True)
        return False
    except Exception as error:  # noqa: BLE001 one mail must not hold up the others
        log.error("outbox row %s failed: %s", leased.id, fault(error))
        _retry(leased, f"could not be handed over ({type(error).__name__})", lasting=False)
        return False
    _settle(leased, state="sent", sent_at=now(), message=None, details=None, error=None)
    return True


def _write(leased: Lease) -> Composed | str | None:
    """The mail, or why it is not to be sent. One that cannot be written must not hold up the others: None."""
    try:
        row = session.get_one(Outgoing, leased.id, options=_ALL_OF_IT)
        verdict = compose.verdict(row)
        return compose.compose(row) if verdict == "send" else verdict
    except Refused as refused:
        log.error("outbox row %s is refused: %s", leased.id, refused)
        _retry(leased, f"refused: {refused}", lasting=True)
    except Exception as error:  # noqa: BLE001 whatever is wrong with this one
        log.error("outbox row %s failed: %s", leased.id, fault(error))
        _retry(leased, f"could not be written ({type(error).__name__})", lasting=False)
    finally:
        session.close()  # cheaper than to forget, row by row, what was read of a game
    return None


def _store(written: list[tuple[Lease, Composed | str]]) -> list[tuple[Lease, Composed]]:
    """Keep what was written, with the reply tokens printed in it; what of it is still to be sent."""
    if not written:
        return []
    with transaction():
        held = []
        rows = session.scalars(select(Outgoing).where(Outgoing.id.in_([leased.id for leased, _ in written])))
        by_id = {row.id: row for row in rows}
        for leased, outcome in written:
            row = by_id[leased.id]
            if row.fence != leased.fence or row.state != "pending":
                continue
            if isinstance(outcome, str):
                row.state, row.message, row.details = outcome, None, None
                continue
            row.message = outcome.message
            row.recipient = reach.address_mark(outcome.recipient)
            held.append((leased, outcome))
        printed = [token for _, outcome in held for token in (outcome.token, *outcome.others)]
        addresses.remember(token for token in printed if token)
    return held


def _retry(leased: Lease, error: str, *, lasting: bool) -> None:
    """Later, each time about twice as late, a little earlier or later than others; dead when it is no use."""
    with transaction():
        row = session.get_one(Outgoing, leased.id)
        if row.fence != leased.fence or row.state != "pending":
            return
        row.attempts += 1
        row.error = error[:200]
        pause = min(BACK_OFF * 2 ** min(row.attempts - 1, 16), LONGEST_BACK_OFF)
        row.not_before = leases.later(pause)
        if lasting or row.attempts >= MOST_ATTEMPTS:
            row.state = "dead"


def _settle(leased: Lease, **values: object) -> None:
    """Only who still holds the lease may say what became of the mail."""
    mine = (Outgoing.id == leased.id, Outgoing.fence == leased.fence, Outgoing.state == "pending")
    with transaction():
        session.execute(update(Outgoing).where(*mine).values(**values), execution_options=_UNLOADED)
