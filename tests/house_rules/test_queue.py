"""A queued move is played when its turn comes, or the first of those in its place that is legal then."""

from functools import partial

import pytest

from server.house_rules.submission import RequestedMove, check_in_order, place
from server.vocabulary.errors import Problem
from tests.house_rules.situations import Match, begun
from tests.positions import position

TAXIS = {"taxi": 9, "bus": 0, "underground": 0}


@pytest.fixture
def match() -> Match:
    """Purple on 1 can go to 8 and 9 before Red, who stands on 19 and can go to 8, 9 and 32."""
    match = begun(players=4, position=position(180, purple=(1, TAXIS), red=(19, TAXIS), green=(100, TAXIS)))
    match.move_any()
    return match


def order(match: Match, *notations: str) -> RequestedMove:
    requested = RequestedMove(notations[0], otherwise=notations[1:])
    match.do(lambda draft: check_in_order(draft, "Cleo", [requested]))
    match.do(partial(_place, requested))
    return requested


def _place(requested, draft):
    return place(draft, "Cleo", requested)


@pytest.mark.parametrize(("purple", "played"), [("taxi 9", "red taxi 8"), ("taxi 8", "red taxi 9")])
def test_of_an_order_the_first_move_that_is_legal_then_is_played(match: Match, purple: str, played: str):
    order(match, "red taxi 8", "red taxi 9")
    decision = match.move("Ben", f"purple {purple}")
    assert [move.notation for move in decision.moves] == [f"purple {purple}", played]


def test_a_move_that_nobody_could_make_is_left_out_of_an_order(match: Match):
    order(match, "red taxi 100", "red taxi 32")
    assert match.game.queue[0].notations == ["red taxi 32"]


def test_an_order_of_which_no_move_can_be_made_is_refused_for_the_first(match: Match):
    with pytest.raises(Problem, match="100"):
        order(match, "red taxi 100", "red taxi 101")
