"""Metrics: the state of the server as numbers for a monitoring system.

Games and players are counted as they come and go. Of what waits, or was given up, at most `MOST_COUNTED` are counted,
so that a look takes no longer with more of them.

None of them changes with a player's private actions. A mail is counted only if everybody may know that there is one: an
answer to a player, a reminder, talk, or the turn mail of a player with no queued move would tell more. Nor is a mail
counted that is read or sent within a minute, as most are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import QueryableAttribute

from server import bots
from server.application.health.processes import clocks
from server.application.people import webhooks
from server.application.time import heartbeat, outages
from server.models import (
    ARMED,
    DEAD,
    NEW,
    PENDING,
    Deadline,
    Incoming,
    Outgoing,
    Tally,
    Webhook,
    WebhookDelivery,
    at_most,
    session,
)
from server.runtime import now
from server.vocabulary.mails import mails

STATUSES = ("open", "running", "over")
ORDINARY = timedelta(minutes=1)
_PUBLIC_MAILS = mails(lambda kind: kind.is_public)


@dataclass(frozen=True)
class Measure:
    """A number, or one for each value of `label`; with an empty label the one value is empty too.

    With several labels, `label` has their names and each key their values, with spaces between them.
    """

    name: str
    about: str
    numbers: Mapping[str, float]
    label: str = ""


def measures() -> list[Measure]:
    """Return all metrics, as of now."""
    waiting = WebhookDelivery.state == PENDING
    given_up = (Webhook.off_because.is_not(None), Webhook.off_because.in_(webhooks.GIVEN_UP))
    kept = {row.name: row.number for row in session.execute(select(Tally.name, Tally.number))}
    relay_out = _seconds_since(outages.relay_out_since())
    return [
        Measure("games", "Games by status", {status: kept.get(f"games {status}", 0) for status in STATUSES}, "status"),
        _one("players", "Players with an account", kept.get("players", 0)),
        Measure(
            "games_against_bots_total",
            "Games of one person against bots whose result is final",
            {
                f"{level} {side} {result}": kept.get(f"vs {level} {side[0]} {result}", 0)
                for level, side, result in product((*bots.LEVELS, "mixed"), ("mr_x", "detective"), ("won", "lost"))
            },
            "level side result",
        ),
        _one("deadlines_overdue", "Deadlines that should have fired", at_most(Deadline, *overdue())),
        _age(
            "oldest_overdue_deadline_seconds",
            "How long the oldest such deadline is overdue",
            Deadline.due_at,
            *overdue(),
        ),
        _one("mails_unsent", "Mails to be sent for more than a minute", at_most(Outgoing, *unsent())),
        _age("oldest_unsent_mail_seconds", "How old the oldest mail to be sent is", Outgoing.created_at, *unsent()),
        _one("mails_dead", "Mails that were given up", at_most(Outgoing, *dead())),
        _one("mails_unread", "Mails to be read for more than a minute", at_most(Incoming, *unread())),
        _one("oldest_unread_mail_seconds", "How old the oldest mail to be read is, to the minute", _unread()),
        _one("relay_out_seconds", "For how long the relay, or the Maildir, takes no mail", relay_out),
        _one("webhook_messages_pending", "Messages to webhooks that wait", at_most(WebhookDelivery, waiting)),
        _one("webhooks_disabled", "Webhooks that were given up", at_most(Webhook, *given_up)),
        *_last_tick(),
        Measure("clock_ahead_seconds", "How far the clock of a machine is ahead of the database's", clocks(), "host"),
    ]


def overdue() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on deadlines that should have fired."""
    return Deadline.state == ARMED, Deadline.due_at <= now()


def unsent() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on mails that have waited to be sent for more than a minute."""
    return Outgoing.state == PENDING, Outgoing.kind.in_(_PUBLIC_MAILS), Outgoing.created_at < now() - ORDINARY


def unread() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on mails that have waited to be read for more than a minute.

    They change at whole minutes, so that nobody who asks often learns the moment of a mail.
    """
    return Incoming.state == NEW, Incoming.received_at < to_minute(now()) - ORDINARY


def to_minute(moment: datetime) -> datetime:
    """Return the minute in which a moment falls."""
    return moment.replace(second=0, microsecond=0)


def dead() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on mails that were given up."""
    return Outgoing.state == DEAD, Outgoing.kind.in_(_PUBLIC_MAILS)


def _last_tick() -> list[Measure]:
    """Return the age of the last tick, which is noted once a minute; nothing before the first."""
    at = heartbeat.last(heartbeat.TICK)
    about = "How long ago a worker last looked for what is due, to the minute"
    return [] if at is None else [_one("last_tick_age_seconds", about, _seconds_since(at))]


def _one(name: str, about: str, number: float) -> Measure:
    return Measure(name, about, {"": number})


def _age(
    name: str,
    about: str,
    column: QueryableAttribute[datetime] | QueryableAttribute[datetime | None],
    *where: ColumnElement[bool],
) -> Measure:
    return _one(name, about, _seconds_since(oldest(column, *where)))


def _unread() -> float:
    came_at = oldest(Incoming.received_at, *unread())
    return _seconds_since(came_at and to_minute(came_at))


def oldest(
    column: QueryableAttribute[datetime] | QueryableAttribute[datetime | None], *where: ColumnElement[bool]
) -> datetime | None:
    """Return the earliest time in a column, of the rows that meet all conditions; None without such a row."""
    found: datetime | None = session.scalar(select(column).where(*where).order_by(column).limit(1))
    return found


def _seconds_since(moment: datetime | None) -> float:
    return 0.0 if moment is None else max(0.0, (now() - moment).total_seconds())
