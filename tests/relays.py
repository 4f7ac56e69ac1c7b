"""SMTP servers on this machine that stand for the relay of an operator."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller


def free_port() -> int:
    """Return a port of this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def relaying(handler: Any, **options: Any) -> Iterator[int]:
    """Run a server with the handler and options of aiosmtpd; the result is its port."""
    controller = Controller(handler, hostname="127.0.0.1", port=free_port(), **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()
