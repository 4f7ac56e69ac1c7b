"""The `blackticket` commands: run a server, look after it, look into it."""

import sys

import click

from server.cli import (
    arena,
    backups,
    deadlines,
    games,
    keys,
    lobby,
    mails,
    operate,
    people,
    play,
    players,
    reports,
    run,
    setup,
    verify,
)
from server.cli.examples import add_examples


class Sentences(click.Group):
    """A group whose expected errors are one sentence on stderr and exit status 1, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            sentence = _sentence(error)
            if sentence is None:
                raise
        from server.cli.output import legible  # noqa: PLC0415 start-up time of what goes well

        click.echo(legible(sentence), err=True)  # another server or a file may have worded it
        # A monitoring program that calls `doctor` takes 1 for a warning.
        sys.exit(operate.TROUBLE if ctx.invoked_subcommand == operate.doctor.name else 1)


def _sentence(error: Exception) -> str | None:
    """Return the sentence for an expected error, or None for any other."""
    from sqlalchemy.exc import DatabaseError, OperationalError  # noqa: PLC0415 start-up time of what goes well

    from blackticket.standalone import client  # noqa: PLC0415
    from server.application.errors import Problem, database_unusable  # noqa: PLC0415
    from server.migrations import OldDatabase  # noqa: PLC0415
    from server.models import CommitUnanswered, Unavailable  # noqa: PLC0415
    from server.runtime.keyring import WrongKey  # noqa: PLC0415
    from server.settings import SettingError  # noqa: PLC0415

    if isinstance(error, Problem | client.Problem | SettingError | OldDatabase | WrongKey):
        return str(error)
    if isinstance(error, CommitUnanswered):
        return f"{database_unusable(error.why)} So it is not known whether this was done; look before you repeat it."
    # Not their other subclasses, such as an integrity error: those would be faults of ours.
    if type(error) in (OperationalError, DatabaseError, Unavailable):
        why = str(error.orig).strip().partition("\n")[0]  # type: ignore[attr-defined]
        return f"{database_unusable(why)} See BLACKTICKET_DATABASE_URL."
    return None


@click.group(cls=Sentences, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="blackticket")
def main() -> None:
    """Black Ticket: Scotland Yard by correspondence."""


for command in (
    setup.setup,
    run.serve,
    run.web,
    run.worker,
    operate.database,
    backups.backup,
    backups.restore,
    backups.release,
    keys.key,
    operate.doctor,
    players.player,
    games.game,
    people.abuse,
    people.network,
    mails.inbox,
    mails.outbox,
    deadlines.deadline,
    games.demo,
    verify.verify,
    play.play,
    arena.arena,
):
    main.add_command(command)
for command in (
    reports.results,
    reports.late,
    lobby.new,
    lobby.invite,
    lobby.join,
    lobby.leave,
    lobby.start,
    lobby.rematch,
):
    games.game.add_command(command)
add_examples(main)
