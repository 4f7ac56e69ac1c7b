"""The drawing itself: any game can be drawn, and no letter of it is lost among the pixels."""

import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import pytest

from server.drawing import look, picture
from server.engine import Edition, Game, deduce
from tests.positions import position

SVG = "{http://www.w3.org/2000/svg}"


def drawn(game: Game, viewer: str = "spectator") -> str:
    return picture.svg(game.view(viewer), deduce(game.view("spectator")))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def placed(edition: str = "ravensburger-2013", log_windows: int = 24, **how: Any) -> Game:
    return Game.at(Edition.named(edition).with_options(log_windows=log_windows, surfacing=[]), position(104, **how))


GAMES = {
    "stranded and unlimited": placed(his={"taxi": None, "bus": None, "underground": None, "black": 14, "double": 2},
                                     purple=(127, {"taxi": 0, "bus": 0, "underground": 0}), red=1),
    "a long log": placed(log_windows=1000, log_used=990, last_seen=(980, 46), red=117),
    "a full row": placed(log_windows=60, log_used=24, red=117),
    "one window": placed(log_windows=1, red=117),
    "the other board": placed("milton-bradley-1985", red=117),
}  # fmt: skip


@pytest.mark.parametrize("title", GAMES)
def test_every_game_can_be_drawn(title: str):
    for viewer in ("mr_x", "red", "spectator"):
        assert texts(drawn(GAMES[title], viewer))


def test_of_a_long_log_the_newest_rows_are_drawn():
    windows = [int(text) for text in texts(drawn(GAMES["a long log"])) if text.isdigit() and int(text) > 200]
    assert windows == list(range(961, 1001))


def test_mr_x_sees_where_he_was_and_others_what_he_paid():
    game = placed(red=117)
    game.play("taxi 86")
    assert "86" in texts(drawn(game, "mr_x"))[-20:] or texts(drawn(game, "mr_x")).count("86") == 2
    assert texts(drawn(game)).count("86") == 1, "the station on the board, and no more"


@cache
def pixels(text: str, weight: str) -> bytes:
    return picture.png(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" font-family="{look.FONT}">'
        f'<text x="4" y="15" font-size="14" font-weight="{weight}">{text}</text></svg>',
        width=40,
    )


def test_no_letter_of_a_picture_is_lost_among_the_pixels():
    """Each letter, drawn alone, leaves a mark of its own: missing glyphs are left out in silence."""
    letters = {letter for game in GAMES.values() for text in texts(drawn(game, "mr_x")) for letter in text} - {" "}
    letters |= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:?!()-+/'")
    unknown = pixels("\ue000", "normal")
    for weight in ("normal", "bold"):
        blank = pixels(" ", weight)
        assert [letter for letter in letters if pixels(letter, weight) in (blank, unknown)] == []
    assert pixels("a", "normal") != pixels("a", "bold")


def test_the_drawing_needs_nothing_from_elsewhere_and_holds_no_program():
    for game in GAMES.values():
        svg = drawn(game)
        assert not re.search(r"<script|<image|<foreignObject|href=|@import|\son\w+=", svg)
        loaded = [re.sub(";.*", "", address) for address in re.findall(r"url\(([^)]*)\)", svg)]
        assert sorted(set(loaded)) == ["#trees", "data:font/woff2"]
        assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
