"""Pictures of the board for one viewer, drawn from their view and the public log."""

from functools import lru_cache

from server import engine, picture
from server.application.game import views
from server.application.game.as_of import AsOf
from server.models import Game, Player
from server.runtime import runtime

CACHED = 16  # pictures in memory, half a megabyte each; none is ever on disk


def svg(game: Game, player: Player) -> str:
    """Return the board as `player` may see it, with Mr. X's possible stations if the option `deduction` allows it."""
    return picture.svg(views.project(game, player), views.possible(game))


def tag(drawn: str) -> str:
    """Return a tag that changes with the picture: a keyed hash, as a plain one over 199 stations could be tried out."""
    return runtime().keyring.fingerprint(drawn.encode())[:32]


def png(drawn: str, player: Player) -> bytes:
    """Return the SVG as a PNG. It is cached for `player` alone, so that its speed tells nothing of other players."""
    return _png(drawn, player.id)


def of_mail(then: AsOf, player: Player) -> bytes | None:
    """Return the board as it stood then, as a PNG; None if the player wants no pictures in mails, and before the start.

    A picture is seen at a glance, also by somebody behind its reader. So Mr. X gets the public view unless he wants his
    own.
    """
    if not then.has_begun or player.picture == "off":
        return None
    is_whole = player.picture == "own" or views.viewer_of(then.game, player) != "mr_x"
    view = then.view(player if is_whole else None)
    possible = engine.deduce(view) if view["options"]["deduction"] and then.outcome is None else None
    return picture.png(picture.svg(view, possible))


@lru_cache(CACHED)
def _png(drawn: str, _player_id: str) -> bytes:
    return picture.png(drawn)
