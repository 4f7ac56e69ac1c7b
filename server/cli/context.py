"""The application context, input and output of commands."""

from __future__ import annotations

import json
import re
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from server.settings import Settings

STANDARD_INPUT = "-"
# Names of files have a dot or a slash in them, or are there.
_ID = re.compile(r"[\w-]{1,100}")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def make_application(settings: Settings | None = None, *, serves_http: bool = False) -> Flask:
    """Return the application of the command, with the settings of the environment if None.

    Who calls the command from Python may hand over what makes it: the object of click's context.
    """
    from server.app import create_app  # noqa: PLC0415 start-up time

    make = click.get_current_context().obj or create_app
    app: Flask = make(settings, serves_http=serves_http)
    return app


@contextmanager
def application(*, any_key: bool = False) -> Iterator[Flask]:
    """Enter the context of the application with the settings of the environment and a database at this version.

    A secret key that is not the database's is refused, unless `any_key`.
    """
    from server.application.integrity import key_check  # noqa: PLC0415
    from server.migrations import current, require_current, upgrade  # noqa: PLC0415
    from server.models.in_use import Use  # noqa: PLC0415

    app = make_application()
    with app.app_context(), Use(app.extensions["blackticket"].settings.database_url):
        # On a fresh machine a command makes the database, as `serve` would.
        if current() is None:
            upgrade()
            click.echo(
                f"{new_database_sentence()} "
                "To reach a server that runs already, run commands in the folder where you started it.",
                err=True,
            )
        require_current()
        if not any_key:
            key_check.require()
        yield app


def new_database_sentence() -> str:
    """Return what is said when there was no database: who has lost one shall notice."""
    from sqlalchemy import URL  # noqa: PLC0415 start-up time

    from server.models import db  # noqa: PLC0415
    from server.models.base import is_sqlite  # noqa: PLC0415
    from server.runtime import runtime  # noqa: PLC0415

    if not is_sqlite(runtime().settings.database_url):
        url = db.engine.url
        hosts = {name: value for name, value in url.query.items() if name == "host"}
        place = URL.create("postgresql", host=url.host, port=url.port, database=url.database, query=hosts)
        return f"The database had no tables, so they were made in {place}."
    return f"There was no database, so a new one was made; the data folder is {runtime().settings.var}."


@contextmanager
def writing() -> Iterator[None]:
    """Enter the context of the application and one transaction, for a command that changes something.

    Everything that the command prints is read before the commit, so nothing behind it can fail.
    """
    from server.models import transaction  # noqa: PLC0415 start-up time

    with application(), transaction():
        yield


def is_file(named: str) -> bool:
    """Return whether a file is meant, even if it does not exist."""
    return named == STANDARD_INPUT or not _ID.fullmatch(named) or Path(named).is_file()


def read(named: str, what: str) -> str:
    """Return the text of a file, or of standard input for `-`; raise `Problem` if it cannot be read or is no text."""
    from server.application.errors import Problem  # noqa: PLC0415 start-up time

    try:
        content = sys.stdin.buffer.read() if named == STANDARD_INPUT else Path(named).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise Problem("not-found", f"{named} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Problem("form", f"{named} is no text, so it is no {what}.") from None


def program() -> str:
    """Return the name by which a person in this folder starts this program."""
    return "blackticket" if shutil.which("blackticket") else ".venv/bin/blackticket"


def show(facts: object, sentence: str, *, as_json: bool) -> None:
    """Print `facts` for a program, or `sentence` for a person."""
    click.echo(json.dumps(facts, indent=2) if as_json else sentence)
