"""Players who resign."""

import pytest

from server.house_rules import resignation, substitution
from server.house_rules.substitution import Newcomer
from server.vocabulary.errors import Problem
from tests.house_rules.situations import begun, holder, published


@pytest.mark.parametrize(("player", "outcome"), [("Ada", "detectives"), ("Ben", None)])
def test_a_game_ends_with_mr_x_and_goes_on_without_a_detective(player: str, outcome: str | None):
    match = begun()
    match.do(lambda draft: resignation.give_up(draft, player))
    assert match.game.winner == outcome


def test_the_last_person_among_the_detectives_ends_the_game():
    match = begun(players=3, bots=[2])
    match.do(lambda draft: resignation.give_up(draft, "Cleo"))
    assert (match.game.winner, match.game.reason) == ("mr_x", "resigned")


@pytest.mark.parametrize(("player", "number", "is_offered"), [("Ada", 1, False), ("Cleo", 3, True)])
def test_a_bot_has_the_seat_of_a_player_who_has_to_go_and_a_detective_s_can_be_taken_over(
    player: str, number: int, is_offered: bool
):
    match = begun()
    decision = match.do(lambda draft: resignation.step_out(draft, player))
    seat = match.game.seat_of_number(number)
    assert (match.game.status, seat.player_id, seat.bot is None, seat.is_offered) == (
        "running", None, False, is_offered,
    )  # fmt: skip
    assert published(decision) == ["resigned", *["host"] * (player == "Ada")]
    assert decision.former == [(player, seat.role, 0)]


def test_a_seat_stays_free_to_take_while_its_bot_plays():
    match = begun()
    match.do(lambda draft: resignation.step_out(draft, "Ben"))
    match.play_phase()
    match.fire("move")
    assert match.game.seat_of_number(2).is_offered
    decision = match.do(lambda draft: substitution.take_offered_seat(draft, Newcomer(holder("Gwen"), "Gwen")))
    assert (match.game.seat_of_number(2).player_id, match.game.seat_of_number(2).bot) == ("Gwen", None)
    (event,) = [each for each in decision.events if each.kind == "substituted"]
    assert event.data["reason"] == "its player had to go"


def test_a_guest_takes_over_a_seat_only_where_guests_may_sit():
    match = begun()
    gwen = Newcomer(holder("Gwen", is_guest=True), "Gwen")
    match.do(lambda draft: resignation.step_out(draft, "Ben"))
    with pytest.raises(Problem) as refused:
        match.do(lambda draft: substitution.take_offered_seat(draft, gwen))
    assert refused.value.code == "forbidden"
    match.game.visibility = "private"
    match.do(lambda draft: substitution.take_offered_seat(draft, gwen))
    assert match.game.seat_of_number(2).player_id == "Gwen"


def test_who_plays_with_bots_alone_does_not_step_out():
    match = begun(players=3, bots=[1, 2])
    with pytest.raises(Problem) as refused:
        match.do(lambda draft: resignation.step_out(draft, "Cleo"))
    assert refused.value.code == "forbidden"
