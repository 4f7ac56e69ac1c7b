"""The picture of a game that is open: the board with Mr. X's way so far, and the stations where he could have been.

The pages move the pawns of such a picture with a script: the classes in `templates/board/replay.svg` are for it.
"""

from collections.abc import Collection, Mapping, Sequence

from server.drawing import figures, labels
from server.drawing.figures import Figure
from server.drawing.look import Piece, look, template
from server.engine import Board
from server.vocabulary.words import pawn_letter


def svg(
    board: Board,
    places: Mapping[str, int],
    way: Sequence[int],
    possible: Collection[int],
    told: str,
    captions: Sequence[str] = (),
    order: Mapping[int, Sequence[str]] | None = None,
    *,
    is_map: bool = False,
    layers: Sequence[str] = (),
    may_hide: bool = False,
    last_seen: int | None = None,
) -> str:
    """Return the board with every pawn on its station of `places`; `told` is all of it in words.

    way: the stations where Mr. X has been, in their order; none where they are not all known
    possible: the stations where he could have been
    captions: lines below the board
    order: what is written beside a station of the way: when he was there
    layers: the addresses of the ground and of the discs, if a page has them as pictures of their own
    is_map: it takes the place of the board on the page of a game
    may_hide: the reader does not always know where Mr. X is, so a sign is there for the place where he was last seen
    last_seen: that station, where it is not known that he is somewhere
    """
    pawns = placed(board, places, last_seen)
    rooms = [figures.box(each.pawn, (each.foot_x, each.foot_y)) for each in pawns]
    return template("replay.svg").render(
        board=look(board),
        layers=layers,
        possible=look(board).only(possible),
        pawns_there=pawns,
        is_map=is_map,
        may_hide=may_hide,
        is_mr_x_away="mr_x" not in places,
        is_seen=last_seen is not None,
        way=path(board, way),
        told=told,
        captions=captions,
        labels=labels.placed(board, order or {}, rooms),
    )


def placed(board: Board, places: Mapping[str, int], last_seen: int | None = None) -> Sequence[Figure]:
    """Return the pawns on these stations where their figures hide least, and the sign for where Mr. X was last seen."""
    pieces = [Piece(pawn, pawn_letter(pawn), *board.stations[station]) for pawn, station in places.items()]
    if last_seen is not None:
        pieces.append(Piece("mr_x", "?", *board.stations[last_seen]))
    return figures.placed(board, pieces, ())


def path(board: Board, way: Sequence[int]) -> str:
    """Return the stations of a way as the data of a path in SVG, empty without any."""
    points = (board.stations[station] for station in way)
    return "M" + "L".join(f"{x} {y}" for x, y in points) if way else ""
