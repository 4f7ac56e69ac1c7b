"""The picture of a game that is open: the board with Mr. X's way so far, and the stations where he could have been.

The pages move the pawns of such a picture with a script: the classes in `templates/board/replay.svg` are for it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from server.drawing.city import city
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


class Stop(NamedTuple):
    """A station at its point, and what is written beside it."""

    x: int
    y: int
    said: str


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
    may_hide: bool = False,
    last_seen: int | None = None,
) -> str:
    """Return the board with every pawn on its station of `places`; `told` is all of it in words.

    way: the stations where Mr. X has been, in their order; none where they are not all known
    possible: the stations where he could have been
    captions: lines below the board
    order: what is written beside a station of the way: when he was there
    is_map: it takes the place of the board on the page of a game
    may_hide: the reader does not always know where Mr. X is, so a sign is there for the place where he was last seen
    last_seen: that station, where it is not known that he is somewhere
    """
    points = board.stations.values()
    return template("replay.svg").render(
        width=max(x for x, _ in points) + 2 * MARGIN,
        height=max(y for _, y in points) + 2 * MARGIN,
        margin=MARGIN,
        below=city(board),
        lines=board_lines(board),
        stations=board_stations(board),
        possible=frozenset(possible),
        pieces=sorted(pawn_pieces(board, places), key=lambda piece: piece.y),
        is_map=is_map,
        may_hide=may_hide,
        is_mr_x_away="mr_x" not in places,
        seen=board.stations[last_seen] if last_seen else None,
        way=path(board, way),
        told=told,
        captions=captions,
        stops=[Stop(*board.stations[station], " ".join(said)) for station, said in (order or {}).items()],
        font=FONT,
        **SIGNS,
    )


def path(board: Board, way: Sequence[int]) -> str:
    """Return the stations of a way as the data of a path in SVG, empty without any."""
    points = (board.stations[station] for station in way)
    return "M" + "L".join(f"{x} {y}" for x, y in points) if way else ""
