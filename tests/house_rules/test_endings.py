"""Results that the players decided are final at once, unless somebody could have decided for them, or was late."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from server.house_rules import draws, resignation
from server.house_rules.draft import Draft
from tests.house_rules.situations import DAY, Match, begun
from tests.rows import for_each


def mr_x_resigns(draft: Draft) -> None:
    resignation.give_up(draft, "Ada")


def all_agree(draft: Draft) -> None:
    for seat in draft.game.seats:
        draws.offer_draw(draft, seat.player_id or "")


def detectives_resign(draft: Draft) -> None:
    for player in ("Ben", "Cleo"):
        resignation.give_up(draft, player)


DECIDE: list[Callable[[Draft], None]] = [mr_x_resigns, all_agree, detectives_resign]


def opened_by(match: Match) -> bool:
    """Return True if the event of the end opens the travel log."""
    (ended,) = (event for event in match.decisions[-1].events if event.kind == "ended")
    return "opening" in ended.data


@pytest.mark.parametrize("decide", DECIDE)
def test_what_players_decide_is_final_at_once_and_opens_the_log(decide: Callable[[Draft], None]):
    match = begun(players=3)
    match.do(decide)
    assert (match.game.final, match.game.final_at, opened_by(match)) == (True, None, True)


@pytest.mark.parametrize("decide", DECIDE)
def test_it_is_provisional_after_a_deadline_was_missed(decide: Callable[[Draft], None]):
    match = begun(players=3)
    match.fire("timeout")
    match.move_any()
    match.do(decide)
    assert (match.game.final, match.game.final_at, opened_by(match)) == (False, match.now + DAY, False)


def missed_grace(match: Match) -> None:
    match.fire("timeout")


def missed_by_detectives(match: Match) -> None:
    match.play_phase()
    match.fire("timeout")


def due_and_not_fired(match: Match) -> None:
    match.now = match.timer("timeout").due_at


@for_each("miss", [missed_grace, missed_by_detectives, due_and_not_fired])
def test_every_deadline_counts_also_one_that_is_only_due(miss: Callable[[Match], None]):
    grace = {"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "grace": "PT6H"}
    match = begun(players=3, clock=grace if miss is missed_grace else None)
    miss(match)
    match.do(mr_x_resigns)
    assert not match.game.final


def test_a_deadline_that_vacation_moves_was_not_missed():
    match = begun(players=3)
    match.away(1, match.now, match.now + 5 * DAY)
    match.now = match.timer("timeout").due_at
    match.fire("timeout")
    assert match.decisions[-1].events[-1].kind == "postponed"
    match.do(mr_x_resigns)
    assert match.game.final


def test_in_time_is_in_time_a_second_before():
    match = begun(players=3)
    match.now = match.timer("timeout").due_at - timedelta(seconds=1)
    match.do(mr_x_resigns)
    assert match.game.final
