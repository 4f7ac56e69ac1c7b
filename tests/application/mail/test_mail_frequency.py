"""How often somebody wants mail: how that is written, and when what was held is told."""

from datetime import UTC, datetime

import pytest

from server.application.mail import mail_frequency
from server.vocabulary.errors import Problem


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("usual", "usual"), ("all", "usual"), ("Every  Move", "moves"), ("moves", "moves"), ("off", "off"),
        ("daily 18:00", "daily 18:00"), ("daily at 7:05", "daily 07:05"), ("reminders only", "reminders"),
    ],
)  # fmt: skip
def test_a_choice_is_understood_however_loosely_it_is_written(written: str, stored: str):
    assert mail_frequency.read(written) == stored


@pytest.mark.parametrize(
    "written",
    ["", "some", "daily", "daily 24:00", "daily 7:60", "gathered", "gathered 30", "inherit", "usual please",
     "daily 18:00:00", "daily 1³:00"],
)  # fmt: skip
def test_anything_else_is_refused_and_all_choices_are_named(written: str):
    with pytest.raises(Problem) as refused:
        mail_frequency.read(written)
    assert refused.value.sentence == ("mail: choose one of usual, moves, daily 18:00, reminders or off.")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("mail", "zone", "happened", "told"),
    [
        ("daily 18:00", "UTC", "2026-11-22T17:59", "2026-11-22T18:00"),
        ("daily 18:00", "UTC", "2026-11-22T18:00", "2026-11-23T18:00"),  # what happens then is told the next day
        ("daily 07:00", "Asia/Kolkata", "2026-11-22T01:29", "2026-11-22T01:30"),
        ("daily 07:00", "America/New_York", "2026-11-22T23:00", "2026-11-23T12:00"),
        ("daily 08:00", "Europe/London", "2027-03-27T12:00", "2027-03-28T07:00"),  # summer time begins that night
        ("daily 08:00", "Europe/London", "2026-10-24T12:00", "2026-10-25T08:00"),  # and ends that night
        ("daily 01:30", "Europe/London", "2027-03-27T12:00", "2027-03-28T01:00"),  # never comes: the instant after
        ("daily 01:30", "Europe/London", "2027-03-28T01:00", "2027-03-29T00:30"),
        ("daily 01:30", "Europe/London", "2026-10-24T12:00", "2026-10-25T01:30"),  # comes twice: the later one
        ("daily 01:30", "Europe/London", "2026-10-25T00:45", "2026-10-25T01:30"),
        ("daily 01:30", "Europe/London", "2026-10-25T01:30", "2026-10-26T01:30"),
        ("daily 00:00", "America/Sao_Paulo", "2018-11-03T12:00", "2018-11-04T03:00"),  # midnight never comes
        ("daily 12:00", "Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00"),  # the 30th was left out there
        ("daily 12:00", "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-04T01:00"),  # half an hour of summer time
    ],
)  # fmt: skip
def test_a_digest_comes_by_the_wall_of_its_reader(mail: str, zone: str, happened: str, told: str):
    assert mail_frequency.next_digest(mail, zone, at(happened)) == at(told)
