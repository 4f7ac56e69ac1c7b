"""`blackticket verify`: the checks of the verifier that players download, as a command."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from server.cli.context import application, as_json, is_file, show, writing
from server.durations import rfc3339


@click.command()
@click.argument("game_or_path", nargs=-1, required=True)
@click.option("--rebuild", is_flag=True, help="Rebuild the rows of broken games from their moves and public events.")
@as_json
def verify(game_or_path: tuple[str, ...], rebuild: bool, as_json: bool) -> None:
    """Check the sealed log of a game of this server, or of a transcript; mailboxes too, if they are named.

    It runs the verifier that players download, which shares no code with the server. The exit status is 0 if all
    checks pass, 1 if one fails, 2 if the input cannot be read.

    With --rebuild it does something else: games of this server that `blackticket doctor` calls broken get their rows
    back, and are open to moves again. One whose moves and public events do not agree is refused.
    """
    if rebuild:
        _rebuild(game_or_path, as_json=as_json)
        return
    from blackticket.standalone import verifier  # noqa: PLC0415 start-up time

    with _paths(game_or_path) as paths:
        status, facts, sentences = verifier.examine(paths)
    click.echo(json.dumps(facts, indent=2) if as_json else sentences, err=status == 2 and not as_json)
    sys.exit(status)


def _rebuild(games: tuple[str, ...], *, as_json: bool) -> None:
    from server.application.operator import rebuilding  # noqa: PLC0415
    from server.cli.records import look_up  # noqa: PLC0415

    with writing():
        rebuilt = [rebuilding.rebuild(look_up(game_id).id) for game_id in games]
        facts = [{"id": game.id, "status": game.status, "due_at": rfc3339(game.due_at)} for game in rebuilt]
        names = ", ".join(game.name for game in rebuilt)
    show(facts, f"The rows are rebuilt: {names}.", as_json=as_json)


@contextmanager
def _paths(named: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the files to check: for a game of this server its transcript, which anybody can have."""
    with tempfile.TemporaryDirectory() as folder:
        yield [name if is_file(name) or Path(name).is_dir() else _transcript(name, folder) for name in named]


def _transcript(game_id: str, folder: str) -> str:
    from server.application.game import transcripts  # noqa: PLC0415
    from server.cli.records import look_up  # noqa: PLC0415

    with application():
        transcript = transcripts.of_game(look_up(game_id))
    path = Path(folder) / f"{game_id}.json"
    path.write_text(json.dumps(transcript))
    return str(path)
