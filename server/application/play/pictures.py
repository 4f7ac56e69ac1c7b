"""The board as one viewer may see it, drawn from his view and from what follows from the public log."""

from functools import lru_cache

from server import engine, picture
from server.application.game import views
from server.application.game.as_of import AsOf
from server.models import Game, Player
from server.runtime import runtime

KEPT = 16  # pictures in memory, half a megabyte each; none is ever on disk


def svg(game: Game, player: Player) -> str:
    """The board as `player` may see it, with the stations Mr. X can be on where the option `deduction` allows it."""
    return picture.svg(views.project(game, player), views.possible(game))


def tag(drawn: str) -> str:
    """A name for the picture that changes with it: a keyed hash, as a plain one over 199 stations could be tried."""
    return runtime().keyring.fingerprint(drawn.encode())[:32]


def png(drawn: str, player: Player) -> bytes:
    """The SVG as a PNG. Kept for `player` alone: what another looks at makes nothing of his faster."""
    return _png(drawn, player.id)


def of_mail(then: AsOf, player: Player) -> bytes | None:
    """The board as it stood then, as a PNG, for who likes pictures in his mails; None for others, and before the start.

    A picture is seen at a glance, by whoever stands behind its reader. So to Mr. X is drawn what everybody sees, unless
    he wants his own view.
    """
    if not then.has_begun or player.picture == "off":
        return None
    is_whole = player.picture == "own" or views.viewer_of(then.game, player) != "mr_x"
    view = then.view(player if is_whole else None)
    possible = engine.deduce(view) if view["options"]["deduction"] and then.outcome is None else None
    return picture.png(picture.svg(view, possible))


@lru_cache(KEPT)
def _png(drawn: str, _player_id: str) -> bytes:
    return picture.png(drawn)
