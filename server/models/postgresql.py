"""Connections to PostgreSQL: few of them, which outlive no transaction in anything they set, and its clock.

A pooler in front, such as pgbouncer, may give each transaction another connection of the server. So nothing is
prepared, set or locked for longer than one.
"""

from __future__ import annotations

import select
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from flask import Flask
from sqlalchemy import Engine, event, exc
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from server.models.unavailable import Unavailable
from server.runtime import Runtime

if TYPE_CHECKING:
    import psycopg

    Driver = psycopg.Connection[tuple[object, ...]]

MEASURED_EVERY = 5.0  # seconds between two looks at the clock of the database
ARGUMENTS = {"prepare_threshold": None}  # of the driver: it prepares nothing on a connection that may change
# A smaller difference is left, so that the time of a process does not jump to and fro.
TOLERATED_OFFSET = timedelta(seconds=0.1)
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


def options(most: int, patience: float) -> dict[str, object]:
    """Return the options of an engine that opens `most` connections, for one of which a thread waits for `patience`."""
    return {
        "isolation_level": "AUTOCOMMIT",
        "poolclass": Connections, "pool_size": most, "max_overflow": 0, "pool_timeout": patience,
        "connect_args": ARGUMENTS,
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
    clock = DatabaseClock(app.extensions["blackticket"])

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
