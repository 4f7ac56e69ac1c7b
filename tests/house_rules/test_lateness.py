"""The ladder of lateness by tables: "When the time is up" in docs/deadlines.md, for all combinations of conditions."""

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import pytest

from server.house_rules import remedies
from server.house_rules.draft import Decision
from server.house_rules.votes import put_to_vote
from server.vocabulary.errors import Problem
from tests.house_rules.situations import (
    DAY,
    HOUR,
    SECOND,
    START,
    Match,
    begun,
    holder,
    posted,
    published,
)
from tests.positions import position
from tests.profiles import IS_CAMPAIGN

EVERYBODY = ["Ada", "Ben", "Cleo"]
TAXIS = {"taxi": 9, "bus": 0, "underground": 0}
KINDS = ("per_phase", "per_move", "bank", "schedule")


class Case(NamedTuple):
    """A player who is late, and all that their lateness is judged by.

    vacation: None without automatic vacation, else the whole days that are left
    asleep: whether a night of the late player begins at the deadline
    missed: how often the seat was late before
    grace: None if the clock has none, else whether it is over by now
    voters: who could vote about Mr. X: all, nobody as all are away, or nobody as all are bots
    """

    side: str
    kind: str
    vacation: int | None
    asleep: bool
    grace: bool | None
    missed: int
    mr_x_late: str
    voters: str
    open_after: int | None

    def expected(self) -> str:
        """Return what the documentation says: the kind of the event by which the matter is settled."""
        if not self.grace:  # the turn's own time is up
            if self.vacation or self.asleep:
                return "postponed"
            if self.grace is False:
                return "late"
        if self.side == "detectives":
            return "moved"
        if self.missed == 0:
            return "granted"
        return "proposed" if self.mr_x_late == "vote" and self.voters == "all" else "ended"


@cache
def played(case: Case) -> tuple[Match, Decision[Any]]:
    """Return the game after the deadline, and what was decided then; it is not to be changed."""
    own = {"per_phase": {}, "per_move": {}, "bank": {"bank": "P2D", "cap": "P2D"}, "schedule": {}}[case.kind]
    clock = {
        "kind": case.kind, "grace": "PT0S" if case.grace is None else "PT6H", "mr_x_late": case.mr_x_late,
        "open_after": case.open_after, **own,
    }  # fmt: skip
    match = begun("ravensburger-2000", 3, clock=clock, bots=(2, 3) if case.voters == "bots" else ())
    if case.side == "detectives":
        match.play_phase()
    late = match.game.seats[0 if case.side == "mr_x" else 1]
    late.misses, match.game.mr_x_misses = case.missed, case.missed if case.side == "mr_x" else 0
    if case.voters == "away":
        for seat in match.game.seats[1:]:
            match.away(seat.number, START - DAY, START + 90 * DAY)
    if case.grace:
        match.fire("timeout")
        assert published(match.decisions[-1]) == ["late"]
    assert late.holder is not None
    late = match.game.seat_of_number(late.number)
    due = match.timer("timeout").due_at
    late.holder.night = f"{due - HOUR:%H:%M}-{due + 2 * HOUR:%H:%M}" if case.asleep else None
    if case.vacation is not None:
        late.holder.spends_vacation = True
        match.away(late.number, START - 60 * DAY, START - (39 + case.vacation) * DAY)
    return match, match.fire("timeout")


def cases(side: str, kind: str) -> list[Case]:
    """Return every combination with time for a phase, and each fifth of the others; a campaign has all."""
    return combinations(side, kind)[:: 1 if kind == "per_phase" or IS_CAMPAIGN else 5]


def combinations(side: str, kind: str) -> list[Case]:
    """Return every combination that there is; absence counts for Mr. X's voters only, as it stops their own time."""
    others = product((None, 0, 2, 5), (False, True), (None, False, True), (0, 1))
    if side == "detectives":
        return [Case(side, kind, *each, "forfeit", "all", open_after) for each in others for open_after in (None, 1, 2)]
    return [
        Case(side, kind, *each, late, voters, None)
        for each in others for late in ("forfeit", "vote") for voters in ("all", "away", "bots")
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["mr_x", "detectives"])
class TestLadder:
    """Each combination takes the step that the documentation names, and nothing but its consequences follow."""

    def test_the_step_that_is_taken(self, side: str, kind: str):
        wrong = []
        for case in cases(side, kind):
            _, decision = played(case)
            kinds = published(decision)
            first = kinds[0]
            if first != case.expected():
                wrong.append((case, kinds))
        assert wrong == []

    def test_what_is_published_and_who_is_written_to(self, side: str, kind: str):
        for case in cases(side, kind):
            match, decision = played(case)
            people = [seat.player_id for seat in decision.before.seats if seat.player_id]
            mails, seat = posted(decision), match.game.seats[0 if side == "mr_x" else 1]
            match case.expected():
                case "postponed":
                    assert (published(decision), mails) == (["postponed"], {}), case
                case "late":
                    assert (published(decision), mails) == (["late"], {"overdue": people}), case
                    assert decision.events[0].data["seats"][0] == seat.number
                case "granted":
                    assert (published(decision), mails) == (["granted"], {"granted": people}), case
                case "proposed":
                    assert (published(decision), mails) == (["proposed"], {"vote": [*people[1:], people[0]]}), case
                case "ended":
                    assert (published(decision), mails) == (["ended"], {"ended": people}), case
                case "moved":
                    assert {move.by for move in decision.moves} == {"house"}, case
                    assert seat.player_id in mails["late"], case
                    offered = case.open_after is not None and case.missed + 1 >= case.open_after
                    assert seat.is_offered == offered, case
                    assert mails.get("offered", [])[:3] == (people if offered else []), case

    def test_the_timers_that_run_then(self, side: str, kind: str):
        for case in cases(side, kind):
            match, decision = played(case)
            now, timeouts = match.now, match.timers("timeout")
            match case.expected():
                case "postponed":
                    assert [timer.step for timer in timeouts if timer.seat in (0, case.side == "mr_x" or 2)] == [0]
                    assert match.game.due_at == min(timer.due_at for timer in timeouts) > now
                    length = timeouts[0].due_at - now
                    # Days of vacation, of which the server takes three at most, and one second before the deadline.
                    spent = min(3, case.vacation or 0) * DAY
                    assert max(spent - SECOND, 2 * HOUR * case.asleep) <= length, case
                    days = [each for each in match.game.absences if each.is_automatic]
                    assert sum((each.end - each.begin for each in days), 0 * DAY) == spent
                case "late":
                    assert [timer.step for timer in timeouts] == [1]
                    assert timeouts[0].due_at == now + 6 * HOUR
                case "granted":
                    assert [timer.began_at for timer in timeouts] == [now]
                    assert match.game.mr_x_misses == 1
                case "proposed":
                    assert timeouts == []
                    assert [timer.due_at for timer in match.timers("vote")] == [now + 2 * DAY]
                case "ended":
                    assert [(timer.kind, timer.due_at) for timer in match.timers()] == [("final", now + DAY)]
                    assert (match.game.winner, match.game.reason) == ("detectives", "out_of_time")
                case "moved":
                    assert all(timer.began_at == now and timer.step == 0 for timer in timeouts)
                    assert timeouts
                    assert decision.after.seats[1].misses == case.missed + 1

    def test_each_step_is_taken_at_most_once_a_turn(self, side: str, kind: str):
        """However long nobody moves: vacation, then grace, then what follows from lateness."""
        late = holder("Ada" if side == "mr_x" else "Ben", spends_vacation=True)
        own = {"bank": {"bank": "P2D", "cap": "P2D"}}.get(kind, {})
        clock = {"kind": kind, "grace": "PT6H", "mr_x_late": "vote", **own}
        match = begun("ravensburger-2000", 3, clock=clock, people={1 if side == "mr_x" else 2: late})
        if side == "detectives":
            match.play_phase()
        steps = [published(match.fire("timeout"))[0] for _ in range(3)]
        assert steps == ["postponed", "late", "granted" if side == "mr_x" else "moved"]


@pytest.fixture
def hunt() -> Match:
    """A game of six people in the detectives' phase."""
    match = begun(players=6)
    match.play_phase()
    return match


class TestDetectives:
    """The server moves each pawn that has not moved, in the order of play."""

    def test_each_pawn_by_a_move_of_its_own_in_the_order_of_play(self, hunt: Match):
        decision = hunt.fire("timeout")
        assert [move.pawn for move in decision.moves] == ["purple", "red", "green", "yellow", "blue"]
        assert {move.by for move in decision.moves} == {"house"}
        assert [timer.due_at for timer in hunt.timers()] == [hunt.now + 36 * HOUR, hunt.now + 2 * DAY]

    def test_players_who_moved_in_time_are_not_late(self, hunt: Match):
        hunt.move_any()
        hunt.move_any()
        decision = hunt.fire("timeout")
        assert [seat.misses for seat in hunt.game.seats] == [0, 0, 0, 1, 1, 1]
        assert posted(decision)["late"] == ["Dan", "Eve", "Finn"]

    def test_a_queued_move_is_played_as_it_is(self, hunt: Match):
        queued = str(hunt.state.moves_ahead("green")[-1])
        hunt.move("Dan", queued)
        decision = hunt.fire("timeout")
        assert [move.by for move in decision.moves] == ["house", "house", "ahead", "house", "house"]
        assert decision.moves[2].notation == queued
        assert posted(decision)["late"] == ["Ben", "Cleo", "Eve", "Finn"]

    def test_a_queued_move_that_became_illegal_is_returned_and_the_server_moves_the_pawn(self):
        place = position(180, purple=(1, TAXIS), red=(19, TAXIS), green=(9, TAXIS))
        match = begun(players=4, position=place)
        match.move_any()
        match.move("Cleo", "red taxi 8")
        decision = match.fire("timeout")
        assert decision.moves[0].notation == "purple taxi 8"
        assert [move.by for move in decision.moves] == ["house", "house", "house"]
        assert posted(decision)["returned"] == ["Cleo"]
        assert [seat.misses for seat in match.game.seats] == [0, 1, 1, 1]

    def test_the_server_keeps_clear_of_where_a_teammate_has_sent_their_pawn(self):
        """Purple alone would go to 8, next to Mr. X; but Red will."""
        place = position(18, log_used=3, last_seen=(3, 18), to_move="purple", purple=(1, TAXIS), red=(19, TAXIS))
        match = begun(players=3, position=place)
        match.move("Cleo", "red taxi 8")
        decision = match.fire("timeout")
        assert [move.notation for move in decision.moves] == ["purple taxi 9", "red taxi 8"]

    def test_where_any_order_is_allowed_everybody_who_is_late_is_moved(self):
        match = begun("milton-bradley-1985", 3, options={"turn_order": "any"})
        match.move_any()
        match.move("Cleo", str(next(move for move in match.state.legal_moves() if move.pawn in ("yellow", "green"))))
        moved = {move.pawn for decision in match.decisions for move in decision.moves}
        decision = match.fire("timeout")
        assert [move.by for move in decision.moves] == ["house"] * 4
        assert len(moved | {move.pawn for move in decision.moves}) == 6
        assert match.game.round == 2

    def test_a_pawn_that_cannot_move_is_not_moved(self):
        nothing = {"taxi": 0, "bus": 0, "underground": 0}
        match = begun(players=4, position=position(180, purple=(1, TAXIS), red=(50, nothing), green=(9, TAXIS)))
        match.move_any()
        decision = match.fire("timeout")
        assert [move.pawn for move in decision.moves] == ["purple", "green"]
        assert posted(decision)["late"] == ["Ben", "Dan"]

    def test_a_capture_by_a_queued_move_is_final_at_once(self):
        """The server moves Purple; what Red had sent themselves catches Mr. X."""
        match = begun(players=3, position=position(104, purple=50, red=118, log_used=2))
        match.move("Ada", "taxi 116")
        match.move("Cleo", "red taxi 116")
        match.fire("timeout")
        assert (match.game.winner, match.game.reason) == ("detectives", "captured")
        assert (match.game.final, match.game.final_at) == (True, None)

    def test_a_move_that_is_queued_or_refused_moves_no_deadline(self, hunt: Match):
        before = hunt.timers()
        hunt.later(hours=20)
        hunt.move("Eve", str(hunt.state.moves_ahead("yellow")[0]))
        with pytest.raises(Problem):
            hunt.move("Ben", "purple taxi 1")
        assert hunt.timers() == before

    def test_a_player_of_two_pawns_is_late_once(self):
        match = begun(players=3)
        match.move_any()
        decision = match.fire("timeout")
        assert posted(decision)["late"] == ["Ben", "Cleo"]
        assert [seat.misses for seat in match.game.seats] == [0, 1, 1]

    def test_a_player_whose_mail_was_asked_about_has_missed_nothing_and_is_told_the_question(self, hunt: Match):
        question = {"moves": ["purple taxi 46"], "against": "or taxi 58"}
        hunt.game.questions = {2: question}
        decision = hunt.fire("timeout")
        assert [seat.misses for seat in hunt.game.seats] == [0, 0, 1, 1, 1, 1]
        assert hunt.game.seats[1].late_since is not None
        assert details_of(decision, "late") == {"Ben": {"question": question}}

    def test_a_capture_by_the_server_is_provisional(self):
        match = begun(position=position(104, red=134, log_used=1))
        for player, move in (("Ada", "taxi 86"), ("Ben", "taxi 118"), ("Ada", "bus 116")):
            match.move(player, move)
        decision = match.fire("timeout")
        assert (match.game.reason, match.game.final) == ("captured", False)
        opened = {name for event in decision.events for name in event.data}
        assert "opening" not in opened
        assert "opening" in match.fire("final").events[0].data


class TestMrX:
    """Mr. X gets his time once more, and the mail to him names a question that was open."""

    def test_a_turn_in_which_he_was_asked_is_not_the_one_that_he_may_miss_but_only_once(self):
        match = begun(players=3)
        question = {"moves": ["taxi 46"], "against": "or taxi 58"}
        match.game.questions = {1: question}
        first = match.fire("timeout")
        assert details_of(first, "granted") == {"Ada": {"question": question}}
        assert (match.game.seats[0].misses, match.game.mr_x_misses) == (1, 0)
        second = match.fire("timeout")
        assert details_of(second, "granted") == {}
        assert (match.game.seats[0].misses, match.game.mr_x_misses) == (2, 1)
        match.fire("timeout")
        assert match.game.status == "over"

    def test_they_are_reminded_again_of_the_time_that_was_granted(self):
        match = begun(players=3)
        assert posted(match.fire("reminder")) == {"reminder": ["Ada"]}
        match.fire("timeout")
        assert posted(match.fire("reminder")) == {"reminder": ["Ada"]}

    def test_a_turn_in_time_between_two_missed_ones_makes_no_difference(self):
        match = begun("condensed", 2)
        match.fire("timeout")
        match.play_phase()
        match.play_phase()
        match.fire("timeout")
        assert (match.game.status, match.game.reason) == ("over", "out_of_time")


def details_of(decision: Decision[Any], kind: str) -> dict[str | None, Any]:
    """Return the details of the mails of this kind that have any, by their readers."""
    return {each.player_id: each.details for each in decision.mails if each.kind == kind and each.details}


class TestReminders:
    """A player whose move is missing is reminded, after their night if the deadline is later than that."""

    def test_those_who_have_moved_or_queued_their_moves_are_left_alone(self, hunt: Match):
        hunt.move("Ben", str(hunt.state.legal_moves("purple")[0]))
        hunt.move("Dan", str(hunt.state.moves_ahead("green")[0]))
        assert posted(hunt.fire("reminder")) == {"reminder": ["Cleo", "Eve", "Finn"]}

    def test_a_player_who_has_queued_only_some_of_their_moves_is_reminded(self):
        match = begun("ravensburger-2000", 3)
        match.move_any()
        match.move("Ben", str(match.state.legal_moves("purple")[0]))  # whose other pawn is Red
        match.move("Cleo", str(match.state.moves_ahead("green")[0]))
        assert posted(match.fire("reminder")) == {"reminder": ["Ben", "Cleo"]}

    def test_a_move_queued_for_a_pawn_that_was_passed_over_is_forgotten(self):
        """Red could go to 8 until Purple went there; in the next round no move of theirs is queued."""
        place = position(180, purple=(18, TAXIS), red=(1, TAXIS), green=(9, TAXIS))
        match = begun(players=4, position=place)
        match.move("Ada", "taxi 181")
        match.move("Cleo", "red taxi 8")
        match.move("Ben", "purple taxi 8")
        match.move("Dan", "green taxi 20")
        moved = [move.pawn for decision in match.decisions for move in decision.moves]
        assert moved == ["mr_x", "purple", "green"]
        match.move("Ada", "taxi 180")
        assert posted(match.fire("reminder")) == {"reminder": ["Ben", "Cleo", "Dan"]}

    def test_nobody_is_reminded_of_time_that_is_up(self, hunt: Match):
        hunt.later(days=2)
        assert hunt.fire("reminder").mails == []

    @pytest.mark.parametrize(("night", "hours"), [(None, 0), ("05:00-08:00", 2), ("07:00-08:00", 0)])
    def test_a_reminder_waits_for_the_morning(self, night: str | None, hours: int):
        match = begun(people={1: holder("Ada", night=night)})
        (mail,) = match.fire("reminder").mails
        assert mail.not_before == match.now + hours * HOUR

    def test_it_waits_for_the_morning_though_a_teammate_has_less_time_left(self):
        """With a time bank each player has a deadline, and the reminder is about the reader's own."""
        clock = {"kind": "bank", "bank": "P4D", "cap": "P4D"}
        match = begun("ravensburger-2013", 5, clock=clock)
        match.game.seats[1].bank = int((3 * DAY + HOUR).total_seconds())
        match.move_any()
        match.game.seats[2].holder = holder("Cleo", night="18:00-20:00")
        (mail,) = match.fire("reminder", 3).mails
        assert (match.now, mail.not_before) == (START + 3 * DAY, START + 3 * DAY + 2 * HOUR)


class TestClaim:
    """The detectives decide on a late Mr. X, and his full time for another reason ends the question."""

    @pytest.fixture
    def asked(self) -> Match:
        match = begun(clock={"mr_x_late": "vote"})
        match.fire("timeout")
        match.fire("timeout")
        return match

    def test_no_more_time_can_be_voted_for_while_no_time_runs(self, asked: Match):
        with pytest.raises(Problem) as refused:
            asked.do(lambda draft: put_to_vote(draft, "Ben", "extend", length="P1D"))
        assert refused.value.sentence == "There is no deadline now that could be extended."

    def test_nor_does_the_operator_extend_it(self, asked: Match):
        with pytest.raises(Problem) as refused:
            asked.do(lambda draft: remedies.give_time(draft, "P1D", {"reason": "illness", "by": "P1D"}))
        assert refused.value.sentence == "There is no deadline now that could be extended."
