"""The heart of a process: a thread that says that it is alive; that of a worker also frees what dead ones held."""

import logging
import threading
from collections.abc import Callable

from flask import Flask

from server.application import leases
from server.faults import fault
from server.models import liveness
from server.models.base import is_sqlite

log = logging.getLogger(__name__)


class Heart:
    """A heart that beats every `liveness.RENEWED_EVERY` seconds.

    One with `freed` frees the leases of dead processes, and then calls that, to have somebody take what they held. Any
    other leaves them to it, or they would wait for the next look of a worker.
    """

    def __init__(self, app: Flask, freed: Callable[[], object] | None = None) -> None:
        self._app, self._freed = app, freed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        """Beat for the first time, and go on in the thread, if there is anything to do.

        With SQLite a life needs not be renewed.
        """
        if self._freed is None and is_sqlite(self._app.extensions["blackticket"].settings.database_url):
            return
        self.beat()
        self._thread.start()

    def stop(self) -> None:
        """End the thread. What the process holds still is free when others find it dead."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def beat(self) -> None:
        """Say that this process is alive, and free what dead ones held, if that is for this heart to do."""
        try:
            with self._app.app_context():
                is_another_over = liveness.renew()
                if self._freed is not None and is_another_over and leases.drop_of_the_dead():
                    self._freed()
        except Exception as error:  # noqa: BLE001 a database that is away now will be back
            log.error("the process could not say that it is alive: %s", fault(error))

    def _run(self) -> None:
        while not self._stopping.wait(liveness.RENEWED_EVERY):
            self.beat()
