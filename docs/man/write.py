"""Write the manual page blackticket.1 from the help of the commands: `make man`."""

from collections.abc import Iterator
from pathlib import Path

import click

from server.cli import main
from server.cli.group import commands

PAGE = Path(__file__).parent / "blackticket.1"
HEAD = """\
.\\" Written by docs/man/write.py from the help of the commands.
.TH BLACKTICKET 1 "" "Black Ticket" "User Commands"
.SH NAME
blackticket \\- play and host Scotland Yard by mail, in the browser, or from a program
.SH SYNOPSIS
.B blackticket
.I COMMAND
.RI [ OPTION " ...] [" ARGUMENT " ...]"
.SH DESCRIPTION
Black Ticket is a correspondence server for the board game Scotland Yard.
.B blackticket serve
runs a server, the other commands look after it, and
.B blackticket play
plays on any server from a terminal.
Run a command in the folder of the server, because the data folder
.I var
and the settings are there.
.SH COMMANDS
"""
FOOT = """\
.SH ENVIRONMENT
.TP
.B BLACKTICKET_\\fINAME\\fR
A setting of the server.
The page docs/settings.md lists them, and every server shows it at /docs/settings.
.TP
.BR BLACKTICKET_URL ", " BLACKTICKET_TOKEN
The server, and the player's token, for
.BR "blackticket play" .
.SH FILES
.TP
.I blackticket.env
Settings, as lines of BLACKTICKET_NAME=value; the environment overrides them.
.TP
.I var/blackticket.db
The database, unless a setting names another.
.TP
.I var/secret_key
The secret key, without which nobody can read the moves of Mr. X in the database or its backups.
.SH EXIT STATUS
0 if all went well, 1 if not, with a sentence on standard error, and 2 if the command line is wrong.
.B blackticket doctor
returns 1 for warnings and 2 if something is broken.
"""


def page() -> str:
    """Return the manual page in the language of man(7)."""
    return "".join([HEAD, *(_command(words, command) for words, command in sorted(commands(main))), FOOT])


def _command(words: str, command: click.Command) -> str:
    # A command keeps the names of its help option from the first context that it is used in.
    context = click.Context(command, info_name=f"blackticket {words}", **main.context_settings)
    usage = " ".join([f"blackticket {words}", *command.collect_usage_pieces(context)])
    lines = [f'.SS "{_escaped(usage)}"', *_paragraphs(command.help or ""), *_options(command, context)]
    return "\n".join([*lines, ".PP", _escaped(command.epilog or "")]) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.replace("\b", "").split("\n\n")):
        if number:
            yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for option in command.params:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None:
            yield from (".TP", f".B {_escaped(record[0])}", _escaped(record[1]))


def _escaped(text: str) -> str:
    """Return a text in which nothing is a request, an escape, or a dash or quote that a terminal shows as another."""
    shown = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "").replace('"', "\\(dq").replace("'", "\\(aq")
    return f"\\&{shown}" if shown.startswith(".") else shown


if __name__ == "__main__":
    PAGE.write_text(page())
