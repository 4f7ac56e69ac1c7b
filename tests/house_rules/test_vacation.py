"""Vacation and nights in one game: the deadlines that wait for a player, and the days that the server spends."""

from datetime import date
from functools import partial

import pytest

from server.house_rules import vacation
from server.house_rules.standing import Absence
from server.vocabulary.errors import Problem
from tests.house_rules.situations import (
    DAY,
    HOUR,
    START,
    begun,
    holder,
    published,
)
from tests.rows import for_each

ZONE = "Europe/London"


def planned(earlier: list[Absence], first: str, last: str, zone: str = ZONE) -> Absence:
    """Return the absence that a player takes beside earlier ones."""
    days = (date.fromisoformat(day) for day in (first, last))
    return Absence("new", "Ada", *vacation.plan_absence(earlier, *days, zone, START), is_automatic=False)


class TestAbsences:
    """A deadline waits for players who are away, and never comes nearer."""

    def test_it_moves_by_the_days_and_not_for_players_who_have_moved(self):
        match = begun()
        match.move_any()
        match.away(2, START + 6 * HOUR, START + 54 * HOUR)
        assert published(match.do(partial(vacation.wait_for_player, player_id="Ben"))) == ["postponed"]
        assert match.game.due_at == START + 4 * DAY
        match.away(1, START + 6 * HOUR, START + 9 * DAY)
        assert published(match.do(partial(vacation.wait_for_player, player_id="Ada"))) == []

    def test_coming_back_early_moves_nothing(self):
        match = begun()
        match.away(1, START + 6 * HOUR, START + 54 * HOUR)
        match.do(partial(vacation.wait_for_player, player_id="Ada"))
        match.game.absences = []
        assert published(match.do(partial(vacation.wait_for_player, player_id="Ada"))) == []
        assert match.game.due_at == START + 4 * DAY

    @pytest.mark.parametrize(("night", "hours"), [("17:00-02:00", 8), ("02:00-10:00", 0), ("18:00-19:00", 1)])
    def test_no_deadline_falls_in_a_night(self, night: str, hours: int):
        match = begun()
        seat = match.game.seats[0]
        assert seat.holder is not None
        seat.holder.night = night
        match.do(partial(vacation.wait_for_player, player_id="Ada"))
        assert match.game.due_at == START + 2 * DAY + hours * HOUR


class TestPlanned:
    """A player takes whole days by their own calendar, as many as the year has left for them."""

    @for_each(
        "first, last, kind, words",
        [
            ("2026-11-25", "2026-11-24", "form", "would end, on 2026-11-24, before it begins, on 2026-11-25"),
            ("2026-11-21", "2026-11-24", "form", "begins today (2026-11-22 in Europe/London) or later"),
            ("2027-11-30", "2027-12-01", "form", "over within a year"),
            ("9999-12-31", "9999-12-31", "form", "over within a year"),
            ("2026-11-23", "2026-12-20", "enough", "Of your 21 days of vacation in 2026 you have 21 days left"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, first: str, last: str, kind: str, words: str):
        with pytest.raises(Problem) as refused:
            planned([], first, last)
        assert refused.value.code == kind
        assert words in refused.value.sentence

    def test_days_are_counted_by_the_year_and_not_twice(self):
        taken = [planned([], "2026-12-15", "2027-01-10")]
        assert vacation.days_left(taken, ZONE, START) == 4
        with pytest.raises(Problem, match="You are away from 2026-12-15 to 2027-01-10 already"):
            planned(taken, "2027-01-10", "2027-01-12")
        with pytest.raises(Problem, match="You are away from 2026-12-24 to 2026-12-26 already"):
            planned(
                [planned([], "2026-12-24", "2026-12-26", "Europe/Berlin")], "2026-12-26", "2026-12-27", "Europe/Berlin"
            )
        taken.append(planned(taken, "2027-02-01", "2027-02-11"))
        with pytest.raises(Problem, match="you have 0 seconds left"):
            planned(taken, "2027-02-12", "2027-02-12")


class TestAutomatic:
    """Players who opted in have vacation days spent before they are late, once per turn."""

    @pytest.mark.parametrize(("taken", "days"), [(0, 3), (18, 3), (19, 2), (20, 1), (21, 0)])
    def test_as_many_days_are_spent_as_are_left_and_three_at_most(self, taken: int, days: int):
        match = begun(people={1: holder("Ada", spends_vacation=True)})
        if taken:
            match.away(1, START - 40 * DAY, START - (40 - taken) * DAY)
        decision = match.fire("timeout")
        spent = [absence for absence in match.game.absences if absence.is_automatic]
        assert [absence.end - absence.begin for absence in spent] == [days * DAY] * bool(days)
        assert published(decision) == ["postponed" if days else "granted"]

    def test_days_of_another_year_are_not_counted(self):
        match = begun(people={1: holder("Ada", spends_vacation=True)})
        match.away(1, START - 400 * DAY, START - 379 * DAY)
        assert published(match.fire("timeout")) == ["postponed"]

    def test_a_year_is_that_of_the_player_by_their_own_zone(self):
        """At the end of 2026 in UTC it is 2027 in Auckland."""
        due = START + 40 * DAY - 6 * HOUR  # 1 January 2027, 12:00 UTC
        for zone, expected in (("Pacific/Auckland", "postponed"), ("Pacific/Pago_Pago", "granted")):
            clock = {"mr_x": f"PT{int((due - START - 5 * HOUR).total_seconds() // 3600)}H"}
            match = begun(people={1: holder("Ada", spends_vacation=True, zone=zone)}, clock=clock)
            match.away(1, START - 40 * DAY, START - 19 * DAY)
            assert published(match.fire("timeout")) == [expected]

    def test_everybody_who_is_late_and_opted_in_spends_days(self):
        people = {n: holder(name, spends_vacation=n < 4) for n, name in enumerate(("Ada", "Ben", "Cleo", "Dan"), 1)}
        match = begun(people=people)
        match.play_phase()
        match.fire("timeout")
        assert [absence.player_id for absence in match.game.absences] == ["Ben", "Cleo"]
        assert match.game.due_at == START + 5 * DAY
