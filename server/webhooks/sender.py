"""Send webhooks: one message of one webhook at a time, in the order of events, until it is taken or given up.

Devices are called in the same way, each with its own messages.
"""

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.orm import aliased

from server.application.lists import feed
from server.application.people import webhooks
from server.application.people.webhooks import SECRET_PREFIX
from server.models import PENDING, Unavailable, Webhook, WebhookDelivery, leases, session, transaction
from server.models.leases import Lease
from server.runtime import now, outbound_urls, runtime
from server.runtime.faults import fault, is_of_machine
from server.vocabulary.durations import rfc3339
from server.webhooks import chats, push
from server.webhooks.transport import DELIVERED, GONE, MISSING, REFUSED, UNREACHABLE, UNSENT, Post

CallOf = Callable[[str], bytes | None]
"""A function that returns what a device is sent about the row of the outbox with this id, None if nothing any more."""

log = logging.getLogger(__name__)
# A webhook whose receiver takes nothing for so long is given up.
GIVEN_UP_AFTER = timedelta(days=5)
# After the first failure, the second, and so on; then every day.
PAUSES = (
    timedelta(seconds=5), timedelta(minutes=5), timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)  # fmt: skip
BROKEN = "broken"  # a message that could not be written
LOST = "lost"  # one that another process sends, as this one was stopped for a while


@dataclass(frozen=True)
class _Message:
    """A message to send."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    player_id: str | None = None  # of a webhook, who may reach hosts of a private network


def send_one(post: Post, call_of: CallOf) -> bool:
    """Send the oldest message of a webhook or device that has one due; return whether there was one.

    Two messages are never sent to one host at once.
    """
    with leases.working():
        held = _QUEUE.take(1)
        for lease in held:
            delivery_id, outcome = _send(lease, post, call_of)
            if outcome != LOST:
                _settle(lease, delivery_id, outcome)
    return bool(held)


def _has_something_due() -> ColumnElement[bool]:
    """Return the condition on webhooks with a message due: a test, or events that do not wait after a failure."""
    pending = (WebhookDelivery.webhook_id == Webhook.id, WebhookDelivery.state == PENDING)
    waiting = exists().where(*pending, webhooks.MAY_BE_SENT)
    may_be_tried = or_(Webhook.retry_at.is_(None), Webhook.retry_at <= leases.AT)
    return or_(waiting.where(WebhookDelivery.game_id.is_(None)), waiting & may_be_tried)


def _host_is_busy() -> ColumnElement[bool]:
    other = aliased(Webhook)
    return exists().where(other.target == Webhook.target, other.id != Webhook.id, other.not_before > leases.AT)


# The webhooks for which a message waits are few; of all others the rest of the conditions is not asked.
_WAITS = Webhook.id.in_(select(WebhookDelivery.webhook_id).where(WebhookDelivery.state == PENDING))
_QUEUE = leases.Queue(Webhook, _WAITS, _has_something_due(), ~_host_is_busy())


def _send(lease: Lease, post: Post, call_of: CallOf) -> tuple[str | None, str | None]:
    """Send a webhook's next message; return its id and the outcome, None if it was not to be sent after all."""
    delivery_id = None
    try:
        delivery_id = _next(lease.id)
        message = _message(delivery_id, call_of) if delivery_id else None
        session.rollback()  # hold nothing in the database while the receiver answers
        if message is None:
            return delivery_id, None
        return delivery_id, _hand_over(message, post) if leases.holds(lease) else LOST
    except Unavailable:
        raise  # not the receiver's fault: the lease runs out, and the message is sent again
    except Exception as error:  # noqa: BLE001 whatever is wrong with this one
        log.error("webhook %s failed: %s", lease.id, fault(error))
        return delivery_id, UNSENT if is_of_machine(error) else BROKEN
    finally:
        session.rollback()


def _next(webhook_id: str) -> str | None:
    """Return the id of the message to send next: a test before events, and these in their order."""
    waiting = (WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state == PENDING, webhooks.MAY_BE_SENT)
    order = (
        WebhookDelivery.game_id.is_not(None), WebhookDelivery.at, WebhookDelivery.game_id,
        WebhookDelivery.event, WebhookDelivery.mail.is_not(None),
    )  # fmt: skip
    return session.scalar(select(WebhookDelivery.id).where(*waiting).order_by(*order).limit(1), {"at": now()})


def _message(delivery_id: str, call_of: CallOf) -> _Message | None:
    """Return a message; None if the webhook's owner may not see the event any more, or a call is out of date."""
    delivery = session.get_one(WebhookDelivery, delivery_id)
    webhook = session.get_one(Webhook, delivery.webhook_id)
    if webhook.device is not None:
        return _call(webhook, call_of(delivery.mail) if delivery.mail and runtime().settings.push else None)
    body = _body(delivery, webhook)
    if body is None:
        return None
    headers = signed_headers(delivery.id, now(), body, webhooks.good_secrets(webhook))
    return _Message(webhook.url, headers | chats.HEADERS.get(webhook.format, {}), body, webhook.player_id)


def _call(device: Webhook, text: bytes | None) -> _Message | None:
    if text is None:
        return None
    headers = push.headers(outbound_urls.parse(device.url, loopback=True))
    return _Message(device.url, headers, push.encrypted(text, device.secret))


def _body(delivery: WebhookDelivery, webhook: Webhook) -> bytes | None:
    told: Mapping[str, object] | None = {}
    if delivery.game_id is not None:
        told = feed.event_for(webhook.player_id, delivery)
    if told is None:
        return None
    if webhook.format != webhooks.JSON:
        return None if delivery.mail else chats.message(webhook.format, delivery.game_id, delivery.event or 0)
    message = {"type": webhooks.type_of(delivery), "timestamp": rfc3339(delivery.at), "data": told}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _hand_over(message: _Message, post: Post) -> str:
    """Post a message, and return the outcome. The host's addresses are looked up and checked for every message.

    A name service that does not answer about this host is the host's, or that of this machine: then it says nothing
    about the server's own name either.
    """
    try:
        private = webhooks.private_hosts(message.player_id)
        target = outbound_urls.parse(message.url, loopback=runtime().settings.is_for_trying_out, private=private)
        addresses = outbound_urls.addresses(target, runtime().resolve)
    except outbound_urls.Unresolved:
        return UNREACHABLE if _answers_about_us() else UNSENT
    except outbound_urls.UrlRefused:
        return UNREACHABLE
    return post(target, addresses, dict(message.headers), message.body)


def _answers_about_us() -> bool:
    """Return whether the name service answers about the server's own mail domain."""
    try:
        runtime().resolve(runtime().settings.mail_domain)
    except OSError:
        return False
    return True


def _settle(lease: Lease, delivery_id: str | None, outcome: str | None) -> None:
    """Record the outcome of a message, unless the lease has run out meanwhile."""
    with transaction():
        webhook = session.get(Webhook, lease.id, with_for_update=True)
        if webhook is None or webhook.fence != lease.fence:
            return
        webhook.not_before, webhook.fence = now(), None
        delivery = session.get(WebhookDelivery, delivery_id) if delivery_id else None
        if delivery is None or delivery.state != "pending":
            return
        if outcome == MISSING:  # a device says so when its player took the permission back, a chat when it was removed
            outcome = GONE if webhook.device or webhook.format in (webhooks.DISCORD, webhooks.SLACK) else REFUSED
        if outcome is None:
            delivery.state = "dropped"
            if webhook.format != webhooks.JSON:  # most events are nothing for a chat, and not worth a line
                session.delete(delivery)
            return
        if outcome == UNSENT and delivery.game_id is not None:  # a test, which has no game, is not repeated
            webhook.retry_at = leases.later(PAUSES[1])
            return
        delivery.outcome, delivery.tried_at = UNREACHABLE if outcome == UNSENT else outcome, now()
        delivery.attempts += 1
        if outcome == DELIVERED:
            delivery.state, webhook.retry_at, webhook.failing_since = "delivered", None, None
        else:
            _failed(webhook, delivery, outcome)


def _failed(webhook: Webhook, delivery: WebhookDelivery, outcome: str) -> None:
    """Schedule the next attempt, or give up if the receiver is gone or has failed for days. A test is not repeated."""
    if delivery.game_id is None:
        delivery.state = "failed"
        return
    webhook.failing_since = webhook.failing_since or now()
    if outcome == GONE or now() - webhook.failing_since >= GIVEN_UP_AFTER:
        delivery.state = "failed"
        if webhook.device is not None:
            session.flush()
            webhooks.forget(webhook)
        else:
            webhooks.give_up(webhook, webhooks.GONE if outcome == GONE else webhooks.FAILURES)
    else:
        webhook.retry_at = leases.later(PAUSES[min(delivery.attempts, len(PAUSES)) - 1])


def signed_headers(message_id: str, at: datetime, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """Return the headers of a message, with one signature for each valid secret, the newest first."""
    timestamp = str(int(at.timestamp()))
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
