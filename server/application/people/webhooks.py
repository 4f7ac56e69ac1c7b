"""Webhooks: the URLs to which a player's events are sent, with their secrets.

The server sends public events as `/me/events` lists them, so no message tells where Mr. X is.
"""

import base64
import re
from collections.abc import Sequence
from datetime import timedelta
from math import ceil
from typing import TypedDict
from urllib.parse import urlsplit

from sqlalchemy import delete, select, update

from server.application.game import outbox_rows
from server.application.game.look import look
from server.models import (
    PENDING,
    Player,
    Webhook,
    WebhookDelivery,
    give_back,
    session,
    transaction,
    under_way,
    wake_webhooks,
    when_committed,
)
from server.models.leases import AT
from server.runtime import now, outbound_urls, runtime
from server.runtime.outbound_urls import OutboundUrl
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

MOST = 5  # of one player
SECRET_PREFIX = "whsec_"  # noqa: S105 the public part of every secret
OLD_SECRET_IS_GOOD = timedelta(days=1)
BETWEEN_TESTS = timedelta(minutes=1)
JSON, DISCORD, SLACK, NTFY = FORMATS = ("json", "discord", "slack", "ntfy")
MOST_GAMES = 20  # that one webhook names
# The addresses at which a chat takes messages: a pattern for all, and one.
_ADDRESSES = {
    DISCORD: (r"https://discord(app)?\.com/api/webhooks/[^?]", "https://discord.com/api/webhooks/1234/abcd"),
    SLACK: (r"https://hooks\.slack\.com/services/[^?]", "https://hooks.slack.com/services/T0/B0/abcd"),
    NTFY: (r"https?://[^/]+/[^/?]", "https://ntfy.sh/our-games"),
}
KEPT = timedelta(days=7)  # messages and their states
MOST_LISTED = 100
OWNER, GONE, FAILURES = "owner", "gone", "failures"
GIVEN_UP = (GONE, FAILURES)  # why the server turned a webhook off by itself
MAY_BE_SENT = WebhookDelivery.mail.is_(None) | (WebhookDelivery.at <= AT)  # a reminder waits for the morning


# For the owner ---------------------------------------------------------------------------------


def add(player: Player, url: OutboundUrl, kind: str = JSON, games: Sequence[str] | None = None) -> tuple[Webhook, str]:
    """Add a webhook to a URL that `check` returned; return it with its secret, shown this once.

    It is about all games of the player, or about `games`; `Problem` not-found if they may not see one of them.
    """
    secret, player_id = _new_secret(), player.id
    for game_id in games or ():
        look(game_id, player)
    with transaction():
        session.get_one(Player, player_id, with_for_update={"key_share": True})
        if len(webhooks_of(player_id)) >= MOST:
            raise refusal(
                "enough", "You have {most} webhooks, which is as many as there may be; remove one first.", most=MOST
            )
        webhook = Webhook(
            id=runtime().new_id("webhook"),
            player_id=player_id,
            url=str(url),
            target=fingerprint(url),
            format=kind,
            games=f" {' '.join(games)} " if games else None,
            secret=secret,
            not_before=now(),
            created_at=now(),
        )
        session.add(webhook)
    return webhook, secret


def change(player_id: str, webhook_id: str, url: OutboundUrl | None = None, enabled: bool | None = None) -> Webhook:
    """Change the URL to one that `check` returned, or turn a webhook on or off.

    Events while it was off are not sent: `/me/events` has them.
    """
    with transaction():
        webhook = one(player_id, webhook_id, lock=True)
        if url is not None:
            _check_service(webhook.format, url)
            webhook.url, webhook.target = str(url), fingerprint(url)
            webhook.retry_at = webhook.failing_since = None
        if enabled is True:
            webhook.off_because = webhook.retry_at = webhook.failing_since = None
        elif enabled is False and webhook.off_because is None:
            _turn_off(webhook, OWNER)
        when_committed(wake_webhooks)
    return webhook


def rotate(player_id: str, webhook_id: str) -> str:
    """Return a new secret, shown this once; for a day messages are signed with the old one too."""
    with transaction():
        webhook = one(player_id, webhook_id, lock=True)
        webhook.former_secret, webhook.rotated_at = webhook.secret, now()
        webhook.secret = secret = _new_secret()
    return secret


def remove(player_id: str, webhook_id: str) -> None:
    """Delete a webhook with its messages."""
    with transaction():
        forget(one(player_id, webhook_id, lock=True))


def test(player_id: str, webhook_id: str) -> WebhookDelivery:
    """Send one test message, even to a webhook that is off; `Problem` too-many within a minute of another."""
    with transaction():
        webhook = one(player_id, webhook_id, lock=True)
        tests = (WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.game_id.is_(None))
        newest = session.scalar(select(WebhookDelivery).where(*tests).order_by(WebhookDelivery.at.desc()).limit(1))
        if newest is not None and now() < newest.at + BETWEEN_TESTS:
            seconds = ceil((newest.at + BETWEEN_TESTS - now()).total_seconds())
            sentence = gettext("A webhook can be tested once a minute; again in {seconds} s.", seconds=seconds)
            raise Problem("too-many", sentence, retry_after=seconds)
        delivery = WebhookDelivery(
            id=runtime().new_id("delivery"), webhook_id=webhook.id, at=now(), state="pending", attempts=0
        )
        session.add(delivery)
        when_committed(wake_webhooks)
    return delivery


def one(player_id: str, webhook_id: str, *, lock: bool = False) -> Webhook:
    """Return the player's webhook; `Problem` not-found when it is missing or another's."""
    query = select(Webhook).where(Webhook.id == webhook_id, Webhook.player_id == player_id, Webhook.device.is_(None))
    query = query.with_for_update() if lock else query
    # Other characters, such as NUL, a database may refuse.
    webhook = session.scalar(query) if webhook_id.isalnum() else None
    if webhook is None:
        raise refusal("not-found", "There is no such webhook.")
    return webhook


def webhooks_of(player_id: str) -> Sequence[Webhook]:
    """Return the player's webhooks, the oldest first."""
    query = select(Webhook).where(Webhook.player_id == player_id, Webhook.device.is_(None))
    return session.scalars(query.order_by(Webhook.created_at, Webhook.id)).all()


class WebhookView(TypedDict):
    """A webhook as its owner sees it, without its secret."""

    id: str
    url: str
    format: str
    games: list[str] | None
    enabled: bool
    disabled_because: str | None
    retry_at: str | None
    failing_since: str | None
    created_at: str


class DeliveryView(TypedDict):
    """A message and its state; `number` is that of the event in its game, null for a notice."""

    id: str
    type: str
    game: str | None
    number: int | None
    at: str
    state: str
    outcome: str | None
    attempts: int
    tried_at: str | None


def deliveries(webhook: Webhook) -> list[DeliveryView]:
    """Return the messages of the last days with their state, the newest first."""
    order = (WebhookDelivery.at.desc(), WebhookDelivery.game_id.desc(), WebhookDelivery.event.desc())
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id).order_by(*order).limit(MOST_LISTED)
    return [delivery_facts(delivery) for delivery in session.scalars(query)]


def facts(webhook: Webhook) -> WebhookView:
    """Return a webhook as its owner sees it, without its secret."""
    return {
        "id": webhook.id,
        "url": webhook.url,
        "format": webhook.format,
        "games": webhook.games.split() if webhook.games else None,
        "enabled": webhook.off_because is None,
        "disabled_because": webhook.off_because,
        "retry_at": rfc3339(webhook.retry_at),
        "failing_since": rfc3339(webhook.failing_since),
        "created_at": rfc3339(webhook.created_at),
    }


def delivery_facts(delivery: WebhookDelivery) -> DeliveryView:
    """Return a message and its state."""
    return {
        "id": delivery.id,
        "type": type_of(delivery),
        "game": delivery.game_id,
        "number": delivery.event if delivery.mail is None else None,
        "at": rfc3339(delivery.at),
        "state": delivery.state,
        "outcome": delivery.outcome,
        "attempts": delivery.attempts,
        "tried_at": rfc3339(delivery.tried_at),
    }


def type_of(delivery: WebhookDelivery) -> str:
    """Return the type that the message names."""
    if delivery.mail is not None:
        return "game.notice"
    return "game.event" if delivery.game_id else "webhook.test"


def check(url: str, field: str = "url", *, kind: str = JSON, player_id: str | None = None) -> OutboundUrl:
    """Return `url` parsed, after looking up its host, which may take seconds; it is not for a transaction.

    Args:
        kind: the format of what is to be sent there.
        player_id: whose webhook it is, who may reach the hosts that the operator lets them reach.

    Raises:
        Problem: `form` when nothing is sent there, or nothing in that format, about the `field`.
    """
    assert under_way() is None, "other writers would wait for the name service"
    give_back()
    try:
        target = outbound_urls.parse(
            url, loopback=runtime().settings.is_for_trying_out, private=private_hosts(player_id)
        )
        _check_service(kind, target)
        outbound_urls.addresses(target, runtime().resolve)
    except outbound_urls.UrlRefused as refused:
        raise Problem("form", f"{refused}.", field=field) from None
    return target


def _check_service(kind: str, target: OutboundUrl) -> None:
    """Raise `Problem` form if a URL is none of the service that reads the format `kind`."""
    if kind in _ADDRESSES and not re.match(_ADDRESSES[kind][0], str(target)):
        raise refusal(
            "form", "the address of a webhook for {service} is such as {example}.", field="url",
            service=kind, example=_ADDRESSES[kind][1],
        )  # fmt: skip


def private_hosts(player_id: str | None) -> frozenset[tuple[str, int]]:
    """Return the hosts and ports of private networks that the operator lets the webhooks of a player reach."""
    return frozenset((host, port) for player, host, port in runtime().settings.webhook_hosts if player == player_id)


# For the sender --------------------------------------------------------------------------------


def give_up(webhook: Webhook, why: str) -> None:
    """Turn a webhook off and tell its owner by mail, in the transaction under way."""
    _turn_off(webhook, why)
    host = urlsplit(webhook.url).hostname
    outbox_rows.post(webhook.player_id, "webhook", details={"host": host, "id": webhook.id, "why": why})


def good_secrets(webhook: Webhook) -> list[str]:
    """Return the secrets to sign with, the newest first."""
    former_is_good = webhook.rotated_at is not None and now() < webhook.rotated_at + OLD_SECRET_IS_GOOD
    return [webhook.secret, *([webhook.former_secret] if webhook.former_secret and former_is_good else [])]


def forget(webhook: Webhook) -> None:
    """Delete a webhook, in the transaction under way."""
    session.execute(delete(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id))
    session.delete(webhook)


def forget_old() -> None:
    """Delete former secrets that have expired, and old messages."""
    settled = (WebhookDelivery.at <= now() - KEPT, WebhookDelivery.state != "pending")
    replaced = (Webhook.former_secret.is_not(None), Webhook.rotated_at <= now() - OLD_SECRET_IS_GOOD)
    with transaction():
        session.execute(delete(WebhookDelivery).where(*settled))
        session.execute(update(Webhook).where(*replaced).values(former_secret=None))


def _turn_off(webhook: Webhook, why: str) -> None:
    webhook.off_because, webhook.retry_at = why, None
    waiting = (WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.state == PENDING)
    events = WebhookDelivery.game_id.is_not(None)
    session.execute(update(WebhookDelivery).where(*waiting, events).values(state="dropped"))


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(runtime().rng("webhook secret").randbytes(32)).decode()


def fingerprint(target: OutboundUrl) -> str:
    """Return a keyed hash of host and port."""
    return runtime().keyring.fingerprint(f"webhook\0{target.host}\0{target.port}".encode())
