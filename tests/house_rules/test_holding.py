"""Held moves: how long they wait, what they wait for, and that a deadline finds them in time."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from server.house_rules import holding, outage_credit, queue, resignation
from server.house_rules.draft import Decision, Draft
from server.house_rules.situation import Outage
from server.house_rules.submission import RequestedMove
from server.house_rules.votes import cast_vote, put_to_vote
from server.vocabulary.errors import Problem
from tests.house_rules.situations import DAY, HOUR, START, Match, begun, holder, posted, published, settle, situation
from tests.positions import position
from tests.rows import for_each

QUARTER = timedelta(minutes=15)
TAXIS = {"taxi": 9, "bus": 0, "underground": 0}


def dealt(**wanted: Any) -> Match:
    """Ben moves Purple (on 1) before Cleo moves Red (on 19) and Dan Green (on 100); Mr. X has moved."""
    match = at_start(**wanted)
    match.move_any()
    return match


def at_start(**wanted: Any) -> Match:
    return begun(players=4, position=position(180, purple=(1, TAXIS), red=(19, TAXIS), green=(100, TAXIS)), **wanted)


def hold(match: Match, player: str, *notations: str, wait: timedelta = QUARTER) -> None:
    requested = [RequestedMove(notation) for notation in notations]
    match.do(lambda draft: holding.put_on_hold(draft, player, requested, wait))


def play_due(match: Match) -> Decision[Any]:
    return match.do(holding.play_due)


def held(match: Match) -> list[str]:
    return [each.notation for each in match.game.held]


def made(decision: Decision[Any]) -> list[str]:
    return [move.notation for move in decision.moves]


def plays_at(match: Match) -> datetime:
    (found,) = {each.plays_at for each in match.game.held}
    return found


LENGTHS = [
    # the clock, the setting in minutes, and how many minutes a detective's move waits
    ({"kind": "per_phase", "detectives": "P2D"}, 15, 15),
    ({"kind": "per_phase", "detectives": "PT1H"}, 15, 6),
    ({"kind": "per_phase", "detectives": "PT1H"}, 120, 6),
    ({"kind": "per_phase", "detectives": "PT25M"}, 15, 2),
    ({"kind": "per_phase", "detectives": "PT19M"}, 15, None),
    ({"kind": "per_phase", "detectives": "P2D"}, 120, 120),
    ({"kind": "per_phase", "detectives": "P2D"}, 1, None),
    ({"kind": "per_move", "mr_x": "PT10M", "detectives": "PT40M"}, 15, 4),
    ({"kind": "bank", "increment": "PT40M"}, 15, 4),
    ({"kind": "bank", "increment": "PT10M"}, 15, None),
    ({"kind": "schedule", "least": "PT30M"}, 15, 3),
    ({"kind": "none"}, 15, 15),
]


@for_each("clock, setting, minutes", LENGTHS)
def test_a_tenth_of_the_full_time_is_waited_and_never_under_two_minutes(
    clock: dict[str, str], setting: int, minutes: int | None
):
    game = situation(clock=clock)
    expected = None if minutes is None else timedelta(minutes=minutes)
    assert holding.hold_length(game, game.seat_of_number(2), timedelta(minutes=setting)) == expected


def test_where_only_bots_would_wait_nothing_does():
    game = situation(bots=(1, 3, 4))
    assert holding.hold_length(game, game.seat_of_number(2), QUARTER) is None


def test_nothing_that_others_see_changes_while_it_waits():
    match = dealt()
    before = match.game
    hold(match, "Ben", "purple taxi 9")
    decision = match.decisions[-1]
    assert (decision.events, decision.mails, decision.deliveries, decision.moves) == ([], [], [], [])
    assert [getattr(match.game, name) for name in ("seats", "timers", "queue", "events", "turn", "due_at")] == [
        getattr(before, name) for name in ("seats", "timers", "queue", "events", "turn", "due_at")
    ]


def test_at_its_time_it_is_played_and_no_mail_is_about_it():
    match = dealt()
    hold(match, "Ben", "purple taxi 9")
    match.later(minutes=14)
    assert made(play_due(match)) == []
    match.later(minutes=1)
    decision = play_due(match)
    assert made(decision) == ["purple taxi 9"]
    assert decision.moves[0].by == "player"
    assert "Ben" not in [player for players in posted(decision).values() for player in players]
    assert held(match) == []


def test_one_whose_turn_has_not_come_becomes_a_queued_move():
    match = dealt()
    hold(match, "Cleo", "red taxi 32")
    match.later(minutes=15)
    assert made(play_due(match)) == []
    assert [each.notation for each in match.game.queue] == ["red taxi 32"]
    assert made(match.move("Ben", "purple taxi 9")) == ["purple taxi 9", "red taxi 32"]


def test_one_that_has_become_illegal_is_told_and_asked_again():
    match = dealt()
    hold(match, "Cleo", "red taxi 8")
    match.move("Ben", "purple taxi 8")
    match.later(minutes=15)
    decision = play_due(match)
    assert made(decision) == []
    (mail,) = decision.mails
    assert (mail.kind, mail.player_id) == ("returned", "Cleo")
    assert mail.details == {
        "moves": [{"notation": "red taxi 8", "turn": 3}],
        "was_held": True,
    }
    assert held(match) == []


def test_what_is_due_together_is_played_in_the_order_of_play():
    match = dealt()
    hold(match, "Dan", "green taxi 81")
    hold(match, "Cleo", "red taxi 32")
    hold(match, "Ben", "purple taxi 9")
    match.later(minutes=15)
    assert made(play_due(match)) == ["purple taxi 9", "red taxi 32", "green taxi 81"]
    assert match.game.side == "mr_x"


def test_yes_plays_it_and_no_stops_it_and_neither_does_so_twice():
    match = dealt()
    hold(match, "Ben", "purple taxi 9")
    match.do(lambda draft: holding.stop_held(draft, "Ben"))
    for command in (holding.stop_held, holding.play_held):
        with pytest.raises(Problem, match="No move of yours waits any more"):
            match.do(partial(_by, "Ben", command, None))
    hold(match, "Ben", "purple taxi 9")
    assert made(match.do(lambda draft: holding.play_held(draft, "Ben"))) == ["purple taxi 9"]


def _by(player: str, command: Any, name: str | None, draft: Draft) -> Any:
    return command(draft, player, name)


def test_nobody_stops_or_plays_the_move_of_another():
    match = dealt()
    hold(match, "Ben", "purple taxi 9")
    name = match.game.held[0].hold
    for command in (holding.stop_held, holding.play_held):
        with pytest.raises(Problem):
            match.do(partial(_by, "Cleo", command, name))
    assert held(match) == ["purple taxi 9"]


# What ends it ------------------------------------------------------------------------------------


def cover(match: Match) -> None:
    """Let Cleo move Ben's pawn for him."""
    match.game.seat_of_number(2).cover = 3
    match.move("Cleo", "purple taxi 8")


def sends_another(match: Match) -> None:
    match.move("Ben", "purple taxi 8")


def takes_back(match: Match) -> None:
    match.do(lambda draft: queue.take_back(draft, "Ben"))


def resigns(match: Match) -> None:
    match.do(lambda draft: resignation.give_up(draft, "Ben"))


def mr_x_resigns(match: Match) -> None:
    match.do(lambda draft: resignation.give_up(draft, "Ada"))


@for_each("what", [cover, sends_another, takes_back, resigns, mr_x_resigns])
def test_it_goes_with_its_pawns_move_its_seat_and_the_game(what: Any):
    match = dealt()
    hold(match, "Ben", "purple taxi 9")
    what(match)
    assert held(match) == []


def test_of_two_moves_only_that_goes_whose_pawn_has_moved():
    match = begun(players=3)
    match.move_any()
    first, second = match.game.seat_of_number(2).pawns
    ahead = str(match.state.moves_ahead(second)[0])
    now, another, *_ = map(str, match.state.legal_moves(first))
    hold(match, "Ben", now, ahead)
    match.game.seat_of_number(2).cover = 3
    match.move("Cleo", another)
    assert held(match) == [ahead]


def test_a_pause_does_not_stop_it():
    match = dealt()
    hold(match, "Ben", "purple taxi 9")
    for player in ("Ada", "Cleo", "Dan"):
        match.do(partial(_propose, player))
    assert match.game.paused_until(match.now) is not None
    assert plays_at(match) == START + QUARTER
    match.later(minutes=15)
    assert made(play_due(match)) == ["purple taxi 9"]


def _propose(player: str, draft: Draft) -> Any:
    return put_to_vote(draft, player, "pause")


def test_a_move_whose_pawn_has_one_sent_ahead_may_not_wait():
    match = dealt()
    match.move("Cleo", "red taxi 32")
    assert not holding.may_wait(match.game, "Cleo", [RequestedMove("red taxi 9")])
    assert not holding.may_wait(match.game, "Cleo", [RequestedMove("taxi 9")])
    assert holding.may_wait(match.game, "Ben", [RequestedMove("purple taxi 8")])


# Deadlines ---------------------------------------------------------------------------------------

CLOCKS = [
    {"kind": "per_phase"}, {"kind": "per_move"}, {"kind": "bank"}, {"kind": "schedule"},
    {"kind": "per_phase", "grace": "PT6H"}, {"kind": "per_move", "grace": "PT6H"},
]  # fmt: skip


def nearly_late(match: Match) -> None:
    match.now = match.timer("timeout").due_at - timedelta(minutes=5)


@for_each("clock", CLOCKS)
def test_a_deadline_plays_it_before_anything_is_done_about_lateness(clock: dict[str, str]):
    match = dealt(clock=clock)
    nearly_late(match)
    hold(match, "Ben", "purple taxi 9")
    assert plays_at(match) == match.timer("timeout").due_at
    decision = match.fire("timeout")
    assert made(decision)[0] == "purple taxi 9"
    assert decision.moves[0].by == "player"
    ben = match.game.seat_of_number(2)
    assert (ben.misses, ben.late_since) == (0, None)
    assert "Ben" not in posted(decision).get("late", [])


def test_no_vacation_is_spent_for_somebody_who_holds_a_move():
    match = at_start(people={2: holder("Ben", spends_vacation=True)})
    match.move_any()
    nearly_late(match)
    hold(match, "Ben", "purple taxi 9")
    decision = match.fire("timeout")
    assert match.game.absences == []
    assert "postponed" not in published(decision)


def test_in_grace_it_is_played_as_well():
    match = dealt(clock={"kind": "per_phase", "grace": "PT6H"})
    match.fire("timeout")
    nearly_late(match)
    hold(match, "Ben", "purple taxi 9")
    decision = match.fire("timeout")
    assert made(decision)[0] == "purple taxi 9"
    assert [move.by for move in decision.moves] == ["player", "house", "house"]
    assert match.game.seat_of_number(2).misses == 0


def test_held_seats_are_played_in_the_order_of_play_and_the_others_by_the_server():
    match = dealt()
    nearly_late(match)
    hold(match, "Dan", "green taxi 81")
    hold(match, "Ben", "purple taxi 9")
    decision = match.fire("timeout")
    assert [(move.pawn, move.by) for move in decision.moves] == [
        ("purple", "player"), ("red", "house"), ("green", "ahead")
    ]  # fmt: skip
    assert [seat.misses for seat in match.game.seats] == [0, 0, 1, 0]


def test_a_late_mr_x_who_holds_his_move_gets_no_other_turn():
    match = at_start()
    nearly_late(match)
    move = str(match.state.legal_moves()[0])
    hold(match, "Ada", move)
    decision = match.fire("timeout")
    assert made(decision) == [move]
    assert "granted" not in published(decision)
    assert match.game.mr_x_misses == 0


def test_a_vote_on_a_late_mr_x_plays_what_he_holds_and_claims_nothing():
    match = at_start(clock={"kind": "per_phase", "mr_x_late": "vote"})
    match.fire("timeout")
    match.fire("timeout")
    move = str(match.state.legal_moves()[0])
    hold(match, "Ada", move)
    (motion,) = match.game.motions
    for player in ("Ben", "Cleo", "Dan"):
        decision = match.do(partial(_vote, motion.id, player))
    assert made(decision) == [move]
    assert match.game.status == "running"


def _vote(motion_id: str, player: str, draft: Draft) -> Any:
    return cast_vote(draft, player, motion_id, is_for=True)


def test_what_cannot_be_played_at_a_deadline_is_told_only_to_whose_turn_goes_on():
    match = dealt(clock={"kind": "per_phase", "grace": "PT6H"})
    hold(match, "Cleo", "red taxi 8", wait=3 * DAY)
    match.move("Ben", "purple taxi 8")
    decision = match.fire("timeout")
    assert posted(decision)["returned"] == ["Cleo"]
    match.now = match.timer("timeout").due_at - HOUR
    hold(match, "Cleo", "red taxi 9")
    match.game.held[0].notation = "red taxi 8"
    assert "returned" not in posted(match.fire("timeout"))


def test_a_bank_runs_until_it_is_played():
    match = dealt(clock={"kind": "bank", "bank": "PT10H", "increment": "PT1S", "cap": "PT10H"})
    hold(match, "Ben", "purple taxi 9")
    match.later(minutes=15)
    play_due(match)
    assert match.game.seat_of_number(2).bank == (10 * HOUR - QUARTER).total_seconds() + 1


def test_no_reminder_goes_to_whoever_holds_a_move():
    match = dealt()
    match.now = match.timer("reminder").due_at - timedelta(minutes=5)
    hold(match, "Ben", "purple taxi 9")
    assert posted(match.fire("reminder")) == {"reminder": ["Cleo", "Dan"]}


# Outages and wrong clocks ------------------------------------------------------------------------


def test_its_time_moves_with_the_credit_for_an_outage_and_nothing_tells_of_that():
    match = dealt(clock={"kind": "none"})
    hold(match, "Ben", "purple taxi 9")
    match.game.owed = [Outage(1, "mailbox", START + timedelta(minutes=5), START + timedelta(hours=1))]
    match.later(hours=1)
    decision = match.do(settle)
    assert plays_at(match) == START + QUARTER + timedelta(minutes=55)
    assert decision.events == decision.mails == []


def test_an_outage_before_it_was_held_moves_nothing():
    match = dealt()
    match.later(hours=2)
    hold(match, "Ben", "purple taxi 9")
    match.game.owed = [Outage(1, "server", START, START + HOUR)]
    match.do(settle)
    assert plays_at(match) == START + 2 * HOUR + QUARTER


def test_one_held_by_a_clock_that_was_days_ahead_waits_its_time_from_now():
    match = dealt()
    match.later(days=1)
    hold(match, "Ben", "purple taxi 9")
    match.now = START - 2 * DAY
    match.do(lambda draft: outage_credit.restart_timers_ahead(draft, match.now + DAY, 14 * DAY))
    assert plays_at(match) == match.now + QUARTER
