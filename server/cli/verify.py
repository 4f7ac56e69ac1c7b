"""`blackticket verify`: the checks of the verifier that players download, as a command."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from blackticket.standalone import verifier
from server.cli.group import act, is_for_program
from server.cli.terminal import Shown, is_file

UNREADABLE = 2  # the exit status if the input cannot be read


def verify(game_or_path: tuple[str, ...], rebuild: bool) -> Shown | None:
    if rebuild:
        rebuilt: Shown = act("games.rebuild")(game_or_path)
        return rebuilt
    with _paths(game_or_path) as paths:
        status, facts, sentences = verifier.examine(paths)
    if status == UNREADABLE and not is_for_program():
        click.echo(sentences, err=True)
        sys.exit(status)
    return facts, sentences, status


@contextmanager
def _paths(named: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the files to check: for a game of this server its transcript, which anybody can have."""
    with tempfile.TemporaryDirectory() as folder:
        yield [name if is_file(name) or Path(name).is_dir() else _transcript(name, folder) for name in named]


def _transcript(game_id: str, folder: str) -> str:
    path = Path(folder) / f"{game_id}.json"
    path.write_text(json.dumps(act("records.transcript")(game_id)))  # a file is verified without loading the server
    return str(path)
