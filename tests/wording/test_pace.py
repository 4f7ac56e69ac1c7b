"""The length of a round and of a game in words."""

from datetime import timedelta

import pytest

from server.wording.pace import pace_in_words


@pytest.mark.parametrize(
    ("a_round", "the_game", "words"),
    [
        (timedelta(days=4), timedelta(days=88), "a round takes 4 days, and the whole game takes at most 88 days."),
        (timedelta(hours=67, minutes=12), timedelta(days=61, hours=3), "a round takes 2 days and 19 hours, and"),
        (timedelta(minutes=20), timedelta(hours=7, minutes=20), "a round takes 20 minutes, and the whole game takes"),
        (None, timedelta(days=128), "If everybody takes their whole time, the whole game takes at most 128 days."),
        (None, None, "A round takes as long as the players like."),
    ],
)
def test_lengths_are_said_as_people_say_them(a_round: timedelta | None, the_game: timedelta | None, words: str):
    assert words in pace_in_words(a_round, the_game)
