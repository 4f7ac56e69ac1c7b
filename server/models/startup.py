"""Wait at start-up until the database server answers."""

import logging
import re
from time import sleep

from sqlalchemy import Engine

from server.models.unavailable import Unavailable

log = logging.getLogger(__name__)
LONGEST_PAUSE = 30.0  # seconds between two attempts
# No later attempt can succeed without the operator. The driver has no code for a connection that was refused.
_FOR_GOOD = re.compile(r"authentication failed|no password supplied|does not exist|pg_hba\.conf|permission denied")


def wait_for(engine: Engine) -> None:
    """Wait until the database server answers, with a log line for each attempt and pauses of up to `LONGEST_PAUSE`.

    Raises:
        Unavailable: at once if it is SQLite, or if the server refuses this user or has no such database.
    """
    pause = 1.0
    while True:
        try:
            engine.connect().close()
            return
        except Unavailable as error:
            if engine.dialect.name == "sqlite" or _FOR_GOOD.search(str(error.orig)):
                raise
            log.warning("the database cannot be used (%s); the next attempt is in %d seconds", error.why, pause)
        sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
