"""The heart of a process: a thread that says that it is alive, and frees what dead ones held."""

import logging
import threading
from collections.abc import Callable

from flask import Flask

from server.application import leases
from server.faults import fault
from server.models import liveness

log = logging.getLogger(__name__)


class Heart:
    """A heart that beats every `liveness.RENEWED_EVERY` seconds; `freed` is called when it freed something."""

    def __init__(self, app: Flask, freed: Callable[[], object] = lambda: None) -> None:
        self._app, self._freed = app, freed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        """Beat for the first time, and go on in the thread."""
        self.beat()
        self._thread.start()

    def stop(self) -> None:
        """End the thread. What the process holds still is free when others find it dead."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def beat(self) -> None:
        """Say that this process is alive, and drop the leases of those that are not."""
        try:
            with self._app.app_context():
                if liveness.renew() and leases.drop_of_the_dead():
                    self._freed()
        except Exception as error:  # noqa: BLE001 a database that is away now will be back
            log.error("the process could not say that it is alive: %s", fault(error))

    def _run(self) -> None:
        while not self._stopping.wait(liveness.RENEWED_EVERY):
            self.beat()
