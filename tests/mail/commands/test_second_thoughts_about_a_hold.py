"""A mail that takes back the move that waits and names another: that one waits, or is asked about, never the first."""

import pytest

from tests.mail.commands.test_dispatch import answer, history
from tests.mail.commands.test_holding import hunted, wait
from tests.table import Playing

__all__ = ["hunted"]  # a fixture


@pytest.mark.parametrize(
    "text",
    [
        "no wait, taxi 126 instead", "no wait taxi 126", "Wait, taxi 126 instead of taxi 115", "Not 115, taxi 126!",
        "nein halt, lieber Taxi 126", "non, attendez, plutôt taxi 126",
    ],
)  # fmt: skip
def test_the_one_move_that_is_named_instead_takes_its_place_and_waits(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    said = answer(ben, text)
    assert 'Understood: "purple taxi 126". I play it at' in said
    assert f'"{text.rstrip(".!")}' in said
    wait(hunted, minutes=14)
    assert len(history(hunted)) == 1
    wait(hunted, minutes=1)
    assert history(hunted)[1:] == ["purple taxi 126"]


@pytest.mark.parametrize(
    "text",
    [
        "Wrong station, I meant 126",
        "Sorry, wrong one! I meant the taxi to 126.",
        "no wait, maybe taxi 126",
        "Greg says taxi 126",
        "wait, taxi 126?",
    ],
)
def test_a_move_that_is_not_named_clearly_is_asked_about_and_yes_plays_that_one(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    said = answer(ben, text)
    assert f'I read "{text}"' in said
    assert 'did you mean "purple taxi 126"?' in said
    assert 'Not set: "purple taxi 115".' in said
    assert "YES sets" not in said
    wait(hunted, minutes=20)
    assert len(history(hunted)) == 1
    answer(ben, "YES")
    assert history(hunted)[1:] == ["purple taxi 126"]


def test_a_station_with_two_tickets_is_asked_about_with_both(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    assert 'You name "purple taxi 116" and "purple bus 116": which one?' in answer(ben, "Wrong station, I meant 116")
    answer(ben, "YES")
    wait(hunted, minutes=20)
    assert len(history(hunted)) == 1


@pytest.mark.parametrize(
    "text", ["no, not taxi 126", "no taxi 126", "never taxi 126", "115 was wrong", "wait 126 or 116"]
)
def test_what_is_only_taken_back_is_neither_held_nor_asked_about(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    said = answer(ben, text)
    assert "I play it" not in said
    assert "did you mean" not in said
    wait(hunted, minutes=20)
    assert len(history(hunted)) == 1
