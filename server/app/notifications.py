"""The threads of a process on PostgreSQL that read what other processes send with their commits.

A worker hears wake-ups, a process that serves HTTP hears news. It only saves a wait: where nobody hears anything, the
ticker finds the rows, and pages ask by themselves. Behind a pooler a process looks for news once a second.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from time import monotonic

from flask import Flask
from sqlalchemy import Engine

from server.models import db
from server.models.postgresql import MOST_LATE, Listener, Lookout, Unheard
from server.runtime.faults import fault

log = logging.getLogger(__name__)
LOOK = 0.5  # seconds between two looks whether the process stops
TAKE_OVER = 2.0  # seconds between two attempts to listen in place of another worker; the tick finds rows meanwhile
AGAIN = 1.0  # seconds before it connects again
LOOK_FOR_NEWS = 1.0  # seconds between two looks for news, where none are heard
GATHER = 0.03  # seconds after a wake-up in which others are taken with it, as one look finds the rows of all


class Missed(Exception):
    """News may have gone by while this process did not look."""


class _Reader(threading.Thread):
    """A thread that listens on a connection of its own, and connects again when that is lost."""

    names: Iterable[str] = ()

    def __init__(self, app: Flask) -> None:
        super().__init__(name="notifications", daemon=True)
        self._stopping = threading.Event()
        self._is_lost = False
        with app.app_context():
            self._engine: Engine = db.engine

    def run(self) -> None:
        """Listen until the process stops; log a loss once, until it is over."""
        while not self._stopping.is_set():
            try:
                self._hear()
            except Exception as error:  # noqa: BLE001 a database that is away now will be back
                if not self._is_lost:
                    log.warning("this process hears no notifications until the database is back: %s", fault(error))
                self._is_lost = True
                self._stopping.wait(AGAIN)

    def _hear(self) -> None:
        try:
            with closing(Listener(self._engine, self.names)) as listener:
                self._is_lost = False
                self._read(listener)
        except Unheard:
            log.info("this process hears no notifications behind a pooler, and so looks by itself")
            self._look()

    def stop(self) -> None:
        """Have the thread end."""
        self._stopping.set()

    def _read(self, listener: Listener) -> None:
        raise NotImplementedError

    def _look(self) -> None:
        """Do without notifications until the process stops, or raise what the database does."""
        self._stopping.wait()


class WakeUpReader(_Reader):
    """The reader of a worker. Of several workers one listens, and another when that one has ended."""

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self._wake_ups = app.extensions["blackticket"].wake_ups
        self.names = self._wake_ups.names()

    def _read(self, listener: Listener) -> None:
        """Wait until no other worker listens, then listen, until this one stops or the connection is lost."""
        while not listener.try_to_listen():
            if self._stopping.wait(TAKE_OVER):
                return
        self._set(self._wake_ups.names())  # whatever was sent while nobody listened
        while not self._stopping.is_set():
            if names := listener.wait(LOOK):
                self._stopping.wait(GATHER)
                self._set(names | listener.wait(0))

    def _set(self, names: Iterable[str]) -> None:
        for name in names:
            getattr(self._wake_ups, name).set()


class NewsReader(_Reader):
    """The reader of a process with streams, which are there only while it listens."""

    def __init__(self, app: Flask, tell: Callable[[set[str]], object], set_hearing: Callable[[bool], object]) -> None:
        super().__init__(app)
        self._tell, self._set_hearing = tell, set_hearing

    def _read(self, listener: Listener) -> None:
        listener.listen_for_news()
        self._pass_on(lambda: listener.news(LOOK))

    def _look(self) -> None:
        lookout, looked_at = Lookout(self._engine), monotonic()
        self._is_lost = False

        def news() -> set[str]:
            nonlocal looked_at
            self._stopping.wait(LOOK_FOR_NEWS)
            found, before, looked_at = lookout.news(), looked_at, monotonic()
            if looked_at - before > MOST_LATE:
                raise Missed(f"no look at news for {looked_at - before:.0f} s")
            return found

        self._pass_on(news)

    def _pass_on(self, news: Callable[[], set[str]]) -> None:
        """Tell of news until the process stops. What this raises ends the streams, so that no page waits in vain."""
        self._set_hearing(True)
        try:
            while not self._stopping.is_set():
                if topics := news():
                    self._tell(topics)
        finally:
            self._set_hearing(False)
