"""Webhooks, and the messages sent to them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base
from server.models.types import Encrypted, UtcTime

_IS_PENDING = text("state = 'pending'")
_IS_OFF = text("off_because IS NOT NULL")
_WAS_LEASED = text("fence IS NOT NULL")
_WAS_ROTATED = text("former_secret IS NOT NULL")


class Webhook(Base):
    """A URL to which a player wants their events sent. `url` and the secrets are encrypted, as they give access.

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


class WebhookDelivery(Base):
    """A message to a webhook: about the event `event` of a game, or a test, which has neither.

    notice: the mail that tells the same, if it is about that and not about the event
    `at` is the time of the event. `state` is pending, delivered, failed or dropped; `outcome` is a word
    about the last attempt.
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
    notice: Mapped[str | None] = mapped_column(String(32))
