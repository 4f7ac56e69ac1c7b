"""Teammates who may move for others."""

from server.house_rules import submission, substitution
from tests.house_rules.situations import begun, holder


def test_nobody_covers_by_the_word_given_to_a_player_who_has_left():
    match = begun()
    match.do(lambda draft: submission.name_cover(draft, "Ben", 3))
    match.do(lambda draft: substitution.hand_on(draft, 3, holder("Gwen"), "illness"))
    assert match.game.seat_of_number(2).cover is None
