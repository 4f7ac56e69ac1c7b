"""What may be done so many times a day, and again when the first of these is a day old."""

import ast
from datetime import UTC, datetime, timedelta

import pytest

from server.vocabulary.daily_limits import again_at, check
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem
from tests.test_layers import modules, name_of, nodes_of

HOUR = timedelta(hours=1)
NOW = datetime(2026, 11, 22, 18, tzinfo=UTC)
THREE = [NOW - 20 * HOUR, NOW - 10 * HOUR, NOW - HOUR]


def test_it_may_be_done_again_when_as_many_as_are_too_many_are_a_day_old():
    assert again_at(THREE, 4) is None
    assert again_at(THREE, 3) == THREE[0] + DAY
    assert again_at(THREE, 2) == THREE[1] + DAY
    assert again_at(THREE, 4, more=3) == THREE[1] + DAY


def test_a_refusal_says_when():
    with pytest.raises(Problem) as refused:
        check(THREE, 3, NOW, "Again after {again:%H:%M}.")
    assert (refused.value.sentence, refused.value.facts) == ("Again after 22:00.", {"retry_after": 4 * 3600 + 1})


def test_no_limit_of_a_day_is_counted_elsewhere():
    limits, compared = set(), {}
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("check", "again_at"):
                limits |= {ast.unparse(given).split(".")[-1] for given in node.args[1:2]}
            elif isinstance(node, ast.Compare):
                names = {ast.unparse(each).split(".")[-1] for each in node.comparators}
                compared |= {name: f"{name_of(path)}:{node.lineno}" for name in names}
    daily = {name for name in limits if name.startswith("MOST_")}
    assert len(daily) > 4
    assert {name: place for name, place in compared.items() if name in daily} == {}
