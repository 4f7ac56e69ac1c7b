"""Ten zones and the years in which deadlines are tried in them."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

ZONES = (
    "Europe/London",
    "Europe/Berlin",
    "America/New_York",
    "America/Los_Angeles",
    "America/Sao_Paulo",  # no summer time any more
    "Asia/Kolkata",  # half an hour
    "Asia/Kathmandu",  # a quarter
    "Australia/Lord_Howe",  # summer time of half an hour
    "Pacific/Chatham",  # a quarter, south of the equator
    "Africa/Casablanca",  # goes back for Ramadan
)
# How often each changes its clocks in 2026 and 2027.
CHANGES = dict(zip(ZONES, (4, 4, 4, 4, 0, 0, 0, 4, 4, 4), strict=True))
YEARS = st.datetimes(datetime.fromisoformat("2026-01-01T00:00"), datetime.fromisoformat("2028-03-31T00:00")).map(
    lambda at: at.replace(microsecond=0)
)
zones = st.sampled_from(ZONES).map(ZoneInfo)


def changes(zone: ZoneInfo) -> list[tuple[datetime, timedelta]]:
    """Each instant of 2026 and 2027 from which the wall shows another time, and by how much it was set forward."""
    first, quarter = datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=15)
    shown = [(at, _offset(at, zone)) for at in (first + number * quarter for number in range(2 * 365 * 96))]
    return [(at, after - before) for (_, before), (at, after) in pairwise(shown) if after != before]


def _offset(at: datetime, zone: ZoneInfo) -> timedelta:
    offset = at.astimezone(zone).utcoffset()
    assert offset is not None
    return offset
