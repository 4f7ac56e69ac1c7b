"""Facts about the server itself: its key check, heartbeats, outages, and alerts."""

from datetime import datetime

from sqlalchemy import BigInteger, String
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
    """A count that is kept, as counting all rows would take ever longer: `games open` and the like, and `players`."""

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
