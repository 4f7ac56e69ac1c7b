"""The help of every command shows an example that the command takes; the shell completes commands."""

import shlex

import click
import pytest
from click.testing import CliRunner

from server.cli import main
from server.cli.examples import EXAMPLES, commands

COMMANDS = dict(commands(main))


def test_every_command_has_an_example_and_no_other():
    assert EXAMPLES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("words", COMMANDS)
def test_an_example_is_taken_by_its_command(words: str):
    command = COMMANDS[words]
    context = click.Context(command, **main.context_settings)  # a command keeps the help option it is first asked for
    given, rest, _ = command.make_parser(context).parse_args(shlex.split(EXAMPLES[words]))
    assert rest == []
    needed = {parameter.name for parameter in command.params if parameter.required}
    # Arguments that are missing come as a marker of click's, which is no text.
    assert needed <= {name for name, value in given.items() if isinstance(value, str | list | tuple)}


@pytest.mark.parametrize("words", ["backup", "player add"])
def test_the_help_shows_the_example(words: str):
    told = CliRunner().invoke(main, [*words.split(), "--help"], prog_name="blackticket")
    assert told.exit_code == 0
    assert f"Example: blackticket {words} " in told.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(shell: str):
    environ = {"_BLACKTICKET_COMPLETE": f"{shell}_source"}
    told = CliRunner(env=environ).invoke(main, [], prog_name="blackticket", complete_var="_BLACKTICKET_COMPLETE")
    assert "_BLACKTICKET_COMPLETE" in told.stdout


def test_the_shell_completes_the_words_of_a_command():
    environ = {"_BLACKTICKET_COMPLETE": "bash_complete", "COMP_WORDS": "blackticket key ro", "COMP_CWORD": "2"}
    told = CliRunner(env=environ).invoke(main, [], prog_name="blackticket", complete_var="_BLACKTICKET_COMPLETE")
    assert told.stdout == "plain,rotate\n"
