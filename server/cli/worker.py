"""`blackticket worker`: all but HTTP."""

import sys
import threading

import click

from server.app import wsgi
from server.cli.logs import set_up_log
from server.cli.processes import close_database, require_relay, stop_on_signal
from server.cli.service_manager import STOPPING, HangLimit, LastLook, ServiceManager
from server.cli.worker_process import listeners, mail_sockets
from server.worker import Worker


def worker() -> None:
    """Run the mail listener, the ticker and the sender, without HTTP; any number of these may run."""
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
