"""`blackticket serve`: everything under one command."""

import sys
from functools import cache, partial

import click
from flask import Flask

from server.app import create_app, serve_http
from server.app.heart import Heart
from server.cli.database import upgrade_with_backup
from server.cli.processes import (
    close_database,
    freeze,
    hold_folder,
    http_server,
    load_usual_board,
    require_relay,
    set_up_log,
    share_memory_of_threads,
    stop_on_signal,
    telling,
)
from server.cli.service_manager import STOPPING, LastLook, ServiceManager, http_check, is_journal
from server.cli.terminal import program
from server.cli.worker_process import mail_sockets, worker_of_serve
from server.models import db, wait_for
from server.models.in_use import Use
from server.runtime.networks import address_in_network
from server.settings import Settings
from server.web import load


def serve() -> None:
    share_memory_of_threads()
    app = create_app(serves_http=False)
    settings = app.extensions["blackticket"].settings
    set_up_log(settings)
    require_relay(settings)
    hold_folder(settings.var)
    app.extensions["use"] = Use(settings.database_url)
    prepare = cache(partial(_prepare, app))  # once, whether or not a database has to be made meanwhile
    with app.app_context():
        upgraded = wait_for(db.engine, partial(upgrade_with_backup, meanwhile=prepare))
    prepare()

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
    with telling(app, http, has_worker=True):
        http.run()
    heart.stop()
    has_stopped = worker.stop()
    close_database(app)
    if not has_stopped:
        sys.exit(1)


def _prepare(app: Flask) -> None:
    """Load what `serve` needs beside its database."""
    serve_http(app)
    load(app)
    load_usual_board()


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
