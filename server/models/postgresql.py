"""Connections to PostgreSQL: few of them, which outlive no transaction in anything they set, and its clock.

A pooler in front, such as pgbouncer, may give each transaction another connection of the server. So nothing is
prepared, set or locked for longer than one. A `Listener` is the exception: it refuses a pooler, and keeps its settings
and its lock until it is closed.
"""

from __future__ import annotations

import select
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from flask import Flask
from sqlalchemy import Connection, Engine, event, exc, text
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from server.models.unavailable import Unavailable
from server.runtime import Runtime

if TYPE_CHECKING:
    import psycopg

    Driver = psycopg.Connection[tuple[object, ...]]

MEASURED_EVERY = 5.0  # seconds between two looks at the clock of the database
ARGUMENTS = {"prepare_threshold": None}  # of the driver: it prepares nothing on a connection that may change
# Of several hosts the one that writes, which is another after a failover.
PRIMARY = {"target_session_attrs": "read-write"}
# A smaller difference is left, so that the time of a process does not jump to and fro.
TOLERATED_OFFSET = timedelta(seconds=0.1)
CHANNEL = "blackticket_{}"  # of a wake-up
NEWS = CHANNEL.format("news")
MIGRATION_LOCK, LISTENER_LOCK = 7_365_190_423, 7_365_190_424  # advisory locks; numbers that no other program uses
TOPICS_AT_ONCE = 100  # a notification has 8,000 bytes at most
MOST_LATE = 5.0  # seconds from the time of news until they are committed and read, by who looks for them once a second
_RECENT = text("SELECT number, topics FROM news WHERE at > clock_timestamp() - :most_late * interval '1 second'")
# Seconds, so that a connection on which nothing is asked notices that the other machine is gone.
KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
# The same for the server's end, which then drops the connection of a worker whose machine is gone, and its lock.
SET_KEEPALIVES = "; ".join(f"SET tcp_{name} = {number}" for name, number in KEEPALIVES.items())
CLOCK_STEP = 1.0  # seconds by which the clock of the machine may leave the monotonic one before it is compared again


class Connections(QueuePool):
    """A pool of a fixed size, in which a thread waits for its turn."""

    def connect(self) -> PoolProxiedConnection:
        """Return a connection of the pool.

        Raises:
            Unavailable: if none was given back in time.
        """
        try:
            return super().connect()
        except exc.TimeoutError as error:
            told = Unavailable(None, None, error)
            told.why = "all connections of this process to it are in use"
            raise told from None


def arguments(url: str) -> dict[str, object]:
    """Return the arguments of the driver for connections to `url`."""
    return {**ARGUMENTS, **({} if "target_session_attrs=" in url else PRIMARY)}


def options(url: str, most: int, patience: float) -> dict[str, object]:
    """Return the options of an engine that opens `most` connections, for one of which a thread waits for `patience`."""
    return {
        "isolation_level": "AUTOCOMMIT",
        "poolclass": Connections, "pool_size": most, "max_overflow": 0, "pool_timeout": patience,
        "connect_args": arguments(url),
    }  # fmt: skip


def read_clock(connection: Driver) -> datetime:
    """Return what the clock of the database says now, over a connection of the driver."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        ((at,),) = cursor.fetchall()
    assert isinstance(at, datetime)
    return at.astimezone(UTC)


def prepare(app: Flask, engine: Engine) -> None:
    """Have the engine hand out no connection that is lost, and look at the clock of the database now and then."""
    parts: Runtime = app.extensions["blackticket"]
    clock = DatabaseClock(parts)

    @event.listens_for(engine, "connect")
    def limit_waits(connection: Driver, _record: object) -> None:
        # For readers, who open no transaction. Behind a pooler it would stay on a connection that others get.
        if not is_behind_pooler(connection):
            connection.execute(f"SET lock_timeout = {parts.database.lock}")

    @event.listens_for(engine, "checkout")
    def look(connection: Driver, _record: object, _proxy: object) -> None:
        # On an idle connection there is nothing to read, unless the server has closed it.
        if connection.closed or is_readable(connection):
            raise exc.InvalidatePoolError
        try:
            clock.look(connection)
        except connection.Error:
            if connection.closed:
                raise exc.InvalidatePoolError from None


def commit_and_notify(connection: Connection, wakes: Iterable[str], news: Iterable[str]) -> None:
    """Commit the transaction that is open on a connection; send wake-ups to the worker that listens, and news to all.

    News are written as well, for processes that hear nothing. All of it takes one round trip. The notifications are a
    transaction of their own behind the other, because PostgreSQL lets only one transaction at a time commit that has
    some: those that wrote rows would wait for each other's disk.
    """
    notified = [f"NOTIFY {CHANNEL.format(wake)}" for wake in sorted(wakes)]
    told = sorted(news)
    # Ids, dots and stars, so nothing in it ends the text.
    texts = [" ".join(told[i : i + TOPICS_AT_ONCE]) for i in range(0, len(told), TOPICS_AT_ONCE)]
    notified += [f"NOTIFY {NEWS}, '{each}'" for each in texts]
    written = [f"INSERT INTO news (at, topics) VALUES (clock_timestamp(), '{each}')" for each in texts]  # noqa: S608
    statement = "; ".join([*written, "COMMIT", *notified])
    for listener in connection.dispatch.commit:
        listener(connection)
    try:
        connection.exec_driver_sql(statement)
    except exc.DBAPIError as error:
        # Else their queue is full, behind a commit that is done; the workers find its rows at their tick.
        if not isinstance(error.orig, connection.dialect.loaded_dbapi.errors.ProgramLimitExceeded):
            raise
    connection.rollback()  # nothing is open any more, for the database and its driver; SQLAlchemy ends its own part


class Unheard(Exception):
    """No notification can be heard here, because a pooler stands in front."""


class Listener:
    """A connection on which wake-ups arrive. It is not from the pool, as PostgreSQL notifies a connection for good."""

    def __init__(self, engine: Engine, names: Iterable[str]) -> None:
        """Connect; `try_to_listen` then listens for the wake-ups of these names.

        Raises:
            Unheard: behind a pooler, which may give the connection of the server to somebody else.
        """
        self._names = {CHANNEL.format(name): name for name in names}
        arguments, options = engine.dialect.create_connect_args(engine.url)
        connected = engine.dialect.connect(*arguments, **{**PRIMARY, **options, **KEEPALIVES, "autocommit": True})
        self._connection: Driver = connected  # type: ignore[assignment]
        try:
            if is_behind_pooler(self._connection):
                raise Unheard
            self._connection.execute(SET_KEEPALIVES)
        except BaseException:
            self.close()
            raise

    def try_to_listen(self) -> bool:
        """Listen, unless another connection to the database does; return whether this one listens now.

        One worker is enough: each that was woken would ask for the same rows, and most of them for nothing.
        """
        with self._connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", (LISTENER_LOCK,))
            ((is_first,),) = cursor.fetchall()
            if is_first:
                cursor.execute("; ".join(f"LISTEN {channel}" for channel in self._names))
        return bool(is_first)

    def wait(self, seconds: float) -> set[str]:
        """Return the names of the wake-ups that came, once there are some, or after so many seconds."""
        return {self._names[each.channel] for each in self._connection.notifies(timeout=seconds, stop_after=1)}

    def listen_for_news(self) -> None:
        """Listen for news, as every process that has streams does."""
        self._connection.execute(f"LISTEN {NEWS}")

    def news(self, seconds: float) -> set[str]:
        """Return the topics that came, once there are some, or after so many seconds."""
        came = self._connection.notifies(timeout=seconds, stop_after=1)
        return {topic for each in came for topic in each.payload.split()}

    def close(self) -> None:
        self._connection.close()


class Lookout:
    """A look at what was committed lately, now and then, where no notification arrives."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: set[int] = set()
        self.news()

    def news(self) -> set[str]:
        """Return the topics that came since the last look, which was less than `MOST_LATE` ago."""
        with self._engine.connect() as connection:
            rows = connection.execute(_RECENT, {"most_late": MOST_LATE})
            recent = {row.number: row.topics for row in rows}
        new = {topic for number in recent.keys() - self._known for topic in recent[number].split()}
        self._known = {*recent}
        return new


def is_behind_pooler(connection: Driver) -> bool:
    """Return whether a pooler stands in front: it tells a number of the connection that is not the server's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        ((backend,),) = cursor.fetchall()
    return bool(backend != connection.info.backend_pid)


class DatabaseClock:
    """A process's knowledge of the database's clock, by which all processes reckon: it stands in `runtime().ahead`."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._looked_at: tuple[datetime, float] | None = None

    def look(self, connection: Driver) -> None:
        """Compare the clocks if the last time was a while ago, or the clock of this machine was set since."""
        read = self._runtime.database_clock
        if read is None or not self._is_due():
            return
        before = self._runtime.clock()
        at = read(connection)
        after = self._runtime.clock()
        # As the answer may have taken as long as the question.
        ahead = before + (after - before) / 2 - at
        if abs(ahead - self._runtime.ahead) > max(TOLERATED_OFFSET, after - before):
            self._runtime.ahead = ahead
        self._looked_at = after, self._runtime.monotonic()

    def _is_due(self) -> bool:
        if self._looked_at is None:
            return True
        at, ticked = self._looked_at
        passed = self._runtime.monotonic() - ticked
        step = (self._runtime.clock() - at).total_seconds() - passed
        return not 0 <= passed < MEASURED_EVERY or abs(step) > CLOCK_STEP


def is_readable(connection: Driver) -> bool:
    """Return True if there is unread data on a connection."""
    readable = select.poll()  # select() cannot handle descriptors above 1,023
    readable.register(connection, select.POLLIN)
    return bool(readable.poll(0))
