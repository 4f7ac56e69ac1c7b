"""Ten zones and the years in which deadlines are tried in them."""

from datetime import datetime
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
YEARS = st.datetimes(datetime.fromisoformat("2026-01-01T00:00"), datetime.fromisoformat("2028-03-31T00:00")).map(
    lambda at: at.replace(microsecond=0)
)
zones = st.sampled_from(ZONES).map(ZoneInfo)
