"""The table of limits: what may be done so often, and again when the first of these is as old as the window."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.vocabulary import limits as table
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem
from server.vocabulary.limits import Limit, SharedLimit
from tests.test_layers import modules

HOUR = timedelta(hours=1)
NOW = datetime(2026, 11, 22, 18, tzinfo=UTC)
THREE = [NOW - 20 * HOUR, NOW - 10 * HOUR, NOW - HOUR]


def limit(most: int) -> Limit:
    return Limit("tries", "player", most, "{most} are enough; again after {time}.")


def test_it_may_be_done_again_when_as_many_as_are_too_many_are_a_day_old():
    assert limit(4).again_at(THREE) is None
    assert limit(3).again_at(THREE) == THREE[0] + DAY
    assert limit(2).again_at(THREE) == THREE[1] + DAY
    assert limit(4).again_at(THREE, more=3) == THREE[1] + DAY


def test_a_refusal_says_when():
    with pytest.raises(Problem) as refused:
        limit(3).check(THREE, NOW)
    assert (refused.value.sentence, refused.value.facts) == (
        "3 are enough; again after 22:00.",
        {"retry_after": 4 * 3600 + 1},
    )


def test_each_limit_is_held_somewhere():
    limits = {name for name, value in vars(table).items() if isinstance(value, (Limit, SharedLimit))}
    elsewhere = [path.read_text() for path in modules() if path != Path(table.__file__)]
    assert {name for name in limits if not any(re.search(rf"\b{name}\b", text) for text in elsewhere)} == set()
