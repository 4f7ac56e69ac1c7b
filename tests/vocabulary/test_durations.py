"""Durations are read and written as ISO 8601, and said in words."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.vocabulary.durations import format_duration, parse_duration, say_duration


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("P2D", timedelta(days=2)),
        ("PT10M", timedelta(minutes=10)),
        ("P1W", timedelta(weeks=1)),
        ("P1W2DT3H4M5S", timedelta(weeks=1, days=2, hours=3, minutes=4, seconds=5)),
        ("PT36H", timedelta(hours=36)),
        ("PT0S", timedelta()),
        ("P007D", timedelta(days=7)),
    ],
)
def test_a_duration_is_read(text: str, length: timedelta):
    assert parse_duration(text) == length


@pytest.mark.parametrize(
    "text",
    ["", "P", "PT", "P1DT", "2 days", "p2d", "P1M", "P1Y", "P-1D", "-P1D", "P1.5D", "PT1.5S", " P2D", "P2D\n", "P2H",
     "PT2D", "P1D1W", "P٢D", "P99999999D", "P2D P2D"],
)  # fmt: skip
def test_what_is_no_duration_is_refused_with_an_example(text: str):
    with pytest.raises(ValueError, match="P2D for two days") as refused:
        parse_duration(text)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize("value", [None, 2, 2.0, True, [], {}, b"P2D"])
def test_what_is_no_text_is_no_duration(value: object):
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(value)  # type: ignore[arg-type]


@given(st.integers(0, 10**9))
def test_what_is_written_is_read_again(seconds: int):
    length = timedelta(seconds=seconds)
    assert parse_duration(format_duration(length)) == length


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(days=2), "P2D"),
        (timedelta(hours=36), "P1DT12H"),
        (timedelta(seconds=61), "PT1M1S"),
        (timedelta(), "PT0S"),
    ],
)
def test_a_duration_is_written_in_the_largest_units(length: timedelta, text: str):
    assert format_duration(length) == text


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(days=2), "2 days"),
        (timedelta(days=1), "1 day"),
        (timedelta(hours=1, minutes=30), "1 hour and 30 minutes"),
        (timedelta(days=1, hours=2, minutes=3, seconds=4), "1 day and 2 hours"),
        (timedelta(days=1, seconds=4), "1 day and 4 seconds"),
        (timedelta(seconds=1), "1 second"),
        (timedelta(milliseconds=900), "0 seconds"),
        (timedelta(days=-1), "0 seconds"),
    ],
)
def test_a_duration_is_said_in_its_two_largest_units(length: timedelta, words: str):
    assert say_duration(length) == words
