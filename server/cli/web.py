"""`blackticket web`: HTTP alone."""

import sys

import click

from server.app import wsgi
from server.app.heart import Heart
from server.cli.processes import (
    close_database,
    freeze,
    http_server,
    load_usual_board,
    set_up_log,
    share_memory_of_threads,
    stop_on_signal,
    telling,
)
from server.cli.service_manager import STOPPING, ServiceManager, http_check
from server.web import load


def web() -> None:
    share_memory_of_threads()
    app = wsgi()
    settings = app.extensions["blackticket"].settings
    set_up_log(settings)
    http, manager, heart = http_server(app), ServiceManager(), Heart(app)
    stop_on_signal(http.close, lambda: manager.tell(STOPPING))
    load_usual_board()
    load(app)
    freeze()
    heart.start()
    click.echo(f"HTTP on {settings.http_listen}")
    sys.stdout.flush()
    manager.watch([http_check(settings.http_listen.local.host, http.port)])
    with telling(app, http, has_worker=False):
        http.run()
    heart.stop()
    close_database(app)
