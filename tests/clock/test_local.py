"""Wall-clock time in ten zones, through the changes of 2026 and 2027."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.clock.local import instant, wall
from tests.clock.zones import YEARS, zones


@pytest.mark.parametrize(
    ("zone", "asked", "utc"),
    [  # what the wall never shows is the first instant after the gap
        ("Europe/London", "2026-03-29T01:30", "2026-03-29T01:00"),
        ("Europe/London", "2027-03-28T01:00", "2027-03-28T01:00"),
        ("Europe/Berlin", "2026-03-29T02:59", "2026-03-29T01:00"),
        ("Europe/Berlin", "2027-03-28T02:30", "2027-03-28T01:00"),
        ("America/New_York", "2026-03-08T02:15", "2026-03-08T07:00"),
        ("America/New_York", "2027-03-14T02:15", "2027-03-14T07:00"),
        ("America/Los_Angeles", "2026-03-08T02:30", "2026-03-08T10:00"),
        ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30"),
        ("Pacific/Chatham", "2026-09-27T03:00", "2026-09-26T14:00"),
        ("Africa/Casablanca", "2026-03-22T02:30", "2026-03-22T02:00"),
    ],
)
def test_a_time_that_never_comes_is_the_first_instant_after_it(zone: str, asked: str, utc: str):
    assert instant(datetime.fromisoformat(asked), ZoneInfo(zone)) == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "asked", "utc"),
    [  # of a time that comes twice, the later
        ("Europe/London", "2026-10-25T01:30", "2026-10-25T01:30"),
        ("Europe/London", "2027-10-31T01:00", "2027-10-31T01:00"),
        ("Europe/Berlin", "2026-10-25T02:00", "2026-10-25T01:00"),
        ("America/New_York", "2026-11-01T01:30", "2026-11-01T06:30"),
        ("America/New_York", "2027-11-07T01:59", "2027-11-07T06:59"),
        ("America/Los_Angeles", "2026-11-01T01:30", "2026-11-01T09:30"),
        ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T15:15"),
        ("Pacific/Chatham", "2026-04-05T03:00", "2026-04-04T14:15"),
        ("Africa/Casablanca", "2026-02-15T02:30", "2026-02-15T02:30"),
    ],
)
def test_of_a_time_that_comes_twice_the_later_is_meant(zone: str, asked: str, utc: str):
    assert instant(datetime.fromisoformat(asked), ZoneInfo(zone)) == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "asked", "utc"),
    [
        ("America/Sao_Paulo", "2026-11-01T00:30", "2026-11-01T03:30"),
        ("Asia/Kolkata", "2026-03-29T02:30", "2026-03-28T21:00"),
        ("Asia/Kathmandu", "2028-02-29T12:00", "2028-02-29T06:15"),
        ("Europe/London", "2028-02-29T12:00", "2028-02-29T12:00"),
        ("Europe/London", "2026-07-01T12:00", "2026-07-01T11:00"),
    ],
)
def test_any_other_time_is_what_the_wall_says(zone: str, asked: str, utc: str):
    at = datetime.fromisoformat(utc).replace(tzinfo=UTC)
    assert instant(datetime.fromisoformat(asked), ZoneInfo(zone)) == at
    assert wall(at, ZoneInfo(zone)) == datetime.fromisoformat(asked)


def test_while_an_hour_comes_the_second_time_the_wall_stands_at_its_end():
    london = ZoneInfo("Europe/London")
    assert wall(datetime(2026, 10, 25, 0, 59, 59, tzinfo=UTC), london) == datetime.fromisoformat("2026-10-25T01:59:59")
    for minute in (0, 1, 30, 59):
        assert wall(datetime(2026, 10, 25, 1, minute, tzinfo=UTC), london) == datetime.fromisoformat("2026-10-25T02:00")
    assert wall(datetime(2026, 10, 25, 2, 0, 1, tzinfo=UTC), london) == datetime.fromisoformat("2026-10-25T02:00:01")


def test_a_day_that_a_zone_left_out_is_over_when_it_would_have_begun():
    apia = ZoneInfo("Pacific/Apia")
    assert instant(datetime.fromisoformat("2011-12-30T15:00"), apia) == datetime(2011, 12, 30, 10, 0, tzinfo=UTC)


@given(YEARS, st.integers(0, 90_000), zones)
def test_both_ways_keep_the_order_of_times(local: datetime, seconds: int, zone: ZoneInfo):
    later = local + timedelta(seconds=seconds)
    assert instant(local, zone) <= instant(later, zone)
    assert wall(local.replace(tzinfo=UTC), zone) <= wall(later.replace(tzinfo=UTC), zone)


@given(YEARS, zones)
def test_there_and_back_is_never_earlier(local: datetime, zone: ZoneInfo):
    at = local.replace(tzinfo=UTC)
    assert at <= instant(wall(at, zone), zone) <= at + timedelta(hours=1)
    assert wall(instant(local, zone), zone) >= local
