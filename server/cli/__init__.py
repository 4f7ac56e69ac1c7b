"""The `blackticket` commands: run a server, look after it, look into it."""

import importlib
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from typing import cast

import click

from server.cli.examples import add_examples

# The module of each command, where it has its name. A module is loaded when its command is called, or listed with all.
MODULES = {
    "setup": "setup",
    "serve": "run",
    "web": "run",
    "worker": "run",
    "db": "operate",
    "backup": "backups",
    "restore": "backups",
    "release": "backups",
    "key": "keys",
    "doctor": "operate",
    "player": "players",
    "game": "games",
    "abuse": "people",
    "network": "people",
    "inbox": "mails",
    "outbox": "mails",
    "deadline": "deadlines",
    "demo": "games",
    "verify": "verify",
    "play": "play",
    "arena": "arena",
}


class _Commands(Mapping[str, click.Command]):
    """The commands of `MODULES`, each loaded when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        return _load(name, MODULES[name])

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


@cache
def _load(name: str, module: str) -> click.Command:
    command: click.Command = getattr(importlib.import_module(f"server.cli.{module}"), name)
    add_examples(name, command)
    return command


class Sentences(click.Group):
    """A group whose expected errors are one sentence on stderr and exit status 1, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise  # they are click's own, such as the end of `--help`
        except Exception as error:
            sentence = _sentence(error)
            if sentence is None:
                raise
        from server.cli.operate import TROUBLE  # noqa: PLC0415 start-up time of what goes well
        from server.cli.output import legible  # noqa: PLC0415

        click.echo(legible(sentence), err=True)  # another server or a file may have worded it
        # A monitoring program that calls `doctor` takes 1 for a warning.
        sys.exit(TROUBLE if ctx.invoked_subcommand == "doctor" else 1)


def _sentence(error: Exception) -> str | None:
    """Return the sentence for an expected error, or None for any other."""
    from sqlalchemy.exc import DatabaseError, OperationalError  # noqa: PLC0415 start-up time of what goes well

    from blackticket.standalone import client  # noqa: PLC0415
    from server.application.errors import Problem, database_unusable  # noqa: PLC0415
    from server.migrations import OldDatabase  # noqa: PLC0415
    from server.models import CommitUnanswered, Unavailable  # noqa: PLC0415
    from server.models.in_use import InUse  # noqa: PLC0415
    from server.runtime.keyring import WrongKey  # noqa: PLC0415
    from server.settings import SettingError  # noqa: PLC0415

    if isinstance(error, Problem | client.Problem | SettingError | OldDatabase | InUse | WrongKey):
        return str(error)
    if isinstance(error, CommitUnanswered):
        return f"{database_unusable(error.why)} So it is not known whether this was done; look before you repeat it."
    # Not their other subclasses, such as an integrity error: those would be faults of ours.
    if type(error) in (OperationalError, DatabaseError, Unavailable):
        why = str(error.orig).strip().partition("\n")[0]  # type: ignore[attr-defined]
        return f"{database_unusable(why)} See BLACKTICKET_DATABASE_URL."
    return None


@click.group(
    cls=Sentences,
    commands=cast("MutableMapping[str, click.Command]", _Commands()),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="blackticket")
def main() -> None:
    """Black Ticket: Scotland Yard by correspondence."""
