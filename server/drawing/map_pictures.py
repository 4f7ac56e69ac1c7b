"""Small pictures of the board for mails and pages: the surroundings of some pawns, and the whole board.

The board without pawns is drawn once for each scale, by `make map`, and lies in `templates/board` as PNGs of few
colours. A picture is cut out of these, with halos around the stations where Mr. X can be and the pawns pasted in, so
none is scaled or drawn when it is needed. A phone shows a picture on 362 of its pixels.
"""

import io
import logging
import math
import struct
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFont

from server.drawing import figures, look, picture
from server.drawing.figures import Figure
from server.drawing.look import MARGIN, Piece
from server.drawing.picture import LINKED_HEIGHT, LINKED_WIDTH
from server.engine import Board
from server.vocabulary.resources import templates
from server.vocabulary.translation import ENGLISH, current, gettext

# It logs every part of every file it reads.
logging.getLogger("PIL").setLevel(logging.INFO)

WIDTH = 500  # four pixels for three of a phone
REACH = 300  # of the board, on the width of a picture of surroundings
HEAD = 56  # of the board: a pawn's height above its station
BOXES = {"ring": (-21, -21, 42), "figure": (-14, -43, 28)}  # of the board: where a drawing begins, and its width
ROUND = 16  # of the board, around the middle of a station that is to be seen whole
EDGE = 24  # of the board, beyond its outermost stations, as far as a picture of surroundings goes
GAP = 6  # pixels between the parts of a picture
MOST_NUMBERED = 20  # stations where Mr. X can be; the numbers of more would hide the board
DIGITS = 14  # pixels: the size of a number on the whole board
READABLE = 0.72  # pixels for a unit of the board, with which names can be read, and on a phone numbers
HALO = 2, 7  # of the board, from the edge of a station
GROUND = frozenset({"land", "river", "park"})
LINES = frozenset({"taxi", "bus", "underground", "ferry", "grey"})
STEP = 26  # of the board, between pawns on one station
DRAWN_FROM = "Drawing"  # the field of a layer's PNG that names its drawing


Box = tuple[int, int, int, int]  # pixels: left, top, right, bottom


class Style(NamedTuple):
    """The look of a board: pixels for a unit of the board, the radius of stations, the size of pawns, and of lines.

    has_numbers: each station has its number, and pawns stand beside their stations, so as to hide none of these
    """

    name: str
    scale: float
    radius: float = look.RADIUS
    pawn: float = 1
    thick: float = 1
    has_numbers: bool = True


NEAR = Style("near", scale=WIDTH / REACH)
# What does not fit on a picture is cut from a smaller board.
NEARER_OR_NOT = (
    NEAR,
    *(Style(f"near-{percent}", scale=NEAR.scale * percent / 100) for percent in (80, 64, 51, 41, 33, 26, 21, 17, 13)),
)
FAR = Style("far", scale=0.3352, radius=6.5, pawn=2, thick=0.8, has_numbers=False)
LINKED = Style("linked", scale=LINKED_HEIGHT / 841)
STYLES = (*NEARER_OR_NOT, FAR, LINKED)


class Crop(NamedTuple):
    """A part of a picture: what it shows of the board, from (`left`, `top`), and its place and size in pixels.

    `style` is that of the board that it is cut from, and `pawn` the first that it is around.
    """

    left: float
    top: float
    style: Style
    place: tuple[int, int]
    size: tuple[int, int]
    pawn: str

    @property
    def scale(self) -> float:
        """Pixels for a unit of the board."""
        return self.style.scale


Choices = Sequence[tuple[str, Collection[int]]]  # pawns, each with the stations that it can go to


def surroundings(
    board: Board, pieces: Sequence[Piece], own: Collection[str], possible: Collection[int], choices: Choices = ()
) -> bytes:
    """Return a PNG of the surroundings of the pawns `own`, a part for each if they are far apart.

    `pieces` are all pawns that may be seen; stations of `possible` have halos, and all of `choices` can be seen.
    """
    crops = cropped(board, pieces, own, choices)
    placed = _beside(board, pieces, choices)
    whole = Image.new("P", (WIDTH, max(crop.place[1] + crop.size[1] for crop in crops)), _colours()["disc"])
    for crop in crops:
        whole.paste(_cut_out(board, crop, placed, possible), crop.place)
    return _png(whole)


def readable(board: Board, pieces: Sequence[Piece], own: Sequence[str], choices: Choices) -> list[str]:
    """Return the pawns around which a phone shows numbers that can be read; of one or two pawns they are large enough.

    What is left out leaves more room to the others.
    """
    crops = cropped(board, pieces, own, choices) if len(own) > 2 else ()
    too_small = {crop.pawn for crop in crops if crop.scale < READABLE} if len(crops) > 1 else set()
    rest = [pawn for pawn in own if pawn not in too_small]
    return readable(board, pieces, rest, choices) if too_small else rest


def cropped(board: Board, pieces: Sequence[Piece], own: Collection[str], choices: Choices) -> Sequence[Crop]:
    """Return the parts of a picture of surroundings, see `surroundings`; they fill it but for gaps."""
    goals = dict(choices)
    rooms = {each.pawn: figures.box(each.pawn, (each.foot_x, each.foot_y)) for each in _beside(board, pieces, choices)}
    mine = [piece for piece in pieces if piece.pawn in own]
    groups = [mine] if _are_near(mine) else [[piece] for piece in mine]
    shown = [_around(board, group, goals, rooms) for group in groups]
    if len(groups) > 2 and len(groups) % 2:  # the last has a row of its own: it shows what is broadest
        broadest = max(range(len(shown)), key=lambda i: shown[i].wide / shown[i].high)
        shown.append(shown.pop(broadest))
    crops = [_crop(board, area, cell) for area, cell in zip(shown, _cells(len(shown)), strict=True)]
    return crops if len(crops) > 2 else _moved_up(crops)


def _moved_up(crops: Sequence[Crop]) -> list[Crop]:
    """Return parts that stand below each other without room between them but for gaps."""
    tops = accumulate((crop.size[1] + GAP for crop in crops), initial=0)
    return [crop._replace(place=(0, top)) for crop, top in zip(crops, tops, strict=False)]


def _cut_out(board: Board, crop: Crop, placed: Sequence[Figure], possible: Collection[int]) -> Image.Image:
    """Return a part as it stands in the picture."""
    layer = _layers(board)[crop.style]
    left, top = (round((at + MARGIN) * crop.scale) for at in (crop.left, crop.top))
    right, bottom = left + crop.size[0], top + crop.size[1]
    there = max(0, left), max(0, top), min(right, layer.width), min(bottom, layer.height)
    part = _part(board, crop.style, there, placed, possible)
    if part.size == crop.size:
        return part
    whole = Image.new("P", crop.size, _colours()["land"])  # there is no more of the board
    whole.paste(part, (there[0] - left, there[1] - top))
    return whole


def overview(board: Board, pieces: Sequence[Piece], possible: Collection[int]) -> bytes:
    """Return a PNG of the whole board, without numbers but for those of `possible` stations, where they are few."""
    return _whole(board, FAR, pieces, possible, MOST_NUMBERED)


def preview(board: Board, pieces: Sequence[Piece], possible: Collection[int]) -> bytes:
    """Return the same in the size in which programs preview a link."""
    return _whole(board, LINKED, pieces, possible)


def flat(drawn: str, width: int) -> bytes:
    """Return an SVG of the board as a PNG in the colours of all these pictures, a fourth as large as in all colours."""
    few = _with_few_colours(_pixels(drawn, width).convert("RGB"))
    return _png(few, level=9)


def _whole(
    board: Board, style: Style, pieces: Sequence[Piece], possible: Collection[int], most_numbered: int = 0
) -> bytes:
    """Return the PNG of the whole board, with room above it for a pawn on the uppermost station."""
    layer = _layers(board)[style]
    uppermost = min(y for _, y in board.stations.values())
    room = 0 if style.has_numbers else max(0, math.ceil((HEAD * style.pawn - MARGIN - uppermost) * style.scale))
    placed = figures.placed(board, pieces, ()) if style.has_numbers else list(_standing(pieces))
    whole = _part(board, style, (0, -room, layer.width, layer.height), placed, possible)
    if len(possible) <= most_numbered:
        _number(whole, board, style, room, pieces, possible)
    return _png(whole)


# The layers --------------------------------------------------------------------------------------


def drawing(board: Board, style: Style) -> str:
    """Return the SVG of the board without pawns."""
    return look.template("layer.svg").render(
        board=look.look(board), width=_width(board, style), radius=style.radius, thick=style.thick,
        has_numbers=style.has_numbers, has_names=style.has_numbers and style.scale > READABLE,
        loose=gettext("Mr. X is loose\nin London."),
    )  # fmt: skip


def draw(board: Board, style: Style) -> bytes:
    """Return the PNG of the board without pawns, which names the drawing that it was made from."""
    drawn = drawing(board, style)
    layer = _pixels(drawn, round(_width(board, style) * style.scale)).convert("RGB")
    names = None if style == LINKED else GROUND | LINES | {"disc", "ink"}
    few = layer.quantize(palette=_palette(names), dither=Image.Dither.NONE)
    return _png(few, level=9, **{DRAWN_FROM: look.fingerprint(drawn)})


def layer_path(board: Board, style: Style) -> str:
    """Return the file of a layer in the folder of the templates."""
    return f"board/{board.name}-{style.name}.png"


def _width(board: Board, style: Style) -> float:
    """Return the width of the board with its margin; the preview of a link has room beside it."""
    return LINKED_WIDTH / style.scale if style == LINKED else look.look(board).width


class Layer:
    """The board without pawns, kept at two pixels a byte: the largest takes 3.4 megabytes, and unpacked 6.7.

    `points` are the pixels of the stations.
    """

    def __init__(self, image: Image.Image, board: Board, style: Style) -> None:
        self.width, self.height = image.size
        self.points = {
            number: (round((x + MARGIN) * style.scale), round((y + MARGIN) * style.scale))
            for number, (x, y) in board.stations.items()
        }
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
def _layers(board: Board) -> Mapping[Style, Layer]:
    """Return the layers of a board. All are read at once, so that the time of no picture tells the scale of another."""
    layers = {}
    for style in STYLES:
        with Image.open(templates() / layer_path(board, style)) as image:
            layers[style] = Layer(image, board, style)
    return layers


@cache
def _layer_with_words(board: Board, _language: str) -> Layer:
    """Return the layer for previews of links in the current language, whose words no file has."""
    with Image.open(io.BytesIO(draw(board, LINKED))) as image:
        return Layer(image, board, LINKED)


# The parts of a picture --------------------------------------------------------------------------


def _are_near(pieces: Sequence[Piece]) -> bool:
    """Return True for pawns that are near enough to each other for one picture."""
    return all(max(places) - min(places) <= REACH / 2 for places in ([p.x for p in pieces], [p.y for p in pieces]))


Cell = tuple[tuple[int, int], tuple[int, int]]  # pixels: the place of a part in a picture, and the most of its size


def _cells(parts: int) -> list[Cell]:
    """Return the cells of so many parts. The last of an odd number takes a whole row."""
    if parts == 1:
        return [((0, 0), (WIDTH, WIDTH * 9 // 10))]
    is_odd = parts % 2 > 0
    columns, wide, high = 2, (WIDTH - GAP) // 2, WIDTH * 3 // 10 if is_odd else WIDTH * 3 // 8
    if parts == 2:
        columns, wide, high = 1, WIDTH, WIDTH * 15 // 32
    places = [((i % columns) * (wide + GAP), (i // columns) * (high + GAP)) for i in range(parts)]
    return [(at, (WIDTH if is_odd and at == places[-1] else wide, high)) for at in places]


class _Area(NamedTuple):
    """The part of the board that has to be seen, around a middle, which `pawn` is the first to stand at."""

    pawn: str
    middle: tuple[float, float]
    left: float
    top: float
    right: float
    bottom: float

    @property
    def wide(self) -> float:
        return self.right - self.left

    @property
    def high(self) -> float:
        return self.bottom - self.top


def _around(
    board: Board, pieces: Sequence[Piece], goals: Mapping[str, Collection[int]], rooms: Mapping[str, figures.Box]
) -> _Area:
    """Return what is to be seen around pawns: they and all stations that they can go to, whole."""
    xs, ys = [piece.x for piece in pieces], [piece.y for piece in pieces]
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    points = [*zip(xs, ys, strict=True), *(board.stations[at] for piece in pieces for at in goals.get(piece.pawn, ()))]
    signs = [figures.Box(x - ROUND, y - ROUND, x + ROUND, y + ROUND) for x, y in points]
    lefts, tops, rights, bottoms = zip(*signs, *(rooms[piece.pawn] for piece in pieces), strict=True)
    return _Area(pieces[0].pawn, middle, min(lefts), min(tops), max(rights), max(bottoms))


def _beside(board: Board, pieces: Sequence[Piece], choices: Choices) -> Sequence[Figure]:
    """Return the pawns beside their stations, where they hide no number of a station that matters."""
    return figures.placed(board, pieces, {station for _, goals in choices for station in goals})


def _crop(board: Board, area: _Area, cell: Cell) -> Crop:
    """Return the part that shows an area, as near as possible; one with a row of its own is no higher than it needs."""
    place, (wide, high) = cell
    style = next(each for each in NEARER_OR_NOT if area.wide * each.scale <= wide and area.high * each.scale <= high)
    scale = style.scale
    if wide == WIDTH:
        high = min(high, max(math.ceil(area.high * scale), wide * 2 // 3 if style == NEAR else wide // 3))
    across, down = zip(*board.stations.values(), strict=True)
    left = _begin(area.middle[0], wide / scale, (area.left, area.right), across)
    top = _begin(area.middle[1], high / scale, (area.top, area.bottom), down)
    return Crop(left, top, style, place, (wide, high), area.pawn)


def _begin(middle: float, length: float, shown: tuple[float, float], stations: Collection[int]) -> float:
    """Return where a length begins around a middle that is moved as little as it takes to hold what is `shown`.

    It goes no further beyond the outermost `stations` than that; what is longer than the board has it in its middle.
    """
    first, last = min(min(stations) - EDGE, shown[0]), max(max(stations) + EDGE, shown[1])
    if length > last - first:
        return (first + last - length) / 2
    wanted = min(max(middle - length / 2, shown[1] - length), shown[0])
    return max(first, min(wanted, last - length))


def _part(board: Board, style: Style, box: Box, placed: Sequence[Figure], possible: Collection[int]) -> Image.Image:
    """Return what lies in the box of a layer, with halos and pawns."""
    has_words = style == LINKED and current() != ENGLISH
    layer = _layer_with_words(board, current()) if has_words else _layers(board)[style]
    part = layer.crop(box)
    if box[1] < 0:  # above the board, where a layer has no colour
        part.paste(layer.crop((0, 0, 1, 1)).resize((part.width, -box[1])), (0, 0))
    if possible:
        part.paste(_colours()["place"], mask=_halos(board, style, box, part, possible))
    for kind in BOXES:
        for each in placed:
            drawn, mask = _drawings(each.pawn, each.letter)[style, kind]
            x, y = (each.x, each.y) if kind == "ring" else (each.foot_x, each.foot_y)
            left, top = (style.pawn * begin for begin in BOXES[kind][:2])
            at = round((x + MARGIN + left) * style.scale) - box[0], round((y + MARGIN + top) * style.scale) - box[1]
            part.paste(drawn, at, mask)
    return part


def _standing(pieces: Sequence[Piece]) -> Iterator[Figure]:
    """Yield pawns that stand on their stations; of those that share one each is a step further to the right."""
    for i, piece in enumerate(sorted(pieces, key=lambda piece: piece.y)):
        x = piece.x + STEP * sum(piece[2:] == other[2:] for other in sorted(pieces, key=lambda each: each.y)[:i])
        yield Figure(*piece, figures.RING, x, piece.y)


def _halos(board: Board, style: Style, box: Box, part: Image.Image, possible: Collection[int]) -> Image.Image:
    """Return the mask of the halos around stations, which lie on the ground and hide no line and no station."""
    halos, sign = Image.new("L", part.size), style.radius * style.scale
    inner, outer = _disc(sign + HALO[0] * style.scale), _disc(sign + HALO[1] * style.scale)
    numbered = board.stations if style.has_numbers else possible
    (wide, high), points = part.size, _layers(board)[style].points
    for stations, disc, shade in ((possible, outer, 255), (numbered, inner, 0)):
        size = disc.width
        left_of_all, top_of_all = box[0] + size // 2, box[1] + size // 2
        for number in stations:
            x, y = points[number]
            left, top = x - left_of_all, y - top_of_all
            if -size < left < wide and -size < top < high:
                halos.paste(shade, (left, top), disc)
    return ImageChops.darker(halos, part.point(_mask_table(GROUND), "L"))


@cache
def _disc(radius: float) -> Image.Image:
    """Return the mask of a disc."""
    middle = math.ceil(radius)
    disc = Image.new("L", (2 * middle + 1, 2 * middle + 1))
    ImageDraw.Draw(disc).circle((middle, middle), radius, fill=255)
    return disc


def numbers_of(
    board: Board, pieces: Sequence[Piece], possible: Collection[int], style: Style = FAR, room: int = 0
) -> list[tuple[int, Box]]:
    """Return the stations where Mr. X can be, each with the box of its number on the whole board.

    It stands beside the sign of the station, as near as it can without hiding another sign, a number or a pawn.
    """
    layer = _layers(board)[style]
    side = round(style.radius * style.scale) + 1
    points = {number: _point(board, style, room, number) for number in sorted(possible)}
    taken = [(x - side, y - side, x + side, y + side) for x, y in points.values()]
    taken += [_figure_box(piece, style, room) for piece in pieces]
    found = []
    for number, point in points.items():
        places = _places(point, side, _label(str(number)).size, (layer.width, layer.height + room))
        box = next(at for at in places if not any(_meet(at, other) for other in taken))
        taken.append(box)
        found.append((number, box))
    return found


def _number(
    whole: Image.Image, board: Board, style: Style, room: int, pieces: Sequence[Piece], possible: Collection[int]
) -> None:
    """Write the numbers of stations where Mr. X can be, each with a line to its sign."""
    numbers = numbers_of(board, pieces, possible, style, room)
    for number, (left, top, right, bottom) in numbers:
        line = ((left + right) // 2, (top + bottom) // 2, *_point(board, style, room, number))
        ImageDraw.Draw(whole).line(line, fill=_colours()["place"], width=1)
    for number, box in numbers:
        whole.paste(_label(str(number)), box[:2])


def _point(board: Board, style: Style, room: int, number: int) -> tuple[int, int]:
    x, y = _layers(board)[style].points[number]
    return x, y + room


def _figure_box(piece: Piece, style: Style, room: int) -> Box:
    wide, high = 30 * style.scale * style.pawn / 2, HEAD * style.scale * style.pawn
    x, y = (piece.x + MARGIN) * style.scale, (piece.y + MARGIN) * style.scale + room
    return round(x - wide), round(y - high), round(x + wide), round(y)


def _places(point: tuple[int, int], side: int, size: tuple[int, int], within: tuple[int, int]) -> Iterator[Box]:
    """Yield where a number of this size can stand around the sign at a point, the nearest first."""
    (x, y), (wide, high) = point, size
    for away in range(side, sum(within), 4):
        across, down = away + wide / 2, away + high / 2
        for dx, dy in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)):
            left, top = round(x + dx * across - wide / 2), round(y + dy * down - high / 2)
            if 0 <= left <= within[0] - wide and 0 <= top <= within[1] - high:
                yield left, top, left + wide, top + high


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@lru_cache(maxsize=256)
def _label(number: str) -> Image.Image:
    """Return the sign with a number, which can be read on a phone."""
    font = ImageFont.truetype(str(templates() / "board" / f"{look.FONT.replace(' ', '')}-Bold.ttf"), DIGITS)
    left, top, right, bottom = font.getbbox(number)
    shades = look.shades()
    sign = Image.new("RGB", (round(right - left) + 4, round(bottom - top) + 4), shades["place"])
    ImageDraw.Draw(sign).text((2 - left, 2 - top), number, font=font, fill=shades["ink"])
    return _with_few_colours(sign)


@cache
def _mask_table(names: frozenset[str]) -> Sequence[int]:
    """Return the table that makes a mask of some colours."""
    return [255 * (number in {_colours()[name] for name in names}) for number in range(256)]


@cache
def _drawings(pawn: str, letter: str) -> Mapping[tuple[Style, str], tuple[Image.Image, Image.Image]]:
    """Return figure and ring of a pawn in few colours, each with the mask of its shape, for each style.

    All are drawn at once, as the layers are read.
    """
    drawn = {kind: look.figure(pawn, letter, kind) for kind in BOXES}
    return {(style, kind): _with_mask(drawn[kind], style, kind) for style in STYLES for kind in BOXES}


def _with_mask(drawn: str, style: Style, kind: str) -> tuple[Image.Image, Image.Image]:
    pawn = _pixels(drawn, round(BOXES[kind][2] * style.scale * style.pawn)).convert("RGBA")
    return _with_few_colours(pawn.convert("RGB")), pawn.getchannel("A").point([255 * (n > 127) for n in range(256)])


def _pixels(drawn: str, width: int) -> Image.Image:
    return Image.open(io.BytesIO(picture.png(drawn, width)))


# Colours -----------------------------------------------------------------------------------------


@cache
def _colours() -> dict[str, int]:
    """Return the number of each colour by its name."""
    return {name: number for number, name in enumerate(look.shades())}


@cache
def _palette(names: frozenset[str] | None = None) -> Image.Image:
    """Return an image that has the colours of all pictures, or those of some names and land for the others."""
    shades = look.shades()
    palette = Image.new("P", (1, 1))
    palette.putpalette(
        bytes(part for name in shades for part in shades[name if names is None or name in names else "land"])
    )
    return palette


@cache
def _plte() -> bytes:
    """Return the colours as a PNG has them."""
    return bytes(part for shade in look.shades().values() for part in shade)


def _with_few_colours(image: Image.Image) -> Image.Image:
    return image.quantize(palette=_palette(), dither=Image.Dither.NONE)


def _png(image: Image.Image, level: int = 8, **named: str) -> bytes:
    """Return a PNG of four bits a pixel, `named` in its text fields; Pillow's own is larger and takes longer."""
    framed = Image.new("P", (image.width + 2, image.height))  # two pixels before a row are its byte for "no filter"
    framed.paste(image, (2, 0))
    rows = framed.tobytes("raw", "P;4")
    header = struct.pack(">IIBBBBB", *image.size, 4, 3, 0, 0, 0)
    parts = [(b"IHDR", header), (b"PLTE", _plte())]
    parts += [(b"tEXt", f"{name}\0{text}".encode("latin-1")) for name, text in named.items()]
    parts += [(b"IDAT", zlib.compress(rows, level)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )
