"""Find a game named on the command line: in a file, on standard input, or on this server."""

from server.application.errors import Problem
from server.cli.context import application, is_file, read
from server.cli.replay import Step, walk
from server.engine import Record, RecordError
from server.house_rules.standing import Sight


def steps_of(named: str) -> list[Step]:
    """Return the steps of the game of that name; raise `Problem` that says what is wrong with it, and where."""
    try:
        return walk(read(named, "game record") if is_file(named) else _record(named))
    except RecordError as error:
        raise Problem("form", f"{named}: {error}") from None


def look_up(game_id: str) -> Sight:
    """Return the game of that id on this server; needs `application`."""
    from server.application.game.look import look_at_any  # noqa: PLC0415 start-up time

    try:
        return look_at_any(game_id)
    except Problem:
        raise Problem("not-found", f"There is no game {game_id}, and no file of that name.") from None


def _record(game_id: str) -> Record:
    """Return the record of a game of this server as a spectator may see it."""
    from server.application.game import projection  # noqa: PLC0415 start-up time

    with application():
        return projection.record(look_up(game_id), None)
