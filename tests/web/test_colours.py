"""The colours of pages as people see them who lack one kind of cone, in light and in dark.

Colours that mean different things look different enough, or a second sign tells them apart: a letter, a shape, a dash,
a word. Each pair that needs the second sign is listed with it.

The simulation is that of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency" (IEEE TVCG 15(6), 2009), for severity 1.0, on linear RGB. The distance is that in Björn Ottosson's OKLab
(2020), the contrast that of WCAG 2.2.
"""

import itertools
import re
from functools import cache
from typing import Any, NamedTuple

import pytest

from server.vocabulary.resources import templates

Rgb = tuple[float, ...]
SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
BLINDNESSES = [name for name in SIGHTS if name != "normal"]
FAR_ENOUGH = 0.1  # in OKLab, where black and white are 1 apart, and 0.02 is seen where colours touch
TEXT, SIGN = 4.5, 3.0  # contrast, WCAG AA
TO_CONES = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005))  # fmt: skip
TO_LAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
          (0.0259040371, 0.7827717662, -0.8086757660))  # fmt: skip

# From linear RGB to X, Y and Z, as parts of those of white.
TO_XYZ = ((0.433953, 0.376219, 0.189828), (0.212673, 0.715152, 0.072175), (0.017756, 0.109469, 0.872774))


# Colours, and how they are seen ------------------------------------------------------------------


@cache
def colours() -> dict[str, dict[str, str]]:
    """Return the colours of pages, in light and in dark."""
    light, dark = re.findall(r":root \{([^}]*)\}", (templates() / "web" / "style.css").read_text())
    tokens = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})\b;", light))
    return {"light": tokens, "dark": tokens | dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})\b;", dark))}


def linear(colour: str) -> Rgb:
    """Return linear red, green and blue from 0 to 1."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:4])
    parts = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def times(matrix: Any, vector: Rgb) -> Rgb:
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def seen(colour: str, sight: str) -> Rgb:
    """Return how a colour is seen, as linear red, green and blue."""
    return tuple(min(1.0, max(0.0, part)) for part in times(SIGHTS[sight], linear(colour)))


def distance(one: str, other: str, sight: str) -> float:
    """Return how different two colours look, in OKLab."""
    labs = [times(TO_LAB, tuple(cone ** (1 / 3) for cone in times(TO_CONES, seen(c, sight)))) for c in (one, other)]
    return float(sum((a - b) ** 2 for a, b in zip(*labs, strict=True)) ** 0.5)


def lab(colour: str, sight: str) -> Rgb:
    """Return how a colour is seen, in CIELAB for the white of D65."""
    x, y, z = (
        part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116
        for part in times(TO_XYZ, seen(colour, sight))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(one: str, other: str, sight: str) -> float:
    """Return the contrast of two colours by WCAG, 1 to 21."""
    dark, light = sorted(times(((0.2126, 0.7152, 0.0722),), seen(c, sight))[0] for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


# Colours that mean different things --------------------------------------------------------------


class Sign(NamedTuple):
    """A second sign beside a colour: where a template or the stylesheet makes it."""

    template: str
    pattern: str


class Group(NamedTuple):
    """Colours that mean different things, the places they are in, and the pairs that look alike to somebody."""

    names: tuple[str, ...]
    places: tuple[str, ...]
    signs: tuple[Sign, ...]
    alike: frozenset[frozenset[str]] = frozenset()


def pairs(said: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split("/")) for pair in said.split())


LINES_OF_LEGEND = ("taxi-line", "bus-line", "underground-line", "ferry-line")
TICKETS = ("taxi", "bus", "underground", "black")
PAGES = ("light", "dark")
GROUPS = {
    "lines of the legend": Group(
        LINES_OF_LEGEND, PAGES,
        (Sign("web/style.css", r"\.ferry::before \{ border-top: var\(--strong\) dotted"),
         Sign("web/game/around_board.html", r'class="bus">\{\{ line_name')),
        pairs("taxi-line/underground-line bus-line/underground-line bus-line/ferry-line"),
    ),
    # The letter of the ticket.
    "tickets of pages": Group(
        TICKETS, PAGES, (Sign("web/art.svg", r'href="#i-\{\{ name \}\}"'),)
    ),
    # A sentence.
    "notices": Group(
        ("wrong", "done", "amber"), PAGES, (Sign("web/game/page.html", r'role="alert">\{\{ problem\.sentence'),),
        pairs("wrong/done wrong/amber"),
    ),
}  # fmt: skip
SIGNS_BESIDE = [sign for group in GROUPS.values() for sign in group.signs]


@pytest.mark.parametrize("name", GROUPS)
def test_colours_that_look_alike_to_somebody_are_those_that_are_listed(name: str):
    group = GROUPS[name]
    alike = {
        frozenset((one, other))
        for place in group.places
        for one, other in itertools.combinations(group.names, 2)
        for sight in SIGHTS
        if distance(colours()[place][one], colours()[place][other], sight) < FAR_ENOUGH
    }
    assert alike == group.alike


@pytest.mark.parametrize("sight", SIGHTS)
def test_no_two_colours_of_a_group_look_the_same(sight: str):
    for group in GROUPS.values():
        for place, (one, other) in itertools.product(group.places, itertools.combinations(group.names, 2)):
            assert distance(colours()[place][one], colours()[place][other], sight) > 0.02, (place, one, other)


@pytest.mark.parametrize("sign", SIGNS_BESIDE, ids=lambda sign: sign.pattern)
def test_a_second_sign_is_where_colours_tell_something(sign: Sign):
    assert re.search(sign.pattern, (templates() / sign.template).read_text())


# Contrast ----------------------------------------------------------------------------------------

# What is read or seen, on what: text needs more contrast than signs do.
TEXTS = (
    "ink/paper faint/paper link/paper amber/paper wrong/paper ink/card faint/card link/card amber/card wrong/card "
    "ink/wash faint/wash link/wash paper/ink on-accent/accent on-ticket/taxi on-ticket/bus on-dark-ticket/underground "
    "on-dark-ticket/black"
)
SIGNS = "edge/paper amber/paper wrong/paper done/card"


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("place", PAGES)
def test_everything_stands_out_from_what_is_behind_it(place: str, sight: str):
    low = [
        f"{pair}: {found:.2f}"
        for said, least in ((TEXTS, TEXT), (SIGNS, SIGN))
        for pair in said.split()
        if (found := contrast(*(colours()[place][name] for name in pair.split("/")), sight)) < least  # type: ignore[misc]
    ]
    assert low == []


@pytest.mark.parametrize("sight", BLINDNESSES)
def test_grey_is_seen_as_grey(sight: str):
    assert distance("#808080", "#808080", "normal") == 0
    assert max(abs(a - b) for a, b in zip(seen("#808080", sight), linear("#808080"), strict=True)) < 0.001


def test_red_and_green_of_the_same_lightness_are_alike_to_those_who_lack_a_cone_for_them():
    red, green = "#c05050", "#708020"
    assert distance(red, green, "normal") > FAR_ENOUGH > distance(red, green, "deuteranopia")
