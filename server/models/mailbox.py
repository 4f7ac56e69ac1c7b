"""Mailboxes and provider calls that were read: so each mail is accepted once, and a deadline waits for it."""

from datetime import datetime

from sqlalchemy import JSON, BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base
from server.models.types import UtcTime


class Mailbox(Base):
    """A mailbox that is read by IMAP.

    All mails up to `last_uid` were read; the number is valid for one `uidvalidity` only. All mails that arrived before
    `read_at` are in the inbox, but those in `left`: the UIDs of mails that were too much, the next to try first.
    `error` says what is wrong. `holder` is the process that reads it, until `held_until`.
    """

    __tablename__ = "mailboxes"

    name: Mapped[str] = mapped_column(String(400), primary_key=True)
    uidvalidity: Mapped[int] = mapped_column(BigInteger, default=0)
    last_uid: Mapped[int] = mapped_column(BigInteger, default=0)
    left: Mapped[list[int]] = mapped_column(JSON, default=list)
    read_at: Mapped[datetime | None] = mapped_column(UtcTime)
    error: Mapped[str | None] = mapped_column(String(200))
    holder: Mapped[str | None] = mapped_column(String(32))
    held_until: Mapped[datetime | None] = mapped_column(UtcTime)


class ProviderCall(Base):
    """A provider's signature that was used: `mark` is its hash, `digest` that of the mail it came with."""

    __tablename__ = "provider_calls"

    mark: Mapped[str] = mapped_column(String(64), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
