"""Small pictures of the board for mails: the surroundings of some pawns, and the whole board.

They are put together from layers that are drawn once: the board with plain stations, and with stations where Mr. X can
be. A picture is cut out of the one, with squares of the other and the pawns on it; that takes a hundredth of the time
that drawing it takes. A phone shows a picture on 362 of its pixels, and has two of its own for each.
"""

import io
import logging
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from PIL import Image

from server import picture
from server.engine import Board
from server.picture import Piece

# It logs every part of every file it reads.
logging.getLogger("PIL").setLevel(logging.INFO)

WIDTH = 724
MARGIN = 60  # of the board, beyond its outermost stations
REACH = 300  # of the board, on the width of a picture of surroundings
COLOURS = 20


class Style(NamedTuple):
    """The look of a board: pixels for a unit of the board, the sizes of stations, numbers and pawns, and of lines."""

    scale: float
    radius: float
    size: float
    pawn: float
    thickness: float


NEAR = Style(scale=WIDTH / REACH, radius=12.5, size=12.7, pawn=1, thickness=1)
FAR = Style(scale=0.5, radius=7, size=0, pawn=2.2, thickness=1.3)


def surroundings(board: Board, pieces: Sequence[Piece], own: Collection[str], possible: Collection[int]) -> bytes:
    """Return a PNG of the surroundings of the pawns `own`, a part for each if they are far apart.

    `pieces` are all pawns that may be seen; stations of `possible` are square.
    """
    centres = [(piece.x, piece.y) for piece in pieces if piece.pawn in own]
    boxes = _boxes(centres)
    height = round((REACH if len(boxes) == 1 else REACH * 0.6) * NEAR.scale)
    whole = Image.new("RGB", (WIDTH, height * len(boxes) + 6 * (len(boxes) - 1)), "#9aa6ba")
    full = _whole(board, NEAR, pieces, possible)
    for index, (x, y) in enumerate(boxes):
        left = _within((x + MARGIN) * NEAR.scale - WIDTH / 2, full.width - WIDTH)
        top = _within((y + MARGIN) * NEAR.scale - height / 2, full.height - height)
        whole.paste(full.crop((left, top, left + WIDTH, top + height)), (0, index * (height + 6)))
    return _png(whole)


def overview(board: Board, pieces: Sequence[Piece], possible: Collection[int]) -> bytes:
    """Return a PNG of the whole board, without numbers."""
    return _png(_whole(board, FAR, pieces, possible))


def _boxes(centres: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return the middles of the pictures: one for all points if they are near each other, else one for each."""
    xs, ys = [x for x, _ in centres], [y for _, y in centres]
    if max(xs) - min(xs) <= REACH / 2 and max(ys) - min(ys) <= REACH / 2:
        return [((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)]
    return centres


def _within(at: float, most: int) -> int:
    return max(0, min(round(at), most))


def _whole(board: Board, style: Style, pieces: Sequence[Piece], possible: Collection[int]) -> Image.Image:
    whole = _layer(board, style, is_marked=False).copy()
    side = style.radius + 2
    for number in possible:
        x, y = board.stations[number]
        left, top = round((x + MARGIN - side) * style.scale), round((y + MARGIN - side) * style.scale)
        wide = round(2 * side * style.scale)
        square = _layer(board, style, is_marked=True).crop((left, top, left + wide, top + wide))
        whole.paste(square, (left, top))
    for piece in sorted(pieces, key=lambda piece: piece.y):
        figure = _figure(piece.pawn, piece.letter, style.scale * style.pawn)
        left = round((piece.x + MARGIN) * style.scale - figure.width / 2)
        top = round((piece.y + MARGIN) * style.scale - figure.height * 58 / 76)
        whole.paste(figure, (left, top), figure)
    return whole


@lru_cache(maxsize=8)
def _layer(board: Board, style: Style, *, is_marked: bool) -> Image.Image:
    """Return the board without pawns, with all stations plain or all of them marked."""
    width, height = board_size(board)
    drawn = picture.layer(
        board, margin=MARGIN, width=width, height=height, thickness=style.thickness, radius=style.radius,
        size=style.size, is_marked=is_marked,
    )  # fmt: skip
    return _pixels(drawn, round(width * style.scale)).convert("RGB")


def board_size(board: Board) -> tuple[int, int]:
    """Return width and height of the board with its margin."""
    points = board.stations.values()
    return (max(x for x, _ in points) + 2 * MARGIN + 20, max(y for _, y in points) + 2 * MARGIN + 20)


@lru_cache(maxsize=64)
def _figure(pawn: str, letter: str, scale: float) -> Image.Image:
    return _pixels(picture.figure(pawn, letter), round(36 * scale)).convert("RGBA")


def _pixels(drawn: str, width: int) -> Image.Image:
    return Image.open(io.BytesIO(picture.png(drawn, width)))


def _png(image: Image.Image) -> bytes:
    """Return the picture with few colours, which makes it a tenth as large."""
    few = image.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    written = io.BytesIO()
    few.save(written, "PNG", optimize=True)
    return written.getvalue()
