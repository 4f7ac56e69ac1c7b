"""Small pictures of the board for mails and pages: the surroundings of some pawns, and the whole board.

The board without pawns is drawn once, by `make map`, and lies in `templates/board` as PNGs of few colours. A picture is
cut out of one of these, with squares for the stations where Mr. X can be and the pawns pasted in, which takes a
fortieth of the time that drawing it takes. A phone shows a picture on 362 of its pixels, and has two of its own for
each.
"""

import hashlib
import io
import logging
import math
import struct
import zlib
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple

from isal import isal_zlib
from PIL import Image, ImageDraw

from server.drawing import picture
from server.drawing.picture import Piece
from server.engine import Board
from server.resources import templates

# It logs every part of every file it reads.
logging.getLogger("PIL").setLevel(logging.INFO)

WIDTH = 724
MARGIN = 60  # of the board, beyond its outermost stations
REACH = 300  # of the board, on the width of a picture of surroundings
HEAD, FIGURE = 58, 76  # of the board: a pawn's height above its station, and that of its drawing
GAP = 6  # pixels between the parts of a picture
LARGEST = 36_500  # bytes of a picture of surroundings that is compressed fast; the whole board has up to 23,500
DRAWN_FROM = "Drawing"  # the field of a layer's PNG that names its drawing


class Style(NamedTuple):
    """The look of a board: pixels for a unit of the board, the sizes of stations, numbers and pawns, and of lines."""

    name: str
    scale: float
    radius: float
    size: float
    pawn: float
    thickness: float


NEAR = Style("near", scale=WIDTH / REACH, radius=12.5, size=12.7, pawn=1, thickness=1)
FAR = Style("far", scale=0.43, radius=7, size=0, pawn=2.5, thickness=1.3)
LINKED = Style("linked", scale=1, radius=9, size=0, pawn=1.6, thickness=1.2)


def surroundings(board: Board, pieces: Sequence[Piece], own: Collection[str], possible: Collection[int]) -> bytes:
    """Return a PNG of the surroundings of the pawns `own`, a part for each if they are far apart.

    `pieces` are all pawns that may be seen; stations of `possible` are square.
    """
    boxes = _boxes([(piece.x, piece.y) for piece in pieces if piece.pawn in own])
    columns, wide, high = _grid(len(boxes))
    layer = _layer(board, NEAR)
    parts = []
    for x, y in boxes:
        left = _within((x + MARGIN) * NEAR.scale - wide / 2, layer.width - wide)
        top = _within((y + MARGIN) * NEAR.scale - high / 2, layer.height - high)
        parts.append(_part(board, NEAR, (left, top, left + wide, top + high), pieces, possible))
    return _png(parts[0] if len(parts) == 1 else _together(parts, columns), _compressed_within_limits)


def _together(parts: Sequence[Image.Image], columns: int) -> Image.Image:
    """Return parts of one size beside and below each other."""
    wide, high = (size + GAP for size in parts[0].size)
    rows = -(-len(parts) // columns)
    whole = Image.new("P", (WIDTH, rows * high - GAP), _colours()["fog"])
    for index, part in enumerate(parts):
        row, column = divmod(index, columns)
        whole.paste(part, (column * wide, row * high))
    return whole


def overview(board: Board, pieces: Sequence[Piece], possible: Collection[int]) -> bytes:
    """Return a PNG of the whole board, without numbers."""
    return _whole(board, FAR, pieces, possible)


def preview(board: Board, pieces: Sequence[Piece], possible: Collection[int]) -> bytes:
    """Return the same in the size in which programs preview a link."""
    return _whole(board, LINKED, pieces, possible)


def _whole(board: Board, style: Style, pieces: Sequence[Piece], possible: Collection[int]) -> bytes:
    """Return the PNG of the whole board, with room above it for a pawn on the uppermost station."""
    layer = _layer(board, style)
    uppermost = min(y for _, y in board.stations.values())
    room = max(0, math.ceil((HEAD * style.pawn - MARGIN - uppermost) * style.scale))
    return _png(_part(board, style, (0, -room, layer.width, layer.height), pieces, possible))


# The layers --------------------------------------------------------------------------------------


def drawing(board: Board, style: Style) -> str:
    """Return the SVG of the board without pawns."""
    width, height = _size(board)
    return picture.layer(
        board, margin=MARGIN, width=width, height=height, thickness=style.thickness, radius=style.radius,
        size=style.size, three_digits=None,
    )  # fmt: skip


def draw(board: Board, style: Style) -> bytes:
    """Return the PNG of the board without pawns, which names the drawing that it was made from."""
    drawn = drawing(board, style)
    layer = _pixels(drawn, round(_size(board)[0] * style.scale)).convert("RGB")
    return _png(_with_few_colours(layer), partial(zlib.compress, level=9), **{DRAWN_FROM: fingerprint(drawn)})


def fingerprint(drawn: str) -> str:
    """Return the mark of a drawing that its PNG bears."""
    return hashlib.sha256(drawn.encode()).hexdigest()


def layer_path(board: Board, style: Style) -> str:
    """Return the file of a layer in the folder of the templates."""
    return f"board/{board.name}-{style.name}.png"


def _size(board: Board) -> tuple[int, int]:
    """Return width and height of the board with its margin."""
    points = board.stations.values()
    return (max(x for x, _ in points) + 2 * MARGIN + 20, max(y for _, y in points) + 2 * MARGIN + 20)


class Layer:
    """The board without pawns, kept at two pixels a byte: the largest takes 3.4 megabytes, and unpacked 6.7."""

    def __init__(self, image: Image.Image) -> None:
        self.width, self.height = image.size
        self._rows, self._length = memoryview(image.tobytes("raw", "P;4")), -(-self.width // 2)

    def crop(self, box: tuple[int, int, int, int]) -> Image.Image:
        """Return what lies in the box; above the board that is nothing."""
        left, top, right, bottom = box
        begin, first = left // 2, max(0, top)
        rows = self._rows[first * self._length + begin :]
        size = 2 * (-(-right // 2) - begin), bottom - first
        part = Image.frombytes("P", size, rows, "raw", "P;4", self._length, 1)
        part.putpalette(_plte())
        return part.crop((left % 2, top - first, left % 2 + right - left, bottom - first))


@cache
def _layer(board: Board, style: Style) -> Layer:
    with Image.open(templates() / layer_path(board, style)) as image:
        return Layer(image)


# The parts of a picture --------------------------------------------------------------------------


def _boxes(centres: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return the middles of the pictures: one for all points if they are near each other, else one for each."""
    xs, ys = [x for x, _ in centres], [y for _, y in centres]
    if max(xs) - min(xs) <= REACH / 2 and max(ys) - min(ys) <= REACH / 2:
        return [((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)]
    return centres


def _grid(parts: int) -> tuple[int, int, int]:
    """Return the columns of so many parts, and width and height of each in pixels."""
    if parts == 1:
        return 1, WIDTH, WIDTH * 9 // 10
    return (1, WIDTH, WIDTH * 15 // 32) if parts == 2 else (2, (WIDTH - GAP) // 2, WIDTH * 3 // 8)


def _within(at: float, most: int) -> int:
    return max(0, min(round(at), most))


def _part(
    board: Board, style: Style, box: tuple[int, int, int, int], pieces: Sequence[Piece], possible: Collection[int]
) -> Image.Image:
    """Return what lies in the box of a layer, with squares and pawns."""
    layer = _layer(board, style)
    part = layer.crop(box)
    if box[1] < 0:  # above the board, where a layer has no colour
        part.paste(layer.crop((0, 0, 1, 1)).resize((part.width, -box[1])), (0, 0))
    for number in sorted(possible):
        left, top, square = _square(board, style, number)
        part.paste(square, (left - box[0], top - box[1]))
    for piece in sorted(pieces, key=lambda piece: piece.y):
        figure = _figure(piece.pawn, piece.letter, style.scale * style.pawn)
        left = round((piece.x + MARGIN) * style.scale - figure.width / 2) - box[0]
        top = round((piece.y + MARGIN) * style.scale - figure.height * HEAD / FIGURE) - box[1]
        _paste(part, figure, left, top)
    return part


@lru_cache(maxsize=1024)
def _square(board: Board, style: Style, number: int) -> tuple[int, int, Image.Image]:
    """Return the square sign of a station, with the number that it has on the plain board, and its place there."""
    x, y = ((at + MARGIN) * style.scale for at in board.stations[number])
    side, ink, width = style.radius * style.scale, _colours()["ink"], round(1.8 * style.scale)
    left, top, right, bottom = int(x - side), int(y - side), int(x + side) + 2, int(y + side) + 2
    plain = _layer(board, style).crop((left, top, right, bottom))
    sign, x, y = plain.copy(), x - left, y - top
    square = (x - side, y - side, x + side, y + side)
    ImageDraw.Draw(sign).rounded_rectangle(square, 3 * style.scale, fill=_colours()["amber"], outline=ink, width=width)
    box = (round(x - side) + width, round(y - side / 2), round(x + side) - width, round(y + side / 2))
    sign.paste(ink, box, plain.crop(box).point(_only(ink), "L"))
    return left, top, sign


@cache
def _only(colour: int) -> Sequence[int]:
    """Return the table that makes a mask of one colour."""
    return [255 * (other == colour) for other in range(256)]


def _paste(part: Image.Image, figure: Image.Image, left: int, top: int) -> None:
    box = (left, top, left + figure.width, top + figure.height)
    if box[0] < part.width and box[1] < part.height and box[2] > 0 and box[3] > 0:
        there = part.crop(box).convert("RGB")
        there.paste(figure, (0, 0), figure)
        part.paste(_with_few_colours(there), box)


@lru_cache(maxsize=64)
def _figure(pawn: str, letter: str, scale: float) -> Image.Image:
    return _pixels(picture.figure(pawn, letter), round(36 * scale)).convert("RGBA")


def _pixels(drawn: str, width: int) -> Image.Image:
    return Image.open(io.BytesIO(picture.png(drawn, width)))


# Colours -----------------------------------------------------------------------------------------


@cache
def _colours() -> dict[str, int]:
    """Return the number of each colour by its name."""
    return {name: number for number, name in enumerate(picture.shades())}


@cache
def _palette() -> Image.Image:
    """Return an image that has the colours of all pictures."""
    palette = Image.new("P", (1, 1))
    palette.putpalette(_plte())
    return palette


@cache
def _plte() -> bytes:
    """Return the colours as a PNG has them."""
    return bytes(part for shade in picture.shades().values() for part in shade)


def _with_few_colours(image: Image.Image) -> Image.Image:
    return image.quantize(palette=_palette(), dither=Image.Dither.NONE)


def _compressed_within_limits(rows: bytes) -> bytes:
    """Return the rows compressed fast, or a seventh smaller, in thirty times the time, if they are too large then."""
    fast = isal_zlib.compress(rows)
    return fast if len(fast) <= LARGEST else zlib.compress(rows)


def _png(image: Image.Image, compress: Callable[[bytes], bytes] = isal_zlib.compress, **named: str) -> bytes:
    """Return a PNG of four bits a pixel, `named` in its text fields; Pillow's own is larger and takes longer."""
    framed = Image.new("P", (image.width + 2, image.height))  # two pixels before a row are its byte for "no filter"
    framed.paste(image, (2, 0))
    rows = framed.tobytes("raw", "P;4")
    header = struct.pack(">IIBBBBB", *image.size, 4, 3, 0, 0, 0)
    parts = [(b"IHDR", header), (b"PLTE", _plte())]
    parts += [(b"tEXt", f"{name}\0{text}".encode("latin-1")) for name, text in named.items()]
    parts += [(b"IDAT", compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )
