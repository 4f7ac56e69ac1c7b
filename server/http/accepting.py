"""Accepting connections, also where the system has no descriptor or memory left for another."""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Sequence

log = logging.getLogger(__name__)
NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
PAUSE = 1.0  # seconds; who connects meanwhile waits in the backlog
LOG_EVERY = 60.0  # seconds
AT_ONCE = 100  # connections, before others on the loop have their turn


class Accepting:
    """Accepts the connections that come to a listening socket, on the event loop under way, until `stop`.

    A connection that cannot be accepted for lack of room keeps the socket readable. Looking at once again would keep
    the loop busy for nothing, so the socket is left alone for a pause.
    """

    def __init__(
        self,
        listening: socket.socket,
        accepted: Callable[[socket.socket, Sequence[object]], None],
        pause: float = PAUSE,
    ) -> None:
        """Begin; `accepted` is called with each connection, which it has to make non-blocking, and its address."""
        self._listening = listening
        self._accepted = accepted
        self._seconds = pause
        self._loop = asyncio.get_running_loop()
        self._pause: asyncio.TimerHandle | None = None
        self._logged_at: float | None = None
        self._begin()

    def stop(self) -> None:
        """Accept no more."""
        self._loop.remove_reader(self._listening)
        if self._pause is not None:
            self._pause.cancel()

    def _begin(self) -> None:
        self._pause = None
        self._loop.add_reader(self._listening, self._accept)

    def _accept(self) -> None:
        for _ in range(AT_ONCE):
            try:
                connection, address = self._listening.accept()
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionAbortedError:
                continue
            except OSError as error:
                if error.errno not in NO_ROOM:
                    raise
                self._rest(errno.errorcode[error.errno])
                return
            self._accepted(connection, address)

    def _rest(self, reason: str) -> None:
        self._loop.remove_reader(self._listening)
        self._pause = self._loop.call_later(self._seconds, self._begin)
        if self._logged_at is None or self._loop.time() - self._logged_at >= LOG_EVERY:
            self._logged_at = self._loop.time()
            log.error("the system has no room for another HTTP connection (%s); those that come wait", reason)
