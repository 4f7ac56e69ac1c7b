"""Outages and a clock that was ahead, in one game: what moves, by how much, and what is told."""

from datetime import datetime, timedelta
from functools import partial

import pytest

from server.clock import OUTAGES, explain, read_steps
from server.house_rules import outage_credit
from server.house_rules.draft import Draft
from server.house_rules.situation import Outage
from server.house_rules.standing import Motion
from server.house_rules.votes import put_to_vote
from server.vocabulary.durations import format_duration
from server.wording.events import SHORTEST_TOLD, happenings
from tests.house_rules.situations import (
    DAY,
    HOUR,
    SECOND,
    START,
    Match,
    begun,
    published,
    settle,
)

LIFE = 3 * DAY


def owe(match: Match, begin: timedelta, end: timedelta, cause: str = "server") -> None:
    """Note an outage that the game is to be credited with."""
    match.game.owed.append(Outage(match.game.outages + len(match.game.owed) + 1, cause, START + begin, START + end))


class TestCredit:
    """Everything open moves by the length of the outage."""

    @pytest.mark.parametrize("cause", OUTAGES)
    def test_a_turn_gets_the_time_that_it_lost(self, cause: str):
        match = begun()
        owe(match, HOUR, 3 * HOUR, cause)
        decision = match.do(settle)
        assert match.game.due_at == START + 2 * DAY + 2 * HOUR
        assert decision.events[0].data["cause"] == cause
        assert match.timer("timeout").more == [["PT2H", cause]]
        assert match.timer("reminder").due_at == START + 38 * HOUR

    def test_a_turn_that_began_during_it_gets_what_it_lost_of_it(self):
        match = begun()
        owe(match, -5 * HOUR, HOUR)
        match.do(settle)
        assert match.game.due_at == START + 2 * DAY + HOUR

    @pytest.mark.parametrize(
        ("begin", "end"),
        [
            (HOUR, 3 * HOUR + SECOND / 2),
            (HOUR + 0.9 * SECOND, 2 * HOUR + 0.1 * SECOND),
            (-5 * SECOND, 42 * SECOND),  # the turn began during it
            (HOUR, 30 * HOUR + 30 * SECOND),
        ],
    )
    def test_the_event_and_the_steps_of_the_deadline_tell_the_same_length(self, begin: timedelta, end: timedelta):
        match = begun()
        owe(match, begin, end)
        (event,) = match.do(settle).events
        ((given, why),) = match.timer("timeout").more or []
        assert event.data["by"] == given
        if begin > timedelta(0):
            span = [datetime.fromisoformat(str(event.data[name])) for name in ("from", "until")]
            assert format_duration(span[1] - span[0]) == given
        (step,) = explain([each for each in read_steps(match.timer("timeout").steps) if each.kind == "more"], None, str)
        told = [f"The deadline moved by {step.replace(' more', '', 1)}."]
        assert happenings([event], []) == (told if end - max(begin, timedelta(0)) >= SHORTEST_TOLD else [])
        assert OUTAGES[why] in step

    def test_several_add_up_and_none_is_credited_twice(self):
        match = begun()
        owe(match, HOUR, 2 * HOUR)
        owe(match, 5 * HOUR, 7 * HOUR + SECOND / 2)
        assert published(match.do(settle)) == ["outage", "outage"]
        assert match.game.due_at == START + 2 * DAY + 3 * HOUR + SECOND
        assert (match.game.outages, match.game.owed, published(match.do(settle))) == (2, [], [])

    def test_one_before_the_game_is_not_told(self):
        match = begun()
        owe(match, -5 * HOUR, -HOUR)
        assert (published(match.do(settle)), match.game.outages) == ([], 1)

    def test_votes_and_results_move_along(self):
        match = begun()
        match.do(lambda draft: put_to_vote(draft, "Ben", "pause"))
        owe(match, HOUR, 2 * HOUR)
        match.do(settle)
        assert match.game.motions[0].closes_at == match.timer("vote").due_at == START + 3 * DAY + HOUR

    def test_a_reminder_that_was_sent_is_not_sent_again(self):
        match = begun()
        match.fire("reminder")
        owe(match, 37 * HOUR, 50 * HOUR)
        match.do(settle)
        assert match.timers("reminder") == []

    def test_of_a_bank_nothing_is_spent_for_an_outage(self):
        match = begun("condensed", 2, clock={"kind": "bank", "bank": "P2D", "cap": "P2D", "increment": "PT1H"})
        owe(match, HOUR, 3 * HOUR)
        match.do(settle)
        match.later(hours=5)
        match.move_any()
        assert match.game.seats[0].bank == (2 * DAY - 2 * HOUR).total_seconds()


class TestCorrection:
    """Timers that began while the clock was more than a day ahead restart when it is right again."""

    def correct(self, match: Match, ahead: timedelta) -> list[str]:
        """Set the clock back by that; return what is published."""
        match.now -= ahead
        return published(match.do(lambda draft: outage_credit.restart_timers_ahead(draft, match.now + DAY, LIFE)))

    def test_a_turn_begins_again_and_its_player_gets_another_mail(self):
        match = begun()
        assert self.correct(match, 40 * DAY) == ["corrected"]
        assert match.game.due_at == match.now + 2 * DAY
        assert [(mail.kind, mail.player_id) for mail in match.decisions[-1].mails] == [("turn", "Ada")]

    def test_less_than_a_day_stays_as_it_is(self):
        match = begun()
        assert self.correct(match, 23 * HOUR) == []

    def test_two_votes_that_end_together_end_when_each_would(self):
        match = begun()
        for player, length in (("Ada", "P1D"), ("Ben", "P2D")):
            match.do(partial(self.propose, player, length))
            match.later(hours=1)
        self.correct(match, 40 * DAY)
        ends = [timer.due_at for timer in match.timers("vote")]
        assert ends == sorted(motion.closes_at for motion in match.game.motions)
        assert len({*ends}) == 2

    def propose(self, player: str, length: str, draft: Draft) -> Motion:
        """Propose more time."""
        return put_to_vote(draft, player, "extend", length=length)

    def test_a_bot_moves_as_soon_as_if_its_turn_began_now(self):
        match = begun("condensed", 2, bots=[1])
        self.correct(match, 40 * DAY)
        assert match.timer("move").due_at == match.now + 2 * SECOND

    def test_a_provisional_result_has_its_whole_time(self):
        match = begun()
        match.fire("timeout")
        match.fire("timeout")
        assert self.correct(match, 40 * DAY) == ["corrected"]
        assert match.game.final_at == match.timer("final").due_at == match.now + DAY
