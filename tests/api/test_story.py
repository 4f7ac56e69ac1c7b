"""Once a result is final, everybody who may see the game reads how the hunt went, and what decided it."""

from typing import Any

import pytest

from server.application.game import hunt
from server.application.lobby import seats
from server.models import Game, Player, session, transaction
from tests.kept import again
from tests.positions import position
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser

MOVES = (
    (0, "taxi 104"),
    (1, "red taxi 85"),
    (0, "taxi 86"),
    (1, "red taxi 103"),
    (0, "black 104"),
    (1, "red taxi 86"),
)


def _hunted(table: Table) -> Playing:
    """A game of three rounds: Mr. X shows himself on 86, and hides on 104 with a black ticket, beside Red on 86."""
    game = table.game(table.people(2), position=position(116, red=103), options={"surfacing": [2]})
    for mover, notation in MOVES:
        assert game.move(game.people[mover], notation).status_code == 201
    return game


def _caught(table: Table) -> Playing:
    game = _hunted(table)
    for mover, notation in ((0, "taxi 116"), (1, "red bus 116")):
        assert game.move(game.people[mover], notation).status_code == 201
    return game


@pytest.fixture
def caught(table: Table) -> Playing:
    return again(table, _caught)


def story(game: Playing, person: Person | None = None, status: int = 200) -> Any:
    path = f"{game.path}/story"
    answer = person.get(path) if person else game.table.client.get(f"/api/v1{path}")
    assert answer.status_code == status, answer.json
    return answer.json


def texts(game: Playing, person: Person | None = None) -> list[str]:
    return [moment["text"] for moment in story(game, person)["moments"]]


def test_it_has_a_point_for_the_start_and_for_each_move(caught: Playing):
    curve = story(caught)["curve"]
    assert [point["ply"] for point in curve] == list(range(9))
    assert [point["pawn"] for point in curve] == [None, *["mr_x", "red"] * 4]
    assert [point["station"] for point in curve] == [116, 104, 104, 86, 86, 104, 104, 116, 116]
    assert [point["shown"] for point in curve] == [None, None, None, 86, None, None, None, None, None]
    assert [point["belief"] == 1 for point in curve] == [False, False, False, True, True, False, False, False, True]
    assert all(0 < point["even"] <= 1 for point in curve)


def test_it_tells_mr_x_as_you_and_everybody_else_as_mr_x(caught: Playing):
    ada, ben = caught.people
    assert texts(caught, ben) == texts(caught)
    assert any("Mr. X" in text for text in texts(caught, ben))
    assert any("You " in text for text in texts(caught, ada))
    assert not any("Mr. X" in text for text in texts(caught, ada))


def test_who_took_the_seat_of_mr_x_later_is_not_told_as_you_of_what_was_before(table: Table):
    game = again(table, _hunted)
    zoe = table.person("Zoe")
    with table.app.app_context(), transaction():
        seats.substitute(game.id, 1, session.get_one(Player, zoe.id), "Ada had to go")
    for person, notation in ((zoe, "taxi 116"), (game.people[1], "red bus 116")):
        assert game.move(person, notation).status_code == 201
    *earlier, last = texts(game, zoe)
    assert earlier == texts(game)[:2]
    assert "ou went to 116 with move 4" in last


def test_before_the_result_is_final_there_is_nothing_for_anybody(table: Table):
    game = again(table, _hunted)
    missing = story(game, game.people[0], status=404)
    for _ in ("running", "provisional"):
        for person in game.people:
            assert story(game, person, status=404) == missing
        game.contest()
        game.people[0].post(f"{game.path}/resign")
    assert game.view()["outcome"]["final"] is False


def test_that_of_a_private_game_is_for_those_who_may_see_it(caught: Playing):
    with caught.table.app.app_context(), transaction():
        session.get_one(Game, caught.id).visibility = "private"
    story(caught, caught.table.person("Zoe"), status=404)
    story(caught, status=401)
    for person in caught.people:
        assert story(caught, person)["moments"]


def test_a_link_that_shows_the_replay_shows_the_story_and_tells_nobody_as_you(caught: Playing):
    table = caught.table
    with table.app.app_context(), transaction():
        session.get_one(Game, caught.id).visibility = "private"
    for person in caught.people:
        person.request("PUT", f"{caught.path}/replay", json={"shows": "pawn"})
    shown = Browser(table).get(f"/games/{caught.id}/replay").text
    assert texts(caught, caught.people[1])[0] in shown


def test_one_without_a_move_has_a_point_and_no_moment(table: Table):
    game = table.game(table.people(3), clock={"kind": "per_phase", "provisional": "PT0S"})
    game.people[0].post(f"{game.path}/resign")
    told = story(game)
    assert (len(told["curve"]), told["moments"]) == (1, [])


def test_one_that_was_cut_short_tells_of_its_end(table: Table):
    game = again(table, _hunted)
    game.people[0].post(f"{game.path}/resign")
    assert any(text.startswith("When the game ended ") for text in texts(game))


def test_it_is_made_once_for_all_readers(caught: Playing, monkeypatch: pytest.MonkeyPatch):
    made = []
    tell = hunt.hunt.story
    monkeypatch.setattr(hunt.hunt, "story", lambda *args: made.append(args) or tell(*args))
    for person in (None, *caught.people):
        story(caught, person)
    Browser(caught.table).get(f"/games/{caught.id}")
    assert len(made) == 1
