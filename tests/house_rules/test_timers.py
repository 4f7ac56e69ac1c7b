"""The clock that is asked for: which ones there are, what is usual, and what makes no sense."""

from datetime import timedelta
from typing import Any

import pytest

from server.clock import DEFAULT, provisional_period
from server.house_rules.timers import check_clock
from server.vocabulary.errors import Problem

MINUTE = timedelta(minutes=1)


def test_without_a_wish_everybody_has_two_days_and_is_reminded_at_three_quarters():
    assert check_clock(None, MINUTE) == check_clock({}, MINUTE) == DEFAULT
    assert DEFAULT == {
        "kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "zone": "UTC", "days_off": [], "reminders": [0.75],
        "grace": "PT0S", "cover": False, "open_after": None, "detectives_late": "deduction", "mr_x_late": "forfeit",
        "provisional": "P1D",
    }  # fmt: skip


def test_what_is_not_wished_for_otherwise_stays_as_usual():
    assert check_clock({"mr_x": "PT6H"}, MINUTE) == DEFAULT | {"mr_x": "PT6H"}


def test_the_clock_that_was_asked_for_is_left_as_it_was():
    wish = {"detectives": "P1D"}
    check_clock(wish, MINUTE)
    assert wish == {"detectives": "P1D"}


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"kind": "chess"}, "no clock of kind 'chess'"),
        ({"kind": None}, "no clock of kind None"),
        ({"mr_x": "two days"}, "clock.mr_x: 'two days' is not a duration"),
        ({"detectives": 3600}, "clock.detectives: 3600 is not a duration"),
        ({"detectives": None}, "clock.detectives: None is not a duration"),
        ({"mr_x": "P1M"}, "clock.mr_x: 'P1M' is not a duration"),
        ({"mr_x": "PT59S"}, "clock.mr_x: PT59S is not between 1 minute and 365 days"),
        ({"detectives": "P366D"}, "clock.detectives: P366D is not between 1 minute and 365 days"),
        ({"reminder": 0}, "clock.reminder"),
        ({"reminder": 1}, "clock.reminder"),
        ({"reminder": True}, "clock.reminder"),
        ({"reminder": "0.5"}, "clock.reminder"),
        ({"reminder": float("nan")}, "clock.reminder"),
        ({"provisional": "a day"}, "clock.provisional: 'a day' is not a duration"),
        ({"provisional": None}, "clock.provisional: None is not a duration"),
        ({"provisional": 0}, "clock.provisional: 0 is not a duration"),
        ({"provisional": "P31D"}, "clock.provisional: P31D is not between 0 seconds and 30 days"),
        ({"provisional": "PT720H1S"}, "clock.provisional: PT720H1S is not between 0 seconds and 30 days"),
        ({"bank": "P1D"}, "A clock of kind per_phase has no 'bank'; it has kind, mr_x, detectives, zone, days_off"),
    ],
)
def test_a_clock_that_makes_no_sense_is_refused_in_one_sentence(wish: dict[str, Any], words: str):
    with pytest.raises(Problem) as caught:
        check_clock(wish, MINUTE)
    assert caught.value.code == "form"
    assert words in caught.value.sentence
    assert "\n" not in caught.value.sentence


@pytest.mark.parametrize("length", ["PT1M", "P365D"])
def test_the_shortest_and_the_longest_time_are_allowed(length: str):
    assert check_clock({"mr_x": length}, MINUTE)["mr_x"] == length


def test_one_reminder_as_it_was_written_first_is_a_ladder_of_one():
    assert check_clock({"reminder": 0.5}, MINUTE)["reminders"] == [0.5]


@pytest.mark.parametrize(("length", "hours"), [("PT0S", 0), ("PT90M", 1.5), ("P30D", 720)])
def test_a_result_may_be_provisional_for_up_to_thirty_days_or_not_at_all(length: str, hours: float):
    assert provisional_period(check_clock({"provisional": length}, MINUTE)) == timedelta(hours=hours)


def test_a_result_is_provisional_for_a_day_where_nobody_said_otherwise():
    assert provisional_period(check_clock(None, MINUTE)) == timedelta(days=1)


def test_a_clock_of_before_there_was_a_choice_means_a_day():
    assert provisional_period({"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "reminder": 0.75}) == timedelta(
        days=1
    )
