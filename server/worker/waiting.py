"""One look at everything that waits for a worker, so that an idle tick costs one statement."""

from typing import NamedTuple

from sqlalchemy import exists, select

from server.application.mail import arrivals
from server.application.people.webhooks import MAY_BE_SENT
from server.application.time import heartbeat
from server.models import ARMED, PENDING, Deadline, HeldMove, Outage, Outgoing, Pulse, Webhook, WebhookDelivery, rows
from server.models.leases import AT
from server.runtime import now


class Waiting(NamedTuple):
    """The kinds of work of which some may wait; the work itself finds out exactly."""

    corrections: bool
    deadlines: bool
    incoming: bool
    outgoing: bool
    webhooks: bool


EVERYTHING = Waiting(*[True] * len(Waiting._fields))
_WAITING = select(
    (
        exists().where(Pulse.name == heartbeat.WAS_AHEAD) | exists().where(Outage.state == "granted")
    ).label("corrections"),
    (
        exists().where(Deadline.state == ARMED, Deadline.try_at <= AT) | exists().where(HeldMove.try_at <= AT)
    ).label("deadlines"),
    exists().where(*arrivals.to_read(AT)).label("incoming"),
    # A relay that is out is tried now and then, also while no mail is due.
    (
        exists().where(Outgoing.state == PENDING, Outgoing.not_before <= AT)
        | exists().where(Pulse.name == heartbeat.NO_RELAY)
    ).label("outgoing"),
    exists()
    .where(
        Webhook.not_before <= AT, WebhookDelivery.webhook_id == Webhook.id, WebhookDelivery.state == PENDING,
        MAY_BE_SENT,
    )
    .label("webhooks"),
)  # fmt: skip


def look() -> Waiting:
    """Return what waits now."""
    (found,) = rows(_WAITING, at=now())
    return Waiting(*map(bool, found))
