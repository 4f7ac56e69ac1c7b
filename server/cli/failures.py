"""Errors that a command expects, as a sentence and an exit status."""

import click
from sqlalchemy.exc import DatabaseError, OperationalError

from blackticket.standalone import client
from server.cli.output import legible
from server.migrations import OldDatabase
from server.models import CommitUnanswered, Unavailable
from server.models.in_use import InUse
from server.runtime.keyring import WrongKey
from server.settings import SettingError
from server.vocabulary.errors import Problem, database_unusable

TROUBLE = 2  # the exit status of `doctor` that monitoring programs read as a fault


def tell(error: Exception, command: str | None) -> int | None:
    """Print the sentence for an expected error, and return the exit status; None for any other."""
    sentence = _sentence(error)
    if sentence is None:
        return None
    click.echo(legible(sentence), err=True)  # another server or a file may have worded it
    # A monitoring program that calls `doctor` may take 1 for a warning.
    return TROUBLE if command == "doctor" else 1


def _sentence(error: Exception) -> str | None:
    """Return the sentence for an expected error, or None for any other."""
    if isinstance(error, Problem | client.Problem | SettingError | OldDatabase | InUse | WrongKey):
        return str(error)
    if isinstance(error, CommitUnanswered):
        return f"{database_unusable(error.why)} So it is not known whether this was done; look before you repeat it."
    # Not their other subclasses, such as an integrity error: those would be faults of ours.
    if type(error) in (OperationalError, DatabaseError, Unavailable):
        why = str(error.orig).strip().partition("\n")[0]  # type: ignore[attr-defined]
        return f"{database_unusable(why)} See BLACKTICKET_DATABASE_URL."
    return None
