"""Envelopes: sender or recipient, kind, times and state of mails, for the operator, who can repeat sending or reading.

No encrypted column is read for them, so they hold neither content nor subject nor reply address. The verdict on a mail
that was read is left out as well: it would tell of Mr. X's refused moves.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Select, case, literal, or_, select

from server.application.mail import deliveries
from server.models import (
    Game,
    Incoming,
    Outgoing,
    Player,
    leases,
    session,
    transaction,
    wake_inbox,
    wake_outbox,
    when_committed,
)
from server.runtime import now
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem
from server.vocabulary.mails import MAIL_KINDS

Values = TypeVar("Values", bound=tuple[object, ...])
UNPROVEN_STRANGER = "stranger-unproven"  # the verdict on a stranger's mail whose sender nothing proves: no answer
# A withheld invitation looks like any other: whom a player has blocked is not for the operator to see.
_SHOWN_AS = {kind.name: kind.shown_as for kind in MAIL_KINDS.values() if kind.shown_as}
_KIND = case(_SHOWN_AS, value=Outgoing.kind, else_=Outgoing.kind)
# Of any other mail that was read it would tell what it said.
_REASON = case((or_(Incoming.state == "aside", Incoming.verdict == UNPROVEN_STRANGER), Incoming.verdict))
SENT = {
    "id": Outgoing.id, "game": Outgoing.game_id, "to": Player.email, "kind": _KIND, "state": Outgoing.state,
    "attempts": Outgoing.attempts, "error": Outgoing.error, "created_at": Outgoing.created_at,
    "not_before": Outgoing.not_before, "sent_at": Outgoing.sent_at,
}  # fmt: skip
RECEIVED = {
    "id": Incoming.id, "game": Incoming.game_id, "from": Incoming.sender, "source": Incoming.source,
    "state": Incoming.state, "reason": _REASON, "checked": Incoming.checked, "attempts": Incoming.attempts,
    "received_at": Incoming.received_at,
}  # fmt: skip

_SENT = select(*SENT.values()).outerjoin(Player, Player.id == Outgoing.player_id)


def outgoing(game_id: str | None = None, state: str | None = None, limit: int | None = None) -> list[dict[str, object]]:
    """Return the outbox, or its mails about one game or in one state; the oldest first, and at most `limit`.

    Answers that report a refusal look like all others.
    """
    query = _narrowed(_SENT, Outgoing, game_id, state)
    return _facts(SENT, session.execute(query.order_by(Outgoing.created_at, Outgoing.id).limit(limit)).all())


def one_outgoing(mail_id: str) -> dict[str, object]:
    """Return the facts of one mail of the outbox; raise `Problem` not-found if there is none."""
    found = session.execute(_SENT.where(Outgoing.id == mail_id)).all()
    if not found:
        raise Problem("not-found", f"There is no mail {mail_id} in the outbox.")
    return _facts(SENT, found)[0]


def incoming(game_id: str | None = None, state: str | None = None, limit: int | None = None) -> list[dict[str, object]]:
    """Return the inbox, or its mails to reply addresses of one game or in one state, as `outgoing`."""
    query = _narrowed(select(*RECEIVED.values()), Incoming, game_id, state)
    return _facts(RECEIVED, session.execute(query.order_by(Incoming.received_at, Incoming.id).limit(limit)).all())


def send_again(mail_id: str) -> dict[str, object]:
    """Send a dead letter again, with all its attempts, or what came back and can be written again, or what waits.

    Returns its envelope.

    Raises:
        Problem: if the mail is in another state.
    """
    with transaction():
        row = session.get(Outgoing, mail_id, with_for_update=True)
        if row is None:
            raise Problem("not-found", f"There is no mail {mail_id} in the outbox.")
        waits = row.state == "pending" and row.fence in (None, leases.TRIED)
        comes_again = row.state == "bounced" and deliveries.write_again(row, 0, now(), None)
        if row.state != "dead" and not waits and not comes_again:
            state = "being sent" if row.state == "pending" else row.state
            raise Problem(
                "form",
                f"Mail {mail_id} is {state}; only a dead or a waiting one can be sent now, or one that came back and "
                "can be written again, such as a turn.",
            )
        row.state, row.attempts, row.not_before, row.fence = "pending", 0, now(), None
        when_committed(wake_outbox)
    return one_outgoing(mail_id)


def read_again(mail_id: str) -> dict[str, object]:
    """Read a mail again that was set aside; return its envelope. It counts as of when it came."""
    with transaction():
        row = session.get(Incoming, mail_id, with_for_update=True)
        if row is None:
            raise Problem("not-found", f"There is no mail {mail_id} in the inbox.")
        if row.state != "aside" or row.raw is None:
            raise Problem("form", f"Mail {mail_id} is {row.state}; only what is set aside and kept is read again.")
        row.state, row.attempts, row.postponed, row.not_before, row.verdict = "new", 0, 0, None, None
        when_committed(wake_inbox)
    found = session.execute(select(*RECEIVED.values()).where(Incoming.id == mail_id)).all()
    return _facts(RECEIVED, found)[0]


def _narrowed(
    query: Select[Values], table: type[Incoming | Outgoing], game_id: str | None, state: str | None
) -> Select[Values]:
    if game_id is not None:
        query = query.where(table.game_id == _known(game_id))
    # Written into the statement, as partial indexes ask for.
    return query if state is None else query.where(table.state == literal(state, literal_execute=True))


def _known(game_id: str) -> str:
    if session.get(Game, game_id) is None:
        raise Problem("not-found", f"There is no game {game_id}.")
    return game_id


def _facts(names: Iterable[str], rows: Sequence[Iterable[object]]) -> list[dict[str, object]]:
    return [dict(zip(names, map(_plain, row), strict=True)) for row in rows]


def _plain(value: object) -> object:
    return rfc3339(value) if isinstance(value, datetime) else value
