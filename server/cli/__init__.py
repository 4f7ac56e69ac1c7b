"""`blackticket ...`: run the server, look after it, look into it."""

import sys

import click

from server.cli import games, operate, players, run


class Sentences(click.Group):
    """A group whose expected errors are one sentence on stderr and exit code 1, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        from server.application.errors import Problem  # noqa: PLC0415 start-up time
        from server.migrations import OldDatabase  # noqa: PLC0415
        from server.settings import SettingError  # noqa: PLC0415

        try:
            return super().invoke(ctx)
        except (SettingError, OldDatabase) as error:
            sentence = str(error)
        except Problem as problem:
            sentence = problem.sentence
        click.echo(sentence, err=True)
        sys.exit(1)


@click.group(cls=Sentences, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="blackticket")
def main() -> None:
    """Black Ticket: Scotland Yard by correspondence."""


for command in (
    run.serve,
    run.web,
    run.worker,
    operate.database,
    operate.backup,
    operate.doctor,
    players.player,
    games.game,
    games.demo,
):
    main.add_command(command)
