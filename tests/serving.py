"""An application served over real connections, as `blackticket serve` does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from flask import Flask

from server.cli.processes import telling
from server.http.server import HttpServer
from tests.databases import let_go
from tests.patience import eventually


@contextmanager
def serving(app: Flask, *, has_streams: bool = False) -> Iterator[int]:
    """The port of a running server; with streams they are told what the application commits."""
    server = HttpServer(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with telling(app, server, has_worker=True) if has_streams else nullcontext():
            eventually(lambda: server._news.hears or not has_streams)
            yield server.port
    finally:
        server.close()
        thread.join()
        with app.app_context():
            let_go()
