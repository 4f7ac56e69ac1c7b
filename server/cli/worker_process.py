"""The worker of `blackticket serve`: a process beside the one that serves HTTP, or threads in it.

A socket joins the two processes. Over it the first sends the wake-ups of its commits and the word to stop, the worker
that it is ready, and each of its looks for what is due; and each sees at once when the other is gone.
docs/decisions/0027 has the reasons.
"""

import logging
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import click
from flask import Flask

from server.app import wsgi
from server.cli.processes import close_database, require_relay, set_up_log, stop_on_signal, unusable
from server.cli.service_manager import STOPPING, HangLimit, LastLook, ServiceManager
from server.mail.transport.smtp_server import bind, listen
from server.runtime.faults import fault
from server.runtime.wake_ups import DistantEvent, WakeUps
from server.settings import Listen
from server.worker import Worker


def worker() -> None:
    app = wsgi()
    settings = app.extensions["blackticket"].settings
    set_up_log(settings)
    require_relay(settings)
    mail = listeners(app, mail_sockets(settings.mail_listen))
    manager, last_look, limit = ServiceManager(), LastLook(settings), HangLimit(settings)

    def looked() -> None:
        last_look.note()
        limit.put_off()

    running = Worker(app, looked=looked)
    running.start()
    stop = threading.Event()
    stop_on_signal(stop.set, lambda: manager.tell(STOPPING))
    click.echo("The worker runs.")
    sys.stdout.flush()
    manager.watch([last_look.check])
    stop.wait()
    limit.lift()
    for listener in mail:
        listener.stop()
    running.stop()
    close_database(app)


log = logging.getLogger(__name__)
Bound = Sequence[tuple[Listen, socket.socket]]
READY, LOOKED, NEWS, STOP = b"!", b"+", b"=", b"."
END = b"\n"  # of what the worker says
LETTERS = {name: bytes([65 + number]) for number, name in enumerate(WakeUps.names())}


def mail_sockets(addresses: Sequence[Listen]) -> list[tuple[Listen, socket.socket]]:
    """Return a listening socket for each address; raise `SettingError` if one cannot be used."""
    bound = []
    for at in addresses:
        try:
            bound.append((at, bind(at)))
        except OSError as error:
            raise unusable("MAIL_LISTEN", at, error) from None
    return bound


def listeners(app: Flask, bound: Sequence[tuple[Listen, socket.socket]]) -> list[Any]:
    """Start the mail listeners on sockets that are bound, and return them."""
    return [listen(app, *each) for each in bound]


def worker_of_serve(
    app: Flask, mail: Bound, release: Callable[[], object], looked: Callable[[], None]
) -> "WorkerProcess | WorkerThreads":
    """Return the worker, with the mail listeners on these sockets; `release` closes what it must not hold open.

    `looked` is called in this process after each look of the worker for what is due.

    It is a process where a second core can run it. On one core, two processes would cost memory and win nothing.
    """
    return WorkerProcess(app, mail, release, looked) if cores() > 1 else WorkerThreads(app, mail, looked)


def cores() -> int:
    """Return how many cores this process may use; 1 where the system does not tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


class WorkerThreads:
    """The worker and the mail listeners as threads of this process."""

    def __init__(self, app: Flask, mail: Bound, looked: Callable[[], None]) -> None:
        self._app, self._mail, self._looked = app, mail, looked

    def start(self, when_ended: Callable[[], object]) -> None:
        """Start them; threads do not end before they are told to."""
        self._listeners = listeners(self._app, self._mail)
        self._worker = Worker(self._app, gives_way=True, looked=self._looked)
        self._worker.start()

    def stop(self) -> bool:
        """Finish the work under way, and stop."""
        for listener in self._listeners:
            listener.stop()
        self._worker.stop()
        return True


class WorkerProcess:
    """The worker and the mail listeners in a process of their own, forked from this one before it has threads."""

    def __init__(self, app: Flask, mail: Bound, release: Callable[[], object], looked: Callable[[], None]) -> None:
        self._app, self._mail, self._release, self._looked = app, mail, release, looked
        self._is_stopping = False

    def start(self, when_ended: Callable[[], object]) -> None:
        """Fork, and wait until the worker works; call `when_ended` if it ends before it is told to."""
        close_database(self._app)  # no connection may be used by two processes
        self._line, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            self._line.close()
            self._release()
            _run(partial(_work, self._app, self._mail, _Parent(theirs)))
        theirs.close()
        for _, bound in self._mail:
            bound.close()
        send = self._line.send
        events = {name: DistantEvent(partial(_send, send, letter)) for name, letter in LETTERS.items()}
        parts = self._app.extensions["blackticket"]
        parts.wake_ups, parts.has_worker = WakeUps(**events), True
        while self._line.recv(1) in (LOOKED, END):  # then it is ready, or at its end
            pass
        threading.Thread(target=self._watch, args=(when_ended,), name="worker", daemon=True).start()

    def stop(self) -> bool:
        """Have it finish the work under way, and wait until it has ended; return False if it failed."""
        self._is_stopping = True
        with suppress(OSError):
            self._line.sendall(STOP)
        _, status = os.waitpid(self._pid, 0)
        if status:
            log.error("the worker's process %s", _end(status))
        return status == 0

    def _watch(self, when_ended: Callable[[], object]) -> None:
        with suppress(OSError), self._line.makefile("rb") as lines:
            for line in lines:
                if line.startswith(NEWS):
                    self._app.extensions["blackticket"].tell(frozenset(line[1:].decode().split()))
                else:
                    self._looked()
        if not self._is_stopping:
            log.error("the worker's process has ended, so the server stops")
            when_ended()


class _Parent:
    """The process that serves HTTP, as the worker's process sees it. `end` ends this one."""

    def __init__(self, line: socket.socket, end: Callable[[int], object] = os._exit) -> None:
        self._line = line
        self._end = end
        self._stop = threading.Event()

    def attend(self, wake_ups: WakeUps) -> None:
        """Say that the worker works, and from now on set the wake-ups that come, and die with the other process."""
        threading.Thread(target=self._listen, args=(wake_ups,), name="line", daemon=True).start()
        self._line.sendall(READY + END)

    def note_look(self) -> None:
        """Say that the worker has looked for what is due."""
        _send(self._line.send, LOOKED + END)

    def tell(self, topics: frozenset[str]) -> None:
        """Have the other process tell its streams of topics; if it has many to read, pages ask by themselves."""
        _send(self._line.send, NEWS + " ".join(topics).encode() + END)

    def wait(self) -> None:
        """Wait for the word to stop."""
        self._stop.wait()

    def check(self) -> None:
        """End this process if the other is gone: a server that was started since may have taken over its work."""
        hang_up = select.poll()  # one of its own for each thread that asks
        hang_up.register(self._line, 0)  # a hang-up is always reported
        if hang_up.poll(0):
            self._end(1)

    def _listen(self, wake_ups: WakeUps) -> None:
        events = {LETTERS[name][0]: getattr(wake_ups, name) for name in LETTERS} | {STOP[0]: self._stop}
        with suppress(OSError):
            while letters := self._line.recv(4096):
                for letter in set(letters):
                    events[letter].set()
        self._end(1)


def _work(app: Flask, mail: Bound, parent: _Parent) -> None:
    """Run the worker until the other process says to stop."""
    app.extensions["blackticket"].tell = parent.tell
    running = listeners(app, mail)
    worker = Worker(app, check=parent.check, looked=parent.note_look)
    worker.start()
    parent.attend(worker.wake_ups)
    parent.wait()
    for listener in running:
        listener.stop()
    worker.stop()
    close_database(app)


def _run(work: Callable[[], object]) -> None:
    """Run the work of a forked process, and end it. Ctrl-C and SIGTERM may reach it too; they are for its parent."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    status = 1
    try:
        work()
        status = 0
    except BaseException as error:  # noqa: BLE001 nothing of the parent's may run here
        log.error("the worker failed: %s", fault(error))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _send(send: Callable[[bytes, int], int], letter: bytes) -> None:
    """Send a letter. If none can be sent now, the worker has many to read, or is gone."""
    with suppress(OSError):
        send(letter, socket.MSG_DONTWAIT)


def _end(status: int) -> str:
    """Return how a process ended, from what `waitpid` says."""
    code = os.waitstatus_to_exitcode(status)
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
