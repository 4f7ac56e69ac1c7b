"""A restored database: its mails and deadlines wait until the operator releases them.

The mails may have been sent since the backup was made, and the deadlines may have passed. So the server sends no mail
and fires no deadline, as in an outage of more than a day, until the operator has read the report.
"""

from datetime import datetime
from typing import TypedDict

from sqlalchemy import delete, func, select, update

from server.application.time import heartbeat, outages
from server.house_rules.timers import whole_seconds
from server.models import (
    ARMED,
    PENDING,
    Deadline,
    Game,
    Outage,
    Outgoing,
    Player,
    Pulse,
    WebhookDelivery,
    execute,
    session,
    transaction,
)
from server.runtime import now
from server.vocabulary.durations import format_duration, rfc3339
from server.vocabulary.errors import Problem

BACKUP = "backup"  # the heartbeat in a backup that says when it was made
RESTORED = "restored"  # the state of a mail that waited when the backup was made
MOST_LISTED = 20  # mails of a report; thousands may wait
_WAITED = ("pending", "held")


class WaitingMail(TypedDict):
    """A mail that waits to be released: to whom (a name), and about which game."""

    id: str
    kind: str
    game: str | None
    to: str | None
    created_at: str


class RestorationReport(TypedDict):
    """The report on a restored database; see `report`."""

    backup_made_at: str
    running_games: int
    deadlines: int
    deadlines_move_by: str
    mails_by_kind: dict[str, int]
    mails: list[WaitingMail]


def hold() -> datetime:
    """Hold every mail and every deadline of a restored database; return when its backup was made."""
    with transaction():
        made_at = _made_at()
        mails = update(Outgoing).where(Outgoing.state.in_(_WAITED)).values(state=RESTORED, fence=None)
        calls = update(WebhookDelivery).where(WebhookDelivery.state == PENDING).values(state="dropped")
        for statement in (mails, calls, delete(Pulse)):
            execute(statement)
        waiting = session.scalars(select(Outage).where(Outage.state == "waiting")).first()
        if waiting is None:
            session.add(Outage(cause=outages.RESTORE, begin=made_at, state="waiting"))
        else:
            waiting.cause = outages.RESTORE
    return made_at


def report() -> RestorationReport:
    """Return when the backup was made, which mails wait, and by how much the deadlines will move.

    `mails_by_kind` counts all of them; `mails` are the oldest.

    Raises:
        Problem: `not-found` if this database was not restored, or was released; `form` if the clock is behind.
    """
    restored = _restored()
    kinds = (
        select(Outgoing.kind, func.count())
        .where(Outgoing.state == RESTORED)
        .group_by(Outgoing.kind)
        .order_by(Outgoing.kind)
    )
    deadlines = select(func.count()).where(Deadline.state == ARMED, Deadline.kind.in_(outages.KINDS))
    return {
        "backup_made_at": rfc3339(restored.begin),
        "running_games": session.scalar(select(func.count()).where(Game.status == "running")) or 0,
        "deadlines": session.scalar(deadlines) or 0,
        "deadlines_move_by": format_duration(whole_seconds(now() - restored.begin)),
        "mails_by_kind": {row[0]: row[1] for row in session.execute(kinds)},
        "mails": _oldest_mails(),
    }


def _oldest_mails() -> list[WaitingMail]:
    """Return the mails that have waited longest, at most `MOST_LISTED`."""
    query = (
        select(Outgoing.id, Outgoing.kind, Outgoing.game_id, Player.name, Outgoing.created_at)
        .outerjoin(Player, Player.id == Outgoing.player_id)
        .where(Outgoing.state == RESTORED)
        .order_by(Outgoing.created_at, Outgoing.id)
        .limit(MOST_LISTED)
    )
    return [
        {"id": row.id, "kind": row.kind, "game": row.game_id, "to": row.name, "created_at": rfc3339(row.created_at)}
        for row in session.execute(query)
    ]


def release(*, send: bool) -> None:
    """Release the mails and the deadlines.

    Every deadline moves by the time since the backup was made, and everybody whose turn it is gets a new turn mail.

    Args:
        send: whether to send the mails that waited when the backup was made, or to drop them.

    Raises:
        Problem: `not-found` if this database was not restored, or was released; `form` if the clock is behind.
    """
    with transaction():
        restored = _restored()
        restored.end, restored.state = now(), "granted"
        changed = {"state": "pending", "not_before": now()} if send else {"state": "suppressed"}
        execute(update(Outgoing).where(Outgoing.state == RESTORED).values(changed))
    outages.begin_to_give_back()


def _restored() -> Outage:
    waiting = session.scalars(select(Outage).where(Outage.state == "waiting", Outage.cause == outages.RESTORE)).first()
    if waiting is None:
        raise Problem("not-found", "This database was not restored from a backup, or was released already.")
    at = now()
    if at < waiting.begin:  # deadlines would move nearer
        raise Problem(
            "form",
            f"The clock of this machine says {rfc3339(at)}, which is before the backup was made, at "
            f"{rfc3339(waiting.begin)}; set the clock right, and then release.",
        )
    return waiting


def _made_at() -> datetime:
    """Return when the backup was made; for a file that was copied otherwise, when a worker was last active."""
    made_at = heartbeat.last(BACKUP) or session.scalar(select(func.max(Pulse.at)))
    return made_at or now()
