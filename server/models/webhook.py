"""Webhooks and devices, and the messages sent to them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base
from server.models.types import Encrypted, UtcTime

_IS_PENDING = text("state = 'pending'")
_IS_OFF = text("off_because IS NOT NULL")
_WAS_LEASED = text("fence IS NOT NULL")
_WAS_ROTATED = text("former_secret IS NOT NULL")
_HAS_SESSION = text("session IS NOT NULL")


class Webhook(Base):
    """A URL to which a player wants their events sent. `url` and the secrets are encrypted, as they give access.

    device: the name of a browser that calls its player when it is their turn; null for a program, which gets all
        events. The URL of a device is that of its push service, and `secret` its two keys
    format: what its receiver reads: `json` for a program or a device, or the name of a chat
    games: the ids of the games that it is about, each between spaces; null for all
    session: the `digest` of the browser's session, with which the device ends; null where it was added by REST
    target: a keyed hash of host and port
    former_secret: also signs messages, for a day after `rotated_at`
    off_because: null, owner, gone or failures
    fence, not_before: the lease. The webhook is leased, not a message, because its messages go one after the other.
    retry_at: when the oldest message may be tried again; null unless it failed
    failing_since: when the first message failed after the last success; null since a success
    """

    __tablename__ = "webhooks"
    __table_args__ = (
        Index("ix_webhooks_rotated", "rotated_at", sqlite_where=_WAS_ROTATED),
        Index("ix_webhooks_off", "off_because", sqlite_where=_IS_OFF),
        Index("ix_webhooks_leased", "not_before", sqlite_where=_WAS_LEASED),
        Index("ix_webhooks_session", "session", sqlite_where=_HAS_SESSION),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    url: Mapped[str] = mapped_column(Encrypted("webhooks.url", 1024))
    target: Mapped[str] = mapped_column(String(64), index=True)
    secret: Mapped[str] = mapped_column(Encrypted("webhooks.secret"))
    former_secret: Mapped[str | None] = mapped_column(Encrypted("webhooks.former_secret"))
    rotated_at: Mapped[datetime | None] = mapped_column(UtcTime)
    off_because: Mapped[str | None] = mapped_column(String(8))
    fence: Mapped[str | None] = mapped_column(String(32))
    not_before: Mapped[datetime] = mapped_column(UtcTime)
    retry_at: Mapped[datetime | None] = mapped_column(UtcTime)
    failing_since: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    device: Mapped[str | None] = mapped_column(String(60))
    games: Mapped[str | None] = mapped_column()
    session: Mapped[str | None] = mapped_column(String(64))
    format: Mapped[str] = mapped_column(String(8), default="json", server_default="json")


class WebhookDelivery(Base):
    """A message to a webhook: about the event `event` of a game, or a test, which has neither.

    `mail` is the id of the row of the outbox that tells a player the same: a device shows its subject, a program gets
    what it tells. `at` is the time of the event, or that before which a device is not called. `state` is pending,
    delivered, failed or dropped; `outcome` is a word about the last attempt.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index("ix_webhook_deliveries_waiting", "webhook_id", "state", "at"),
        Index("ix_webhook_deliveries_at", "at"),
        Index("ix_webhook_deliveries_pending", "state", "webhook_id", sqlite_where=_IS_PENDING),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id"))
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    event: Mapped[int | None] = mapped_column()
    at: Mapped[datetime] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(10), default="pending")
    outcome: Mapped[str | None] = mapped_column(String(12))
    attempts: Mapped[int] = mapped_column(default=0)
    tried_at: Mapped[datetime | None] = mapped_column(UtcTime)
    mail: Mapped[str | None] = mapped_column(String(32))


class PushKey(Base):
    """The private key by which push services know this server (VAPID). There is one row, number 1."""

    __tablename__ = "push_keys"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    value: Mapped[str] = mapped_column(Encrypted("push_keys.value", 256))
