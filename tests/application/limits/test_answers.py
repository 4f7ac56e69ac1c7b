"""The limits on answers: a person is always answered, and a machine comes to its end."""

from datetime import timedelta
from typing import NamedTuple

import pytest

from server.application.limits import answers
from server.models import MailAnswer, session
from server.vocabulary import limits
from server.vocabulary.durations import DAY
from tests.injected import START
from tests.table import Table


class Answer(NamedTuple):
    created_at: object
    send_at: object


def given(*minutes_ago: float) -> list[Answer]:
    """Return answers of so many minutes ago, the oldest first."""
    times = [START - timedelta(minutes=ago) for ago in sorted(minutes_ago, reverse=True)]
    return [Answer(time, time) for time in times]


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("before", "later", "is_held"),
    [
        ([], 0 * MINUTE, False),
        ([*range(19)], 0 * MINUTE, False),
        ([*range(20)], 3 * MINUTE, False),
        ([2] * 20, 1 * MINUTE, False),
        ([4] * 20, 0 * MINUTE, False),
        ([61] * 99, 0 * MINUTE, False),
        ([61] * 100, DAY - 61 * MINUTE, True),
        ([1400, *[100] * 99], 40 * MINUTE, True),
        ([1400, 1390, *[100] * 99], 50 * MINUTE, True),
    ],
)  # fmt: skip
def test_answers_become_slow_and_are_held(before: list[float], later: timedelta, is_held: bool):
    assert answers.send_at(given(*before), START) == (START + later, is_held)


def test_an_answer_waits_for_those_that_wait_whatever_went_out_at_once_since():
    waiting = Answer(START - MINUTE, START + 5 * MINUTE)
    at_once = Answer(START, START)
    assert answers.send_at([*given(*[2] * 20), waiting, at_once], START) == (START + 8 * MINUTE, False)


def test_a_stranger_gets_one_answer_a_day_and_where_many_write_a_domain_gets_its_share(table: Table):
    plenty, least = limits.STRANGERS.plenty, limits.STRANGERS.least

    def answered(n: int, domain: str) -> int:
        """Return how many of so many people of a domain are answered, the first of them."""
        told = [is_answered(f"p{number}@{domain}") for number in range(n)]
        assert told == sorted(told, reverse=True)
        return sum(told)

    def is_answered(email: str) -> bool:
        return answers.schedule_for_stranger(email) is not None

    with table.app.app_context():
        assert [is_answered("jo@a.example") for _ in range(3)] == [True, False, False]
        assert not is_answered("JO@A.example")
        assert answered(plenty + 2, "a.example") == plenty - 1
        assert least <= answered(plenty, "b.example") < plenty
        assert [is_answered(f"{name}@{name}.example") for name in "wxyz"] == [True] * 4
        table.clock.turn(hours=25)
        assert is_answered("jo@a.example")
        session.remove()


def test_what_is_counted_is_forgotten_after_a_day_and_what_may_be_referred_to_after_two_weeks(table: Table):
    with table.app.app_context():
        answers.schedule("ada", is_proven=True)
        answers.schedule("ada", is_proven=False, kept={"games": ["g"]})
        assert answers.newest_kept("ada", "games") == ["g"]
        for hours, left in ((25, 1), (24 * 13, 0)):
            table.clock.turn(hours=hours)
            answers.forget_old()
            assert session.query(MailAnswer).count() == left
        session.remove()
