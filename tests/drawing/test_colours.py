"""The colours of boards as people see them who lack one kind of cone, by day, by night and on paper; and shapes alone.

The simulation of sight is that of `tests.web.test_colours`. The distance is CIEDE2000: Sharma, Wu and Dalal, "The
CIEDE2000 Color-Difference Formula" (Color Research and Application 30(1), 2005).
"""

import io
import itertools
import math
import re
from typing import Any

import pytest
from PIL import Image

from server.drawing import look, picture
from server.engine import Board
from tests.web.test_colours import BLINDNESSES, SIGHTS, contrast, lab

TABLE: Any = look.table()
PALETTES = {"day": TABLE.day, "night": TABLE.night, "paper": TABLE.paper}
LINES = ("taxi", "bus", "underground", "ferry")
CITY = ("river", "park")
SCREEN = ("day", "night")


def apart(one: str, other: str, sight: str) -> float:
    """Return how different two colours look, as CIEDE2000 has it: 1 can just be seen."""
    (l1, a1, b1), (l2, a2, b2) = lab(one, sight), lab(other, sight)
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    grey = 1.5 - math.sqrt(mean**7 / (mean**7 + 25**7)) / 2
    c1, c2 = math.hypot(a1 * grey, b1), math.hypot(a2 * grey, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * grey)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    c, light = (c1 + c2) / 2, (l1 + l2) / 2
    h = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    waves = ((0.17, 1, -30), (-0.24, 2, 0), (-0.32, 3, 6), (0.2, 4, -63))
    t = 1 - sum(by * math.cos(math.radians(times * h + shift)) for by, times, shift in waves)
    s_l = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c, 1 + 0.015 * c * t
    twist = -2 * math.sqrt(c**7 / (c**7 + 25**7)) * math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    d_c, d_h = (c2 - c1) / s_c, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / s_h
    return math.sqrt(((l2 - l1) / s_l) ** 2 + d_c**2 + d_h**2 + twist * d_c * d_h)


def test_the_distance_is_that_of_the_paper_that_defines_it():
    assert apart("#ffffff", "#000000", "normal") == pytest.approx(100, abs=0.1)
    assert apart("#ff0000", "#00ff00", "normal") == pytest.approx(86.6, abs=0.1)


def nearest(colours: dict[str, str], sight: str) -> tuple[float, str, str]:
    """Return the two colours that look most alike."""
    return min((apart(colours[a], colours[b], sight), a, b) for a, b in itertools.combinations(colours, 2))


@pytest.mark.parametrize("sight", BLINDNESSES)
def test_lines_pawns_and_tickets_differ_to_everybody(sight: str):
    for palette in PALETTES.values():
        assert nearest({name: palette[name] for name in LINES}, sight)[0] >= 9
    assert nearest(TABLE.pawns, sight)[0] >= 12
    assert nearest({name: colour for name, colour in TABLE.tickets.items() if name != "double"}, sight)[0] >= 20


@pytest.mark.parametrize("name", PALETTES)
def test_river_and_parks_are_seen_on_the_ground(name: str):
    palette = PALETTES[name]
    assert [contrast(palette[place], palette["land"], "normal") >= 1.3 for place in CITY] == [True, True]
    for sight in SIGHTS:
        assert nearest({place: palette[place] for place in ("land", *CITY)}, sight)[0] > 3


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("name", PALETTES)
def test_lines_stand_out_from_ground_river_and_parks(name: str, sight: str):
    palette = PALETTES[name]
    found = {(line, on): contrast(palette[line], palette[on], sight) for line in LINES for on in ("land", *CITY)}
    assert {pair: ratio for pair, ratio in found.items() if ratio < 3} == {}


@pytest.mark.parametrize("name", PALETTES)
def test_what_is_written_can_be_read(name: str):
    palette, ink = PALETTES[name], TABLE.ink
    pairs = [(ink, palette["disc"]), (palette["name"], palette["land"])]
    pairs += [(TABLE.on_ticket[kind], colour) for kind, colour in TABLE.tickets.items()]
    pairs += [(ink if pawn != "mr_x" else "#ffffff", colour) for pawn, colour in TABLE.pawns.items()]
    assert [pair for pair in pairs if contrast(*pair, "normal") < 4.5] == []


@pytest.mark.parametrize("name", SCREEN)
def test_rings_stand_out_from_the_disc_that_they_are_around(name: str):
    palette = PALETTES[name]
    assert contrast(palette["reach"], palette["reach-gap"], "normal") > 10
    assert contrast(palette["place-edge"], palette["place"], "normal") > 4
    assert contrast(palette["place"], palette["disc"], "normal") > 1.5


def alike(one: str, other: str) -> float:
    """Return how much of the outlines of two drawings is the same, of what either has, without letters."""
    images = [shape(picture.png(re.sub("<text.*?</text>", "", drawn), 200)) for drawn in (one, other)]
    both = sum(a and b for a, b in zip(*images, strict=True))
    return both / sum(a or b for a, b in zip(*images, strict=True))


def shape(png: bytes) -> list[bool]:
    """Return which pixels are drawn."""
    alpha = Image.open(io.BytesIO(png)).convert("RGBA").getchannel("A")
    return [each > 127 for each in alpha.get_flattened_data()]


def test_pawns_and_tickets_are_told_by_their_shapes_alone():
    pawns = {pawn: look.figure(pawn, " ", "figure") for pawn in TABLE.pawns}
    frame = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 16"><g fill-rule="evenodd">{}</g></svg>'
    tickets = {kind: frame.format(drawn) for kind, drawn in look.symbols().items() if kind in TABLE.tickets}
    assert len(tickets) == 5
    for group in (pawns, tickets):
        for one, other in itertools.combinations(group, 2):
            assert alike(group[one], group[other]) < 0.97, (one, other)


def test_lines_are_told_by_breadth_and_pattern_alone():
    drawn = look.layer("ground", Board.named("london"))
    looks = {}
    for line in LINES:
        wide, dashes, core = re.search(
            rf'<g class="{line}" stroke="#\w+" stroke-width="([\d.]+)"( stroke-dasharray="[^"]+")?>'
            r'<path [^>]*/></g>(?:<g class="(dash|gap)")?',
            drawn,
        ).groups()  # type: ignore[union-attr]
        looks[line] = wide, bool(dashes), core
    assert looks == {
        "underground": ("7", False, "dash"), "bus": ("5", False, "gap"), "taxi": ("2", False, None),
        "ferry": ("3.6", True, None),
    }  # fmt: skip
