"""The clock of a game: which ones there are, and the moments they give."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from server.application.clock import DEFAULT, check_clock, due, remind
from server.application.errors import Problem

MINUTE = timedelta(minutes=1)
BEGIN = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)


def test_without_a_wish_everybody_has_two_days_and_is_reminded_at_three_quarters():
    assert check_clock(None, MINUTE) == check_clock({}, MINUTE) == DEFAULT
    assert DEFAULT == {"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "reminder": 0.75}


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
        ({"bank": "P1D"}, "A clock has no 'bank'; it has kind, mr_x, detectives, reminder"),
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


def test_each_side_has_its_own_time_from_when_its_half_began():
    clock = check_clock({"mr_x": "PT6H", "detectives": "P3D"}, MINUTE)
    assert due(clock, "mr_x", BEGIN) == BEGIN + timedelta(hours=6)
    assert due(clock, "detectives", BEGIN) == BEGIN + timedelta(days=3)


@pytest.mark.parametrize(("share", "hours"), [(0.75, 36), (0.5, 24), (0.25, 12)])
def test_the_reminder_comes_at_its_share_of_the_time(share: float, hours: int):
    clock = check_clock({"reminder": share}, MINUTE)
    assert remind(clock, "detectives", BEGIN) == BEGIN + timedelta(hours=hours)
