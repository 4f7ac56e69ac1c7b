"""An application served over real connections, as `blackticket serve` does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from server.http.server import HttpServer
from tests.databases import let_go


@contextmanager
def serving(app: Flask, *, has_streams: bool = False) -> Iterator[int]:
    """The port of a running server; with streams they are told what the application commits."""
    server = HttpServer(app, "127.0.0.1", 0)
    if has_streams:
        app.extensions["blackticket"].tell = server.tell
        server.set_hearing(True)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.port
    finally:
        server.close()
        thread.join()
        with app.app_context():
            let_go()
