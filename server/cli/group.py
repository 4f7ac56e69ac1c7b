"""The group of all commands, and how one is declared: with its parameters, its help, and the act that it is for.

An act is a function of a module that is loaded when the command is called: so help comes at once. The help says what it
does, and so it has no docstring.
"""

import json
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import Any

import click

Described = Callable[..., None]
Option = Callable[[Described], Described]

reason = click.option("--reason", required=True, help="Why, in one line without names; the players read it.")


class Sentences(click.Group):
    """A group whose expected errors are one sentence on stderr and exit status 1, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise  # they are click's own, such as the end of `--help`
        except Exception as error:
            status = act("failures.tell")(error, ctx.invoked_subcommand)
            if status is None:
                raise
            sys.exit(status)


@click.group(cls=Sentences, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="blackticket")
def main() -> None:
    """Black Ticket: Scotland Yard by correspondence."""


def group(words: str, about: str) -> None:
    """Declare a group of commands by its words, such as `player token`."""
    *above, name = words.split()
    _group(above).add_command(click.Group(name, help=about))


def command(words: str, does: str, example: str = "", *, has_json: bool = True) -> Callable[[Described], click.Command]:
    """Return a decorator that declares a command by a function with its parameters and help.

    words: of the command, such as `game start`
    does: the act that is called with the parameters, such as `lobby.start`; it returns facts for programs, and the
        same in words for a person, see `terminal.Shown`
    example: what may stand behind the words, for the help
    has_json: whether the command takes `--json`, with which it prints the facts
    """
    *above, name = words.split()

    def declare(described: Described) -> click.Command:
        @wraps(described)
        def run(*, as_json: bool = False, **given: object) -> None:
            found = act(does)(**given)
            if found is None:  # it has printed what there is
                return
            facts, in_words, *status = found
            click.echo(json.dumps(facts, indent=2) if as_json else in_words)
            if any(status):
                sys.exit(*status)

        vars(run)["does"] = does
        made = _group(above).command(name, epilog=f"Example: blackticket {words} {example}".rstrip())(run)
        if has_json:
            made.params.append(click.Option(["--json", "as_json"], is_flag=True, help="Print JSON, for programs."))
        return made

    return declare


def commands(command: click.Command, words: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the command with its words, such as `player add`; of a group every command that is no group."""
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name, inner in command.commands.items():
        yield from commands(inner, f"{words} {name}".lstrip())


def act(name: str) -> Callable[..., Any]:
    """Return a function by its module and name, which is loaded now; modules without a package are those beside."""
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(module if "." in module else f"server.cli.{module}"), function)
    return found


def is_for_program() -> bool:
    """Return whether the command under way was asked for JSON."""
    return bool(click.get_current_context().params["as_json"])


def _group(words: list[str]) -> click.Group:
    found: click.Group = main
    for word in words:
        inner = found.commands[word]
        assert isinstance(inner, click.Group)
        found = inner
    return found
