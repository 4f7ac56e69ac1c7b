"""An application served over real connections, as `blackticket serve` does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from databases import let_go
from flask import Flask
from waitress import wasyncore
from waitress.server import create_server


@contextmanager
def serving(app: Flask, threads: int = 16) -> Iterator[int]:
    """The port of a running server."""
    channels: dict[int, Any] = {}
    server = create_server(app, channels, host="127.0.0.1", port=0, threads=threads, ident=None)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.effective_port
    finally:
        server.task_dispatcher.shutdown()
        # By its own thread, which may be waiting for one of them.
        server.trigger.pull_trigger(lambda: wasyncore.close_all(channels))
        thread.join()
        with app.app_context():
            let_go()
