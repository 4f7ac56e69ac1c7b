"""The heart of a process: a thread that says that it is alive; that of a worker also renews what it has leased."""

import logging
import threading
from collections.abc import Callable

from flask import Flask

from server.application.health import processes
from server.models import liveness
from server.models.base import is_sqlite
from server.runtime.faults import fault

log = logging.getLogger(__name__)


class Heart:
    """A heart that does its `acts` every `liveness.RENEWED_EVERY` seconds, and on PostgreSQL says that it beats."""

    def __init__(self, app: Flask, *acts: Callable[[], object]) -> None:
        self._app = app
        self._acts = [*acts]
        if not is_sqlite(app.extensions["blackticket"].settings.database_url):
            self._acts.append(processes.renew)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        """Beat for the first time, and go on in the thread, if there is anything to do."""
        if self._acts:
            self.beat()
            self._thread.start()

    def stop(self) -> None:
        """End the thread. What the process holds still is free when its leases have run out."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def beat(self) -> None:
        """Do the acts, each whatever became of the others."""
        for act in self._acts:
            try:
                with self._app.app_context():
                    act()
            except Exception as error:  # noqa: BLE001 a database that is away now will be back
                log.error("the process could not renew what it holds: %s", fault(error))

    def _run(self) -> None:
        while not self._stopping.wait(liveness.RENEWED_EVERY):
            self.beat()
