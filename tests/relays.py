"""SMTP servers on this machine that stand for the relay of an operator."""

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from aiosmtpd.controller import Controller

from tests.patience import eventually

_random = random.SystemRandom()  # no two processes of tests draw the same, whatever seeds they set


def free_port() -> int:
    """Return a port of this machine at which nobody listens, below those that a system gives to connections."""
    while True:
        with suppress(OSError), socket.create_server(("127.0.0.1", _random.randrange(10_000, 32_000))) as probe:
            port: int = probe.getsockname()[1]
            return port


def wait_for(port: int) -> None:
    """Wait until somebody listens at a port of this machine."""
    eventually(lambda: is_listening(port))


def is_listening(port: int) -> bool:
    """Return whether somebody takes connections at a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@contextmanager
def relaying(handler: Any, **options: Any) -> Iterator[int]:
    """Run a server with the handler and options of aiosmtpd; the result is its port."""
    controller = Controller(handler, hostname="127.0.0.1", port=free_port(), **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()
