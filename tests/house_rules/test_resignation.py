"""Players who resign."""

import pytest

from server.house_rules import resignation
from tests.house_rules.situations import begun


@pytest.mark.parametrize(("player", "outcome"), [("Ada", "detectives"), ("Ben", None)])
def test_a_game_ends_with_mr_x_and_goes_on_without_a_detective(player: str, outcome: str | None):
    match = begun()
    match.do(lambda draft: resignation.give_up(draft, player))
    assert match.game.winner == outcome


def test_the_last_person_among_the_detectives_ends_the_game():
    match = begun(players=3, bots=[2])
    match.do(lambda draft: resignation.give_up(draft, "Cleo"))
    assert (match.game.winner, match.game.reason) == ("mr_x", "resigned")
