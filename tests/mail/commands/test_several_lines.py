"""A mail of several lines: all are checked first, moves stand once they are made, and the rest undoes nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select, update

from server.application import deciding
from server.application.errors import Problem
from server.models import Player, session, transaction
from tests.conftest import Playing, Table
from tests.mail.commands.test_dispatch import answer, history
from tests.scenes import chase, pairs


@pytest.fixture
def game(table: Table) -> Playing:
    return pairs(table)


@pytest.fixture
def cornered(table: Table) -> Playing:
    """A game in which Yellow (Eve), whose turn it is, can take Mr. X on 124."""
    game = chase(table)
    moves = ("black 124", "purple taxi 115", "red underground 111", "green taxi 140")
    for person, move in zip(game.people, moves, strict=False):
        assert game.move(person, move).status_code == 201
    table.tick()
    return game


def zone(game: Playing, name: str) -> str:
    with game.table.app.app_context():
        return session.scalars(select(Player.zone).where(Player.name == name)).one()


def test_behind_the_move_that_ends_the_game_the_rest_is_told_and_the_move_stands(cornered: Playing):
    eve = cornered.people[4]
    told = answer(eve, "yellow bus 124\nDRAW\nSET zone Asia/Tokyo")
    assert cornered.view(eve)["outcome"]["reason"] == "captured"
    assert 'Not done: "DRAW". This game is over; there is nothing to agree on.' in told
    assert zone(cornered, "Eve") == "Asia/Tokyo"


def test_a_line_that_nobody_could_do_refuses_the_whole_mail_first(cornered: Playing):
    eve = cornered.people[4]
    told = answer(eve, "yellow bus 124\nSET zone Nowhere")
    assert "Nothing was done." in told
    assert cornered.view(eve)["status"] == "running"
    assert history(cornered)[-1] == "green taxi 140"


def test_a_second_move_is_checked_behind_the_first(game: Playing):
    told = answer(game.people[1], "purple taxi 15\nred taxi 15")
    assert "Nothing was done." in told
    assert history(game) == ["taxi ?"]


def test_two_moves_may_follow_each_other_onto_a_station_that_the_first_leaves(game: Playing):
    answer(game.people[1], "purple taxi 15\nred taxi 16")
    assert history(game)[1:] == ["purple taxi 15", "red taxi 16"]


def test_of_commands_that_change_the_game_what_stands_behind_is_told_apart(game: Playing):
    ben = game.people[1]
    told = answer(ben, "NEW 3\nSTART")
    assert "You have opened a game" in told
    assert 'Not done: "START". The game cannot start' in told


def rehearse(change: Callable[[], object]) -> None:
    with transaction(), deciding.rehearsal():
        change()


def refuse_behind(change: Callable[[], object]) -> None:
    with transaction(), deciding.all_or_nothing():
        change()
        raise Problem("form", "Too late.")


def test_a_use_case_that_writes_before_it_has_decided_cannot_be_rehearsed(game: Playing):
    with game.table.app.app_context(), pytest.raises(RuntimeError, match="before begin_to_write"):
        rehearse(lambda: session.execute(update(Player).values(zone="Asia/Tokyo")))


def test_a_change_that_is_not_yet_written_is_noticed_too(game: Playing):
    with game.table.app.app_context(), pytest.raises(RuntimeError, match="before begin_to_write"):
        rehearse(lambda: setattr(session.get_one(Player, game.people[1].id), "zone", "Asia/Tokyo"))


def test_a_refusal_behind_a_write_undoes_the_whole_transaction(game: Playing):
    with game.table.app.app_context(), pytest.raises(RuntimeError, match="after it had begun to write"):
        refuse_behind(lambda: session.execute(update(Player).values(zone="Asia/Tokyo")))
    assert zone(game, "Ben") == "Europe/London"


def test_there_are_no_savepoints():
    assert [path for path in Path("server").rglob("*.py") if "begin_nested" in path.read_text()] == []


@pytest.mark.parametrize("lines", ["YES\nred taxi 16", "red taxi 16\nYES", "NO\nred taxi 16"])
def test_a_move_beside_the_answer_to_an_open_question_is_not_guessed(game: Playing, lines: str):
    ben = game.people[1]
    answer(ben, "SET ask on")
    assert "shall that be your move?" in answer(ben, "purple taxi 15") or ben.mails
    told = answer(ben, lines)
    assert "Send the answer and the move in two mails. Nothing was done." in told
    answer(ben, "YES")
    assert history(game)[1:] == ["purple taxi 15"]


def test_yes_to_a_vote_confirms_no_move_of_the_same_mail(game: Playing):
    ada, ben, _cleo = game.people
    answer(ben, "SET ask on")
    ada.post(f"{game.path}/votes", {"kind": "extend", "length": "P1D"})
    game.table.tick()
    told = answer(ben, "YES\npurple taxi 15")
    assert "Nothing was done yet, as you want to be asked first" in told
    assert history(game) == ["taxi ?"]
    (vote,) = ada.get(f"{game.path}/votes").json["votes"] or [None]
    assert vote is None or 2 in vote["for"]


def test_a_move_beside_cancel_is_not_guessed(game: Playing):
    told = answer(game.people[1], "CANCEL\npurple taxi 15")
    assert 'I read "purple taxi 15", and above it "CANCEL". Nothing was done yet.' in told
    assert history(game) == ["taxi ?"]
