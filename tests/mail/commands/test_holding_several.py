"""Moves of several pawns that wait together: the order in which a mail lists them changes nothing."""

import re
from collections.abc import Sequence
from itertools import permutations

import pytest

from tests.mail.commands.test_holding import ahead, answer, history, wait
from tests.scenes import dealing, pairs
from tests.table import Person, Playing, Table, again
from tests.web.game.test_page import Browser

UNKNOWN = "Candles whisper to turnips."
THEIR_TURN, AHEAD, ALONE = ("purple", "red"), ("green", "yellow"), ("purple", "red", "green")
ORDERS = [order for pawns in (THEIR_TURN, AHEAD, ALONE) for order in permutations(pawns)]
EACH_ORDER = pytest.mark.parametrize("order", ORDERS, ids=" ".join)


def of_two(table: Table) -> Playing:
    """A game in which Ben moves all detectives, and Mr. X has moved."""
    return again(table, _of_two)


def _of_two(table: Table) -> Playing:
    game = table.game(table.people(2), "condensed")
    game.move(game.people[0])
    table.tick()
    return game


def mailed(table: Table, order: Sequence[str]) -> tuple[Playing, Person, list[str], str]:
    """Mail a move for each pawn in this order, and unknown words; return the game, the player, moves and answer."""
    game = of_two(table) if len(order) > 2 else pairs(table)
    person = game.people[2 if set(order) == set(AHEAD) else 1]
    moves = [next(move for move in game.legal(person) if move.startswith(pawn)) for pawn in order]
    return game, person, moves, answer(person, "\n".join([*moves, UNKNOWN]))


def is_set(game: Playing, person: Person, moves: Sequence[str]) -> bool:
    """Return True if each move is played, or sent ahead, and none waits to be stopped."""
    waits = ahead(person, game)
    done = [*history(game)[1:], *(each["notation"] for each in waits)]
    return sorted(done) == sorted(moves) and not any("plays_at" in each for each in waits)


@EACH_ORDER
def test_they_wait_as_the_answer_says_and_are_set_at_their_time(table: Table, order: Sequence[str]):
    game, person, moves, said = mailed(table, order)
    assert "I play them at" in said
    assert "Not set" not in said
    assert {each["notation"] for each in ahead(person, game) if "plays_at" in each} == set(moves)
    wait(game, minutes=15)
    assert is_set(game, person, moves)


@EACH_ORDER
def test_yes_sets_all_of_them_and_no_stops_all_of_them(table: Table, order: Sequence[str]):
    game, person, moves, _ = mailed(table, order)
    said = answer(person, "NO")
    assert "Not set" in said
    assert all(move in said for move in moves)
    assert ahead(person, game) == []
    answer(person, "YES")
    assert is_set(game, person, moves)


@EACH_ORDER
def test_yes_in_answer_sets_them_before_their_time(table: Table, order: Sequence[str]):
    game, person, moves, _ = mailed(table, order)
    assert "has been played, or taken back" not in answer(person, "YES")
    assert is_set(game, person, moves)


@EACH_ORDER
def test_the_button_of_the_page_sets_them_before_their_time(table: Table, order: Sequence[str]):
    game, person, moves, _ = mailed(table, order)
    browser = Browser(table, person)
    (name,) = set(re.findall(r'name="hold" value="(\w+)"', browser.get(f"/games/{game.id}").text))
    assert browser.post(f"/games/{game.id}/held", {"hold": name, "do": "play"}).status_code == 303
    assert is_set(game, person, moves)


def test_a_hold_of_an_earlier_mail_is_still_stopped_by_unknown_words_beside_others(table: Table):
    game = pairs(table)
    ben = game.people[1]
    answer(ben, "SET hold always")
    turn = ben.mails[-1]
    purple, red = (next(m for m in game.legal(ben) if m.startswith(pawn)) for pawn in THEIR_TURN)
    answer(ben, purple, to=turn)
    assert f'Not set: "{purple}".' in answer(ben, f"{red}\n{UNKNOWN}", to=turn)
    assert [each["notation"] for each in ahead(ben, game)] == [red]


def test_a_detective_alone_who_writes_unknown_words_below_a_move_is_answered(table: Table):
    game = of_two(table)
    ben = game.people[1]
    move = game.legal(ben)[0]
    assert f'Understood: "{move}". I play it at' in answer(ben, f"{move}\n{UNKNOWN}")


@pytest.mark.parametrize("is_yes", [True, False])
def test_a_move_to_a_station_that_another_of_them_leaves_is_played(table: Table, is_yes: bool):
    with dealing(table, 159, 26, 27, 132, 94):
        game = table.game(
            table.people(2), "condensed", options={"start_cards": [159, 26, 27, 132, 94, 13], "turn_order": "any"}
        )
    game.move(game.people[0])
    table.tick()
    ben, moves = game.people[1], ["red taxi 28", "purple taxi 27"]
    assert "I play them at" in answer(ben, "\n".join([*moves, UNKNOWN]))
    if is_yes:
        assert "Not done" not in answer(ben, "YES")
    wait(game, minutes=15)
    assert history(game)[1:] == moves
