"""Games played over the application hold, with all their mails."""

import random

import pytest

from server.application.operator import remedies
from tests import scenes
from tests.kept import again

from .mails import verdict

EDITIONS = [
    ("ravensburger-2000", 3),
    pytest.param("condensed", 2, marks=pytest.mark.campaign),
    pytest.param("milton-bradley-1985", 6, marks=pytest.mark.campaign),
    pytest.param("ravensburger-2013", 5, marks=pytest.mark.campaign),
]


@pytest.mark.parametrize(("edition", "people"), EDITIONS)
def test_a_game_over_the_application_holds_with_its_mails_from_start_to_end(table, edition, people, tmp_path):
    rng = random.Random(edition)
    game = table.game(table.people(people), edition, options={"log_windows": 3, "surfacing": [2]})
    while game.view()["status"] == "running":
        person = game.mover()
        assert game.move(person, rng.choice(game.legal(person))).status_code in (201, 202)
        table.tick()
        if game.view()["turn"] % 10 == 2:
            holds(game, tmp_path)
    facts = holds(game, tmp_path)
    assert facts["opened"]


def test_a_game_that_lateness_ended_holds_and_is_not_open_before_it_is_final(table, tmp_path):
    game = ended_by_lateness(table)
    assert not holds(game, tmp_path)["opened"]


def test_a_game_that_lateness_ended_holds_and_is_open_when_it_is_final(table, tmp_path):
    game = ended_by_lateness(table)
    table.clock.turn(hours=25)
    table.tick()
    assert holds(game, tmp_path)["opened"]


def test_a_game_that_was_taken_up_again_holds(table, tmp_path):
    game = ended_by_lateness(table)
    with table.app.app_context():
        remedies.reinstate(game.id, "The mail of Mr. X had been lost.")
    game.play_round()
    table.tick()
    assert holds(game, tmp_path)["outcome"] is None


def test_a_game_in_which_the_house_moved_holds(table, tmp_path):
    game = table.dealt(6)
    game.move(game.people[0])
    table.clock.turn(hours=49)
    table.tick()
    assert "house" in game.people[0].get(f"{game.path}/transcript").text
    holds(game, tmp_path)


def test_a_game_with_moves_ahead_holds(table, tmp_path):
    game = table.dealt(6)
    game.move(game.people[0])
    for person in reversed(game.people[1:]):
        game.move(person)
    table.tick()
    assert "ahead" in game.people[0].get(f"{game.path}/transcript").text
    holds(game, tmp_path)


def test_a_game_from_a_position_holds(table, tmp_path):
    game = scenes.hunt(table)
    game.play_round()
    table.tick()
    holds(game, tmp_path)


def ended_by_lateness(table):
    """A game in which Mr. X was late twice."""
    return again(table, _ended_by_lateness)


def _ended_by_lateness(table):
    game = table.dealt(6)
    game.play_round()
    for _ in range(2):
        table.clock.turn(hours=49)
        table.tick()
    assert game.view()["status"] == "over"
    return game


def holds(game, folder):
    """The facts of the verifier on a game's transcript and everybody's mails about it, which hold."""
    transcript = game.people[0].get(f"{game.path}/transcript").json
    mails = [mail for person in game.people for mail in person.mails if "Seal, event" in mail.as_string()]
    assert mails
    status, facts, sentences = verdict(folder, transcript, mails)
    assert status == 0, sentences
    return facts


def test_a_game_in_which_the_clock_was_set_back_is_accepted(tmp_path, table):
    game = table.dealt(2, edition="condensed")
    people = game.people
    game.play_round()
    table.clock.turn(hours=-1)
    game.play_round()
    status, _, sentences = verdict(tmp_path, people[1].get(f"{game.path}/transcript").json)
    assert status == 0, sentences
