"""The picture of a game that is open: the board with Mr. X's way so far, and the stations where he could have been.

The pages move the pawns of such a picture with a script: the classes in `templates/board/replay.svg` are for it.
"""

from collections.abc import Collection, Mapping, Sequence

from server.drawing.picture import (
    FONT,
    SIGNS,
    board_lines,
    board_stations,
    pawn_pieces,
    template,
)
from server.engine import Board

MARGIN = 46  # of the board, beyond its outermost stations: a pawn is as high


def svg(
    board: Board,
    places: Mapping[str, int],
    way: Sequence[int],
    possible: Collection[int],
    told: str,
    caption: str = "",
) -> str:
    """Return the board with every pawn on its station of `places`; `told` is all of it in words.

    way: the stations where Mr. X has been, in their order
    possible: the stations where he could have been
    caption: a line below the board, if it is not empty
    """
    points = board.stations.values()
    return template("replay.svg").render(
        width=max(x for x, _ in points) + 2 * MARGIN,
        height=max(y for _, y in points) + 2 * MARGIN,
        margin=MARGIN,
        lines=board_lines(board),
        stations=board_stations(board),
        possible=frozenset(possible),
        pieces=sorted(pawn_pieces(board, places), key=lambda piece: piece.y),
        way=path(board, way),
        told=told,
        caption=caption,
        font=FONT,
        **SIGNS,
    )


def path(board: Board, way: Sequence[int]) -> str:
    """Return the stations of a way as the data of a path in SVG."""
    return "M" + "L".join(f"{x} {y}" for x, y in (board.stations[station] for station in way))
