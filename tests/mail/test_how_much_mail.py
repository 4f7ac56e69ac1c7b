"""Mr. X's move brings each detective one mail, and Mr. X gets one a round."""

from collections import Counter
from typing import Any

import pytest

from tests.scenes import CHASE, second_round, text_of
from tests.table import Person, Playing, Table

EDITIONS = [
    ("milton-bradley-1985", 3),
    ("milton-bradley-1985", 4),
    ("ravensburger-2000", 3),
    ("ravensburger-2000", 6),
    ("ravensburger-2013", 5),
]
# Turns are awaited alike in the others.
SOME_EDITIONS = [
    pytest.param(*each, marks=[pytest.mark.campaign] * (each[0] == "milton-bradley-1985")) for each in EDITIONS
]


class Count:
    """Counts the mails each person got since it was made."""

    def __init__(self, game: Playing) -> None:
        self.game = game
        game.table.tick()
        self.before = {person.name: len(person.mails) for person in game.people}

    def new(self) -> list[int]:
        """By seat, Mr. X first."""
        self.game.table.tick()
        return [len(person.mails) - self.before[person.name] for person in self.game.people]


def moves_of(game: Playing, person: Person) -> list[str]:
    """A legal move for each of this person's pawns that may be sent now."""
    moves = {move.split()[0]: move for move in reversed(game.legal(person))}
    return [moves[pawn] for pawn in game.view(person)["you"]["pawns"] if pawn in moves]


@pytest.mark.parametrize(("edition", "players"), SOME_EDITIONS)
def test_a_move_of_mr_x_brings_each_detective_exactly_one_mail(table: Table, edition: str, players: int):
    game = second_round(table, edition, players)
    count = Count(game)
    game.move(game.people[0])
    assert count.new() == [0, *[1] * (players - 1)]


@pytest.mark.parametrize(("edition", "players"), SOME_EDITIONS)
def test_a_round_in_which_all_wait_for_their_turn_brings_no_mail_more(table: Table, edition: str, players: int):
    game = second_round(table, edition, players)
    count = Count(game)
    while game.view()["round"] == 2:
        game.move(game.mover())
        table.tick()  # a turn mail is dropped when it is stale before it is sent
    assert count.new() == [1] * players


def test_where_each_has_a_time_of_his_own_its_beginning_brings_another_mail(table: Table):
    game = table.game(table.people(6), position=CHASE, clock={"kind": "per_move", "detectives": "P1D"})
    count = Count(game)
    game.move(game.people[0])
    for person in game.people[1:3]:
        table.tick()
        game.move(person)
    assert count.new() == [0, 1, 2, 2, 1, 1]


@pytest.mark.parametrize(("edition", "players"), SOME_EDITIONS)
def test_who_has_sent_moves_ahead_gets_no_mail_when_the_turn_comes(table: Table, edition: str, players: int):
    game = second_round(table, edition, players)
    count = Count(game)
    game.move(game.people[0])
    for person in reversed(game.people[1:]):
        for move in moves_of(game, person):
            assert game.move(person, move).status_code in (201, 202), move
    assert (game.view()["round"], game.view()["to_move"]) == (3, ["mr_x"])
    assert count.new() == [1, *[1] * (players - 1)]


def test_mr_x_gets_one_mail_a_round_whatever_the_detectives_do(table: Table):
    game = second_round(table, "ravensburger-2000", 3)
    count = Count(game)
    for _ in range(3):
        game.play_round()
        game.table.tick()
    assert count.new()[0] == 3


def test_the_end_brings_everybody_one_mail(table: Table):
    game = second_round(table, "ravensburger-2000", 6)
    table.clock.turn(hours=48)
    table.tick()
    count = Count(game)
    table.clock.turn(hours=48)
    assert count.new() == [1] * 6
    assert {mail["Subject"].split("] ")[1] for _, mail in table.post.sent[-6:]} == {
        "The game is over: the detectives have won"
    }


def test_the_start_brings_each_detective_a_mail_and_mr_x_his_turn(game: Playing):
    game.table.tick()
    assert [len(person.mails) for person in game.people] == [1] * 6
    assert "Round 1: Mr. X, your move by" in game.people[0].mails[0]["Subject"]
    assert "The hunt begins" in game.people[1].mails[0]["Subject"]


def kinds(mails: list[Any]) -> Counter[str]:
    return Counter(mail["Auto-Submitted"] for mail in mails)


def test_a_move_by_mail_brings_one_answer_besides(game: Playing):
    game.table.tick()
    mr_x = game.people[0]
    mr_x.reply(game.legal(mr_x)[0], to=mr_x.mails[-1])
    count = Count(game)
    assert count.before[mr_x.name] == 2
    assert kinds(mr_x.mails)["auto-replied"] == 1
    assert count.new() == [0] * 6


def test_the_start_before_the_detectives_brings_them_their_turn_and_tells_mr_x_whose_turn_it_is(table: Table):
    game = table.game(table.people(6), position=CHASE | {"to_move": "red"})
    table.tick()
    assert [len(person.mails) for person in game.people] == [1] * 6
    told = game.people[0].mails[0]
    assert "The hunt begins: you are Mr. X" in told["Subject"]
    text = " ".join(text_of(told).split())
    assert "the detectives begin. It is the turn of Red until " in text
    assert "his turn" not in text
    assert all("The hunt begins" not in person.mails[0]["Subject"] for person in game.people[1:])


def test_who_is_stranded_hears_that_once_and_then_only_of_sightings_and_the_end(table: Table):
    late = {**CHASE, "log_used": 10, "detectives": [dict(each) for each in CHASE["detectives"]]}
    late["detectives"][0]["tickets"] = {"taxi": 1, "bus": 0, "underground": 0}
    game = table.game(table.people(6), position=late)
    ben = game.people[1]
    new = []
    for _ in range(5):  # he is seen on move 13, in the third of these rounds
        table.tick()
        before = len(ben.mails)
        game.play_round()
        table.tick()
        new.append([mail["Subject"].split(", ")[-1].split(" by")[0] for mail in ben.mails[before:]])
    assert new == [["your move"], ["what Mr. X did"], ["what Mr. X did"], [], []]
    second = " ".join(text_of(ben.mails[-2]).split())
    assert "You cannot move any more, and still win with your team. A mail comes when Mr. X is seen," in second
    game.people[0].post(f"{game.path}/resign")
    table.tick()
    assert "The game is over" in ben.mails[-1]["Subject"]
