"""Facts about the server itself: its key check, heartbeats, outages, and alerts."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, text
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base
from server.models.types import Encrypted, UtcTime


class Pulse(Base):
    """A heartbeat. By `name`, `at` is when a worker last ran (`tick`), when all was last well (`well`), when the
    relay was last tried (`knock`), since when it accepts nothing (`no-relay`, else missing), when games were last
    verified (`verified`), when a clock that had been days fast was right again (`was-ahead`, missing once the timers
    that it started are corrected), or when this copy was made (`backup`, in backups alone).
    """

    __tablename__ = "pulses"

    name: Mapped[str] = mapped_column(String(16), primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)


class Tally(Base):
    """A count that is kept, as counting all rows would take ever longer: `games open` and the like, `players`, and
    `vs good m won`: games won by a person, as Mr. X or a detective, against good bots.
    """

    __tablename__ = "tallies"

    name: Mapped[str] = mapped_column(String(16), primary_key=True)
    number: Mapped[int] = mapped_column()


class Process(Base):
    """A process that works on this database, where that is PostgreSQL. It renews its row every other second; another
    process deletes one that was not renewed for a while.

    began_at, seen_at: when it began, and when it last looked
    host: the name of its machine
    ahead: seconds by which the clock of that machine is ahead of the database's
    connections: how many to the database it may open
    settings: a fingerprint of the settings in which all processes must agree
    """

    __tablename__ = "processes"

    name: Mapped[str] = mapped_column(String(8), primary_key=True)
    began_at: Mapped[datetime] = mapped_column(UtcTime)
    seen_at: Mapped[datetime] = mapped_column(UtcTime)
    host: Mapped[str] = mapped_column(String(64))
    ahead: Mapped[float] = mapped_column()
    connections: Mapped[int] = mapped_column()
    settings: Mapped[str] = mapped_column(String(80))


class News(Base):
    """Topics that a commit told streams of, for processes that hear no notifications, as behind a pooler.

    They are apart by spaces. There are some on PostgreSQL alone, and none is older than a minute.
    """

    __tablename__ = "news"

    number: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime, index=True)
    topics: Mapped[str] = mapped_column(String)


class Outage(Base):
    """A time in which players could not rely on the server, from `begin` to `end`: `cause` is server, clock, mailbox,
    relay or restore (from a backup).

    `state` is waiting (for the operator; `end` is null until then), granted (games are getting the time back), done, or
    refused.
    """

    __tablename__ = "outages"

    number: Mapped[int] = mapped_column(primary_key=True)
    cause: Mapped[str] = mapped_column(String(8))
    begin: Mapped[datetime] = mapped_column(UtcTime)
    end: Mapped[datetime | None] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(8))


class KeyCheck(Base):
    """The key check: a constant, encrypted with the secret key of the database. There is one row, number 1."""

    __tablename__ = "key_checks"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    value: Mapped[str] = mapped_column(Encrypted("key_checks.value"))


class Alert(Base):
    """A trouble, and when the operator was last told of it by mail.

    `cause` is a word of `server.application.operator.alerts`.
    """

    __tablename__ = "alerts"

    cause: Mapped[str] = mapped_column(String(32), primary_key=True)
    told_at: Mapped[datetime] = mapped_column(UtcTime)


class Quota(Base):
    """The use of strangers within one window of time, which began at `begin`; it is deleted after the next one.

    purpose: what is counted, a word of `server.application.limits.quotas`
    branch: a keyed hash of a network or a domain, of a wide or a narrow one; or nothing, for all of them together
    amount: how much they have used up
    branches: how many of the branches in this one have used anything
    newest: when they last did
    """

    __tablename__ = "quotas"

    purpose: Mapped[str] = mapped_column(String(16), primary_key=True)
    begin: Mapped[datetime] = mapped_column(UtcTime, primary_key=True)
    branch: Mapped[str] = mapped_column(String(64), primary_key=True)
    amount: Mapped[int] = mapped_column(BigInteger)
    branches: Mapped[int] = mapped_column()
    newest: Mapped[datetime] = mapped_column(UtcTime)


_IS_OPEN = text("settled_at IS NULL")


class AbuseReport(Base):
    """A report to the operator: on a message, on the name of a player, or on an invitation, in one game.

    kind: message, name or invitation
    reporter_id: the player who reports; null for the reader of an invitation who is no player
    player_id: the player who is reported
    name: what that player was called when the report was made
    message_id: the message, whose text stays in the talk alone
    mail_id: the mail of the invitation, if its reader has reported it by the link there
    settled_at: when an operator was done with it; such a row is deleted later
    """

    __tablename__ = "abuse_reports"
    __table_args__ = (
        Index("ix_abuse_reports_settled", "settled_at", "created_at"),
        # PostgreSQL reads the open ones in their order by an index of them alone.
        Index("ix_abuse_reports_open", "created_at", "id", sqlite_where=_IS_OPEN),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    reporter_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    name: Mapped[str] = mapped_column(String(40))
    message_id: Mapped[str | None] = mapped_column(ForeignKey("messages.id"), index=True)
    mail_id: Mapped[str | None] = mapped_column(String(32), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    settled_at: Mapped[datetime | None] = mapped_column(UtcTime)


class BlockedNetwork(Base):
    """A network from which nobody gets anything of this server until `ends_at`, such as 192.0.2.0/24."""

    __tablename__ = "blocked_networks"

    network: Mapped[str] = mapped_column(String(43), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    ends_at: Mapped[datetime] = mapped_column(UtcTime)
