"""The board as a picture, and the places where Mr. X can be: as the public log has it, and each as he may see it."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from server.engine import Board, deduce
from tests.scenes import CHASE
from tests.table import Person, Playing, Table

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def chase(tmp_path_factory: pytest.TempPathFactory) -> Playing:
    """Three people and Gus, who has no seat; Mr. X went from 111, where he was seen, to 100."""
    table = Table(tmp_path_factory.mktemp("chase"), sandbox="1")
    game = table.game(table.people(6), position=CHASE)
    game.move(game.people[0], "black 100")
    game.people.append(table.person("Gus"))
    return game


def picture(game: Playing, who: Person, form: str = "svg") -> bytes:
    answer = who.get(f"{game.path}/board.{form}")
    assert answer.status_code == 200, answer.data
    return answer.data


def test_the_deduction_is_the_engines_and_the_same_for_everybody(chase: Playing):
    answers = {who.get(f"{chase.path}/deduction").data for who in chase.people}
    assert len(answers) == 1, "Mr. X's own station does not go into it either"
    answer = chase.people[0].get(f"{chase.path}/deduction").json
    assert answer["turn"] == 2
    assert answer["stations"] == sorted(deduce(chase.view(chase.people[1])))
    assert len(answer["stations"]) > 3
    assert 100 in answer["stations"]


def test_a_game_may_leave_the_deduction_to_its_players(table: Table):
    ada, ben = table.people(2)
    options = {"deduction": False}
    game = table.game([ada, ben], "condensed", options=options)
    for who in (ada, ben):
        refused = who.get(f"{game.path}/deduction")
        assert (refused.status_code, refused.json["type"]) == (403, "forbidden")
        assert "deduction" in refused.json["detail"]
    assert b"can be" not in picture(game, ben)
    assert b"He is on" not in picture(game, ben)
    game.move(ada)
    table.tick()
    assert "The log allows him" not in ben.mails[-1].get_content()


def test_before_the_start_there_is_an_empty_board_and_nobody_to_look_for(table: Table):
    ada = table.person("Ada")
    game = Playing(table, ada.post("/games", {"edition": "condensed"}).json["id"], [ada])
    assert ada.get(f"{game.path}/deduction").json["type"] == "game-not-running"
    assert b"The game has not begun" in picture(game, ada)
    assert b'stroke-width="3.4"' not in picture(game, ada), "no pawn has a ring"


def test_who_may_not_see_the_game_sees_no_picture_of_it(table: Table):
    ada, gus = table.people(2)
    made = ada.post("/games", {"edition": "condensed", "visibility": "private"}).json["id"]
    for path in ("board.svg", "board.png", "deduction"):
        hidden, missing = gus.get(f"/games/{made}/{path}"), gus.get(f"/games/aaaa/{path}")
        assert hidden.status_code == 404
        assert hidden.data == missing.data


def test_mr_x_sees_himself_and_nobody_else_does(chase: Playing):
    his, *others = (picture(chase, who) for who in chase.people)
    assert b"Mr. X is at 100." in his
    assert len(set(others)) == 1
    assert b"Mr. X is at" not in others[0]
    assert b"Mr. X was seen at 111 on move 8, then took black. He is on 79, 100, 110" in others[0]


def test_a_picture_is_well_formed_and_marks_exactly_the_places_where_mr_x_can_be(chase: Playing):
    root = ET.fromstring(picture(chase, chase.people[1]))
    (places,) = (path.get("d", "") for path in root.iter(f"{SVG}path") if path.get("class") == "place")
    points = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)", places)}
    marked = [station for station, at in Board.named("london").stations.items() if at in points]
    assert len(marked) == len(points)
    assert marked == chase.people[1].get(f"{chase.path}/deduction").json["stations"]


def test_every_pawn_has_its_letter(chase: Playing):
    root = ET.fromstring(picture(chase, chase.people[1]))
    letters = [t.text for t in root.iter(f"{SVG}text") if t.get("font-weight") and (t.text or "").isalpha()]
    assert {"P", "R", "G", "Y", "B", "X"} <= set(letters)


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_that_has_not_changed_is_not_sent_again(chase: Playing, form: str):
    ben = chase.people[1]
    first = ben.get(f"{chase.path}/board.{form}")
    again = ben.get(f"{chase.path}/board.{form}", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Cache-Control"] == "private, no-cache"
    his = chase.people[0].get(f"{chase.path}/board.{form}", headers={"If-None-Match": first.headers["ETag"]})
    assert his.status_code == 200
    assert his.headers["ETag"] != first.headers["ETag"]


def test_pixels_are_a_png_for_a_phone_without_a_word_about_it(chase: Playing):
    ben = chase.people[1]
    answer = ben.get(f"{chase.path}/board.png")
    png = answer.data
    assert answer.mimetype == "image/png"
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20]) == 1080
    assert len(png) < 120_000
    assert not [kind for kind in (b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME") if kind in png]


def test_no_picture_is_ever_on_disk(chase: Playing):
    picture(chase, chase.people[0], "png")
    var: Path = chase.table.app.extensions["blackticket"].settings.var
    assert not [
        path for path in var.rglob("*") if path.is_file() and path.read_bytes().startswith((b"\x89PNG", b"<svg"))
    ]


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_of_another_turn_is_refused_and_not_passed_off_as_the_one_asked_for(chase: Playing, form: str):
    answer = chase.people[0].get(f"{chase.path}/board.{form}?ply=3")
    assert answer.status_code == 422
    assert "ply" in answer.json["detail"]
