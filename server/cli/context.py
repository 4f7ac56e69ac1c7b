"""The application context of commands."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from flask import Flask
from sqlalchemy import URL

from server import migrations
from server.app import create_app
from server.application.integrity import key_check
from server.models import db, transaction
from server.models.base import is_sqlite
from server.models.in_use import Use
from server.runtime import runtime
from server.settings import Settings


def make_application(settings: Settings | None = None, *, serves_http: bool = False) -> Flask:
    """Return the application of the command, with the settings of the environment if None.

    Who calls the command from Python may hand over what makes it: the object of click's context.
    """
    make = click.get_current_context().obj or create_app
    app: Flask = make(settings, serves_http=serves_http)
    return app


@contextmanager
def application(*, any_key: bool = False) -> Iterator[Flask]:
    """Enter the context of the application with the settings of the environment and a database at this version.

    A secret key that is not the database's is refused, unless `any_key`.
    """
    app = make_application()
    with app.app_context(), Use(app.extensions["blackticket"].settings.database_url):
        # On a fresh machine a command makes the database, as `serve` would.
        if migrations.current() is None:
            migrations.upgrade()
            click.echo(
                f"{new_database_sentence()} "
                "To reach a server that runs already, run commands in the folder where you started it.",
                err=True,
            )
        migrations.require_current()
        if not any_key:
            key_check.require()
        yield app


def new_database_sentence() -> str:
    """Return what is said when there was no database: who has lost one shall notice."""
    if not is_sqlite(runtime().settings.database_url):
        url = db.engine.url
        hosts = {name: value for name, value in url.query.items() if name == "host"}
        place = URL.create("postgresql", host=url.host, port=url.port, database=url.database, query=hosts)
        return f"The database had no tables, so they were made in {place}."
    return f"There was no database, so a new one was made; the data folder is {runtime().settings.var}."


@contextmanager
def writing() -> Iterator[None]:
    """Enter the context of the application and one transaction, for a command that changes something.

    Around a whole command: so everything that it prints is read before the commit, and nothing behind it can fail.
    """
    with application(), transaction():
        yield
