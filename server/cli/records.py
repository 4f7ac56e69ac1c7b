"""Find a game named on the command line: in a file, on standard input, or on this server."""

from server.application.game import projection, transcripts
from server.application.game.look import look_at_any
from server.cli.context import application
from server.cli.replay import Step, walk
from server.cli.terminal import is_file, read
from server.engine import Record, RecordError
from server.house_rules.standing import Sight
from server.vocabulary.errors import Problem


def steps_of(named: str) -> list[Step]:
    """Return the steps of the game of that name; raise `Problem` that says what is wrong with it, and where."""
    try:
        return walk(read(named, "game record") if is_file(named) else _record(named))
    except RecordError as error:
        raise Problem("form", f"{named}: {error}") from None


def look_up(game_id: str) -> Sight:
    """Return the game of that id on this server; needs `application`."""
    try:
        return look_at_any(game_id)
    except Problem:
        raise Problem("not-found", f"There is no game {game_id}, and no file of that name.") from None


def _record(game_id: str) -> Record:
    """Return the record of a game of this server as a spectator may see it."""
    with application():
        return projection.record(look_up(game_id), None)


def transcript(game_id: str) -> object:
    """Return the transcript of a game of this server, which anybody can have."""
    with application():
        return transcripts.of_game(look_up(game_id))
