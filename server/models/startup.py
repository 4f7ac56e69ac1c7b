"""Wait at start-up until the database can be used."""

import logging
import re
from time import sleep

from sqlalchemy import Connection, Engine

from server.models.base import open_for_writing
from server.models.unavailable import Unavailable

log = logging.getLogger(__name__)
LONGEST_PAUSE = 30.0  # seconds between two attempts
# No later attempt can succeed without the operator. The driver has no code for a connection that was refused.
_FOR_GOOD = re.compile(r"authentication failed|no password supplied|does not exist|pg_hba\.conf|permission denied")


def wait_for(engine: Engine) -> None:
    """Wait until the database server answers, with a log line for each attempt and pauses of up to `LONGEST_PAUSE`.

    Raises:
        Unavailable: at once if it is a SQLite file that cannot be written, or if the server refuses this user or has no such database.
    """
    pause = 1.0
    while True:
        try:
            with engine.connect() as connection:
                if engine.dialect.name == "sqlite":
                    _require_writable(connection)
            return
        except Unavailable as error:
            if engine.dialect.name == "sqlite" or _FOR_GOOD.search(str(error.orig)):
                raise
            log.warning("the database cannot be used (%s); the next attempt is in %d seconds", error.why, pause)
        sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def _require_writable(connection: Connection) -> None:
    """Raise `Unavailable` if the SQLite file cannot be written: BEGIN IMMEDIATE reads one of those without a word."""
    open_for_writing(connection)
    connection.exec_driver_sql("CREATE TABLE is_writable (n)")
    connection.rollback()
