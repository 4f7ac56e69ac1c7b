"""`blackticket serve | web | worker`: the processes."""

from __future__ import annotations

import socket
import sys
import threading
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import click

from server.cli.context import program

if TYPE_CHECKING:
    from flask import Flask

    from server.settings import Listen, Settings


@click.command()
def serve() -> None:
    """Run everything: HTTP, the mail listener, the ticker, the sender."""
    from server.app import create_app  # noqa: PLC0415 a command that only prints help loads nothing
    from server.cli.logs import set_up_log  # noqa: PLC0415
    from server.cli.operate import upgrade_with_backup  # noqa: PLC0415
    from server.cli.processes import (  # noqa: PLC0415
        close_database,
        freeze,
        hold_folder,
        http_server,
        mail_sockets,
        require_relay,
        share_memory_of_threads,
        stop_on_signal,
    )
    from server.models import db, wait_for  # noqa: PLC0415
    from server.models.in_use import Use  # noqa: PLC0415

    share_memory_of_threads()
    app = create_app(serves_http=False)
    settings = app.extensions["blackticket"].settings
    set_up_log(settings)
    require_relay(settings)
    hold_folder(settings.var)
    app.extensions["use"] = Use(settings.database_url)
    load = cache(partial(_load, app))  # once, whether or not a database has to be made meanwhile
    with app.app_context():
        upgraded = wait_for(db.engine, partial(upgrade_with_backup, meanwhile=load))
    load()
    from server.cli.service_manager import STOPPING, LastLook, ServiceManager, http_check, is_journal  # noqa: PLC0415
    from server.cli.worker_process import worker_of_serve  # noqa: PLC0415
    from server.heart import Heart  # noqa: PLC0415

    http, manager, last_look, heart = http_server(app), ServiceManager(), LastLook(settings), Heart(app)
    worker = worker_of_serve(app, mail_sockets(settings.mail_listen), http.release, last_look.note)
    freeze()
    worker.start(when_ended=http.close)
    heart.start()
    stop_on_signal(http.close, lambda: manager.tell(STOPPING))
    if upgraded:
        click.echo(upgraded)
    click.echo(_welcome(settings, for_journal=is_journal(1)))
    sys.stdout.flush()
    manager.watch([http_check(settings.http_listen.local.host, http.port), last_look.check])
    http.run()
    heart.stop()
    has_stopped = worker.stop()
    close_database(app)
    if not has_stopped:
        sys.exit(1)


def _load(app: Flask) -> None:
    """Load what `serve` needs beside its database."""
    from server.app import serve_http  # noqa: PLC0415 start-up time
    from server.cli import worker_process  # noqa: F401, PLC0415 for the process that will be forked as well
    from server.cli.processes import load_usual_board  # noqa: PLC0415
    from server.web import load  # noqa: PLC0415

    serve_http(app)
    load(app)
    load_usual_board()


@click.command()
def web() -> None:
    """Run HTTP only; any number of these may run, each on its own address."""
    from server.app import wsgi  # noqa: PLC0415
    from server.cli.logs import set_up_log  # noqa: PLC0415
    from server.cli.processes import (  # noqa: PLC0415
        close_database,
        freeze,
        http_server,
        load_usual_board,
        share_memory_of_threads,
        stop_on_signal,
    )
    from server.cli.service_manager import STOPPING, ServiceManager, http_check  # noqa: PLC0415
    from server.heart import Heart  # noqa: PLC0415
    from server.web import load  # noqa: PLC0415

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
    http.run()
    heart.stop()
    close_database(app)


@click.command()
def worker() -> None:
    """Run the mail listener, the ticker and the sender, without HTTP; any number of these may run."""
    from server.app import wsgi  # noqa: PLC0415
    from server.cli.logs import set_up_log  # noqa: PLC0415
    from server.cli.processes import (  # noqa: PLC0415
        close_database,
        listeners,
        mail_sockets,
        require_relay,
        stop_on_signal,
    )
    from server.cli.service_manager import STOPPING, HangLimit, LastLook, ServiceManager  # noqa: PLC0415
    from server.worker import Worker  # noqa: PLC0415

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


def address_in_network(at: Listen) -> Listen:
    """Return the address at which others reach a server that listens at `at`, which may be all addresses."""
    if at == at.local:
        return at
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # sends nothing, but the system says from which address it would
        except OSError:
            return at.local
        return replace(at, host=probe.getsockname()[0])


def _welcome(settings: Settings, *, for_journal: bool) -> str:
    doors = [*map(str, settings.mail_listen), *([f"the mailbox {settings.imap_url.name}"] if settings.imap_url else [])]
    mail = ", ".join(doors) or "nowhere (MAIL_LISTEN is empty)"
    out = f"the relay {settings.smtp_url.host}" if settings.smtp_url else f"the Maildir {settings.var / 'mail'}"
    if for_journal:  # nobody sits in front of it
        return f"Black Ticket is running at {settings.public_url or settings.http_listen}; mail in: {mail}; out: {out}."
    command = program()
    warning = "\nWARNING: DEV_MAIL is on; anybody on this machine can read all mail at /dev/mail."
    at = address_in_network(settings.http_listen)
    where = "a browser" if at.is_loopback else "the browser of any device in your network"
    return f"""Black Ticket is running. Open {at}/ in {where} to play.
  REST       {at}/api/v1   (OpenAPI: {at}/openapi.json)
  Mail in    {mail}
  Mail out   {out}
What to do next, in another terminal:
  {f"{command} player add Ada ada@example.org":55} adds a player and prints a token
  {f"{command} demo":55} plays a whole game before your eyes
Ctrl-C stops the server; everything that was answered with success is kept.{warning if settings.dev_mail else ""}"""
