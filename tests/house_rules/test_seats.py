"""Seats that their players leave."""

from server.house_rules import substitution
from tests.house_rules.situations import begun, holder


def test_the_host_s_duties_pass_to_the_next_player():
    match = begun()
    match.do(lambda draft: substitution.hand_on(draft, 1, holder("Gwen"), "illness"))
    assert match.game.host_id == "Ben"
