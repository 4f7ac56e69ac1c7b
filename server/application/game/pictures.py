"""Pictures of the board for one viewer, drawn from their view and the public log."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

from server import engine
from server.application.game import projection
from server.application.game.as_of import AsOf
from server.drawing import picture
from server.house_rules.standing import Sight, Standing
from server.models import Account, Player
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.vocabulary.translation import current, gettext
from server.vocabulary.words import pawn_names


def svg(game: Sight, player: Account | None) -> str:
    """Return the board as `player` may see it, without a player as everybody may.

    It has the stations Mr. X can be on if the option `deduction` allows it.
    """
    return picture.svg(projection.project(game, player), projection.possible(game))


def tag(drawn: str | bytes) -> str:
    """Return a tag that changes with the picture: a keyed hash, as a plain one over 199 stations could be tried out."""
    return runtime().keyring.fingerprint(drawn if isinstance(drawn, bytes) else drawn.encode())[:32]


def png(drawn: str, player: Account | None) -> bytes:
    """Return the SVG as a PNG. It is cached for `player` alone, so that its speed tells nothing of other players."""
    return _kept(("png", drawn, player.id if player else ""), partial(flat, drawn))


def of_preview(game: Sight) -> bytes:
    """Return the board as everybody may see it, as a PNG for the preview of a link; `Problem` before the start."""
    view = projection.project(game, None)
    if not view["pawns"]:
        raise Problem("not-found", "This game has not begun; there is no picture of it.")
    board = engine.Board.named(view["options"]["board"])
    return _drawn("preview", board, tuple(picture.pieces(view)), frozenset(projection.possible(game) or ()))


def of_end(game: Standing, captions: Sequence[str], draw: Callable[[], str], width: int = picture.PNG_WIDTH) -> bytes:
    """Return a picture of a game whose result is final, as a PNG of few colours so wide; `draw` makes its SVG.

    It is the same for everybody who may see the game, and is made once until something changes at the game or in
    `captions`, such as the name of a player.
    """

    return _kept((f"end-{width}", game.id, game.version, current(), *captions), lambda: flat(draw(), width))


def flat(drawn: str, width: int = picture.PNG_WIDTH) -> bytes:
    """Return an SVG of the board as a PNG of few colours, so many pixels wide."""
    from server.drawing import map_pictures  # noqa: PLC0415 start-up time

    return map_pictures.flat(drawn, width)


class MailPicture(NamedTuple):
    """A picture in a mail, with the words for it."""

    name: str
    png: bytes
    words: str


def of_mail(then: AsOf, player: Player) -> list[MailPicture]:
    """Return the surroundings of the player's pawns and the whole board as they stood then, as small PNGs.

    There are none if the player wants none, and before the start. A picture is seen at a glance, also by somebody
    behind its reader. So Mr. X gets the pictures of the public view, around where he was seen last, unless he wants his
    own; nothing in them depends on where he is.
    """
    from server.drawing import map_pictures  # noqa: PLC0415 start-up time

    if not then.has_begun or player.picture == "off":
        return []
    viewer = projection.viewer_of(then.game, player)
    is_own = player.picture == "own" and viewer == "mr_x"
    view = then.view(player if viewer != "mr_x" or is_own else None)
    possible = then.possible if then.outcome is None else frozenset()
    board = engine.Board.named(view["options"]["board"])
    pieces = tuple(picture.pieces(view))
    seat = projection.own_seat(then.game, player)
    pawns = [piece.pawn for piece in pieces if seat is not None and piece.pawn in seat.pawns]
    # What shows where he is lies in no cache, where the time that it takes could be told.
    draw = _draw if is_own else _drawn
    made = []
    choices = _choices(then, player, viewer, is_own)
    if pawns := map_pictures.readable(board, pieces, pawns, choices):
        near = draw("surroundings", board, pieces, frozenset(pawns), possible, choices)
        made.append(MailPicture("surroundings", near, _around(pawns, viewer, is_own=is_own)))
    whole = gettext("The whole board.")
    words = whole if is_own else f"{whole} {picture.told(view, possible or None)}"
    return [*made, MailPicture("board", draw("overview", board, pieces, possible), words)]


def _choices(then: AsOf, player: Player, viewer: str, is_own: bool) -> tuple[tuple[str, frozenset[int]], ...]:
    """Return the stations that each pawn of the player can go to now; none of a Mr. X who is not to be seen."""
    if viewer == "mr_x" and not is_own:
        return ()
    moves = then.moves_of(projection.own_seat(then.game, player))
    return tuple((pawn, frozenset(move.legs[0].station for move in those)) for pawn, those in moves.items())


def _around(pawns: Sequence[str], viewer: str, *, is_own: bool) -> str:
    if viewer != "mr_x":
        return gettext("The board around {pawns}.", pawns=pawn_names(pawns))
    return gettext("The board around you.") if is_own else gettext("The board around where you were last seen.")


def _drawn(kind: str, *shown: Hashable) -> bytes:
    """Return a small picture of a kind, which may lie in the cache."""
    return _kept((kind, current(), *shown), partial(_draw, kind, *shown))


def _draw(kind: str, *shown: object) -> bytes:
    from server.drawing import map_pictures  # noqa: PLC0415 start-up time

    made: bytes = getattr(map_pictures, kind)(*shown)
    return made


def _kept(shown: tuple[object, ...], draw: Callable[[], bytes]) -> bytes:
    cache = runtime().pictures
    if (known := cache.get(shown)) is None:
        cache.put(shown, known := draw())
    return known
