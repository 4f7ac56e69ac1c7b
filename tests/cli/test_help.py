"""The help of every command shows an example that the command takes; the shell completes commands."""

import inspect
import shlex

import click
import pytest
from click.testing import CliRunner

from server import bots
from server.cli import main
from server.cli.group import act, commands
from server.engine import USUAL
from server.settings import SETTINGS_FILE

COMMANDS = dict(commands(main))


def example(words: str) -> str:
    """Return what the example of a command has behind its words."""
    shown = COMMANDS[words].epilog or ""
    assert shown.startswith(f"Example: blackticket {words}")
    return shown.removeprefix(f"Example: blackticket {words}")


@pytest.mark.parametrize("words", COMMANDS)
def test_the_act_of_a_command_is_there_and_takes_what_is_declared(words: str):
    command = COMMANDS[words]
    taken = inspect.signature(act(vars(command.callback)["does"])).parameters
    assert {parameter.name for parameter in command.params} - {"as_json"} == taken.keys()


def test_what_is_written_out_for_the_sake_of_quick_help_is_as_it_is_elsewhere():
    named = {parameter.name: parameter for parameter in COMMANDS["game practice"].params}
    assert [*named["level"].type.choices] == [*bots.LEVELS]  # type: ignore[attr-defined]
    assert (named["level"].default, named["edition"].default) == (bots.FIRST, USUAL)
    assert {parameter.name: parameter.default for parameter in COMMANDS["setup"].params}["target"] == SETTINGS_FILE


@pytest.mark.parametrize("words", COMMANDS)
def test_an_example_is_taken_by_its_command(words: str):
    command = COMMANDS[words]
    context = click.Context(command, **main.context_settings)  # a command keeps the help option it is first asked for
    given, rest, _ = command.make_parser(context).parse_args(shlex.split(example(words)))
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
