"""Seats that are offered and handed on: when, who gets full time, and what of the old player is left."""

import pytest

from server.house_rules import substitution, votes
from tests.house_rules.situations import (
    DAY,
    START,
    begun,
    holder,
    posted,
    published,
)


@pytest.mark.parametrize(("number", "has_moved", "restarts"), [(1, False, True), (2, False, False), (2, True, True)])
def test_the_phase_begins_again_if_a_move_of_the_seat_is_missing(number: int, has_moved: bool, restarts: bool):
    match = begun()
    if has_moved:
        match.move_any()
    match.later(hours=5)
    match.do(lambda draft: substitution.hand_on(draft, number, holder("Gwen"), "illness"))
    assert match.game.due_at == (match.now if restarts else START) + 2 * DAY


def test_nothing_of_the_old_player_counts_for_the_new_one():
    match = begun(clock={"open_after": 1})
    match.move_any()
    match.fire("timeout")
    match.move_any()
    match.move("Cleo", str(match.state.moves_ahead("red")[0]))
    decision = match.do(lambda draft: substitution.hand_on(draft, 3, holder("Gwen")))
    seat = match.game.seat_of_number(3)
    assert (seat.misses, seat.is_offered, seat.late_since, seat.bank, seat.cover) == (0, False, None, None, None)
    assert (match.game.queue, seat.nonce == decision.before.seats[2].nonce) == ([], False)
    assert posted(decision)["cleared"] == ["Cleo"]


def test_the_vote_of_a_player_who_has_left_counts_no_more():
    match = begun()
    opened = match.do(lambda draft: votes.put_to_vote(draft, "Ben", "pause"))
    match.do(lambda draft: substitution.hand_on(draft, 2, holder("Gwen"), "illness"))
    assert [motion.ballots for motion in match.game.motions] == [{}]
    match.do(lambda draft: votes.cast_vote(draft, "Gwen", opened.answer.id, is_for=False))
    assert [motion.ballots for motion in match.game.motions] == [{2: False}]


def test_a_new_mr_x_gets_his_one_more_turn_too():
    match = begun()
    match.fire("timeout")
    match.do(lambda draft: substitution.hand_on(draft, 1, holder("Gwen"), "illness"))
    assert published(match.fire("timeout")) == ["granted"]


def test_a_move_in_time_ends_the_row_and_the_offer():
    match = begun(players=3, clock={"open_after": 1})
    match.play_phase()
    match.fire("timeout")
    assert [seat.is_offered for seat in match.game.seats] == [False, True, True]
    match.play_phase()
    match.move_any()
    assert [(seat.is_offered, seat.misses) for seat in match.game.seats] == [(False, 0), (False, 0), (True, 1)]


def test_a_seat_is_offered_once():
    match = begun(players=3, clock={"open_after": 1})
    offered = []
    for _ in range(2):
        match.play_phase()
        offered += [event for event in match.fire("timeout").events if event.kind == "offered"]
    assert [event.data["seat"] for event in offered] == [2, 3]
