"""The end of a game whose result is final: the board with Mr. X's whole way, and its pictures."""

from collections.abc import Mapping, Sequence
from itertools import chain
from textwrap import wrap
from typing import NamedTuple

from markupsafe import Markup

from server.application.game import hunt, pictures, replay
from server.application.game.replay import Step
from server.application.game.state import edition_of
from server.drawing import look, replay_picture
from server.drawing.picture import LINKED_HEIGHT, LINKED_WIDTH
from server.engine import BoardView
from server.house_rules.standing import Standing
from server.runtime import runtime
from server.vocabulary.translation import current, gettext, pgettext
from server.vocabulary.words import pawn_name
from server.web.game.board import paths_of_layers
from server.wording import ending as words
from server.wording.hunt import moments

LETTERS_BESIDE = 20  # on a line of the result, beside the board in the preview of a link


class LeftOut(NamedTuple):
    """A sentence for a reader without whom the game went on, and the step of the replay from where it did."""

    sentence: str
    ply: int


def left_out(view: BoardView, own: Sequence[str]) -> LeftOut | None:
    """Return what a reader missed who had the pawns `own` and could move none of them before a game was over."""
    if not own or any(view["pawns"][pawn].get("state") != "stranded" for pawn in own):
        return None
    movers = [notation.split()[0] for notation in view["history"]]
    ply = max((number for number, mover in enumerate(movers, 1) if mover in own), default=0)
    his = [mover not in view["pawns"] for mover in movers]
    if not any(his[ply:]):
        return None
    begins_with_reply = int(his[:1] == [False])  # a game from a position may begin with the detectives' reply
    return LeftOut(words.left_out(sum(his[:ply]) + begins_with_reply), ply)


def of(game: Standing) -> Markup | None:
    """Return the board as SVG with every pawn and Mr. X's way, which is kept; None while the result is not final."""
    if not game.final or game.turn is None:
        return None
    endings, place = runtime().endings, (game.id, f"{game.version} {current()}")
    if (end := endings.get(place)) is None:
        endings.put(place, end := Markup(_drawn(game, is_map=True)))  # noqa: S704 our own drawing
    return end


def picture(game: Standing, names: Mapping[str | None, str]) -> bytes:
    """Return the picture of a game whose result is final, with its players, its result and its story, as PNG."""
    below = words.captions(game, names)

    def draw() -> str:
        told = (wrap(moment, words.LONGEST_LINE) for moment in moments(hunt.of(game), None))
        return _drawn(game, [*below, *chain(*told)])

    return pictures.of_end(game, below, draw)


def preview(game: Standing, names: Mapping[str | None, str]) -> bytes:
    """Return the picture for a link to such a game: the board with Mr. X's way, and the result beside it, as PNG."""
    result = words.full_result(game, names)

    def draw() -> str:
        drawn = Markup(_drawn(game))  # noqa: S704 our own drawing
        board = look.look(edition_of(game).board)
        lines, width = wrap(result, LETTERS_BESIDE), board.height * LINKED_WIDTH / LINKED_HEIGHT
        return look.template("linked_end.svg").render(board=board, drawn=drawn, lines=lines, width=width)

    return pictures.of_end(game, [result], draw, LINKED_WIDTH)


def _drawn(game: Standing, below: Sequence[str] = (), *, is_map: bool = False) -> str:
    board, last = edition_of(game).board, replay.steps(game)[-1]
    layers = paths_of_layers(board.name) if is_map else ()
    told, order = _told(last), _order(last)
    return replay_picture.svg(board, last.places, last.way, (), told, below, order, is_map=is_map, layers=layers)


def _order(last: Step) -> dict[int, list[str]]:
    """Return for each station of Mr. X's way the moves of the travel log after which he was there."""
    order: dict[int, list[str]] = {}
    start = pgettext("beside a station", "start")
    for station, said in zip(last.way, [start, *(str(entry["window"]) for entry in last.view["log"])], strict=True):
        order.setdefault(station, []).append(said)
    return order


def _told(last: Step) -> str:
    way = ", ".join(map(str, last.way))
    return gettext("The board at the end: {places}. Mr. X's way: {way}.", places=places_in_words(last.places), way=way)


def places_in_words(places: Mapping[str, int]) -> str:
    """Return `Red at 46, Green at 13`."""
    return ", ".join(gettext("{pawn} at {station}", pawn=pawn_name(pawn), station=at) for pawn, at in places.items())
