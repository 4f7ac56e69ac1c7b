"""Nine days in which everything happens to time that can; two weeks of it, and a year, are a campaign."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.application.time import deadlines
from server.models import Event
from tests.application.time.year import DAY, HOUR, Span, Year, time_to_think, turn_began
from tests.planting import planting

BEGIN = datetime(2026, 11, 23, 19, tzinfo=UTC)
PURPLE, GREEN = ["purple", "red"], ["green", "yellow"]


@pytest.mark.parametrize(("days", "least"), [(9, 4), pytest.param(14, 11, marks=pytest.mark.campaign)])
def test_nobody_is_late_by_an_outage_and_nothing_comes_twice_or_never(tmp_path: Path, days: int, least: int):
    weeks = Year(tmp_path, games=6, days=days, seed=4, tick=timedelta(hours=1), people=6)
    weeks.run()
    report = weeks.report()
    assert report["violations"] == []
    assert report["games"] == 6
    assert {"granted", "outage", "postponed", "substituted", "decided"} <= report["events"].keys()
    assert min(report["moves of people"], report["moves of the house"], report["fired"]["reminder"]) >= least


@pytest.mark.campaign  # in every run test_outages.py shows the same of single outages
def test_it_would_be_seen_if_deadlines_fired_while_mail_is_not_to_be_relied_on(tmp_path: Path):
    weeks = Year(tmp_path, 5, 7, 2, timedelta(hours=1), 6, breakdowns=14, breaks=("mailbox", "relay"))
    with planting() as plant:
        plant(deadlines, "_may_fire", lambda _at: ())
        weeks.run()
    assert any("was late in an outage" in violation for violation in weeks.report()["violations"])


def _after(*hours: float) -> Span:
    first, last = (BEGIN + hour * HOUR for hour in hours)
    return Span(first, last)


@pytest.mark.parametrize(
    ("outages", "pauses", "hours"),
    [
        ([], [], 48),
        ([_after(10, 20)], [], 38),
        ([_after(10, 20)], [_after(30, 40)], 28),
        ([_after(10, 20)], [_after(0, 40)], 8),
        ([_after(10, 30)], [_after(20, 40)], 18),
        ([_after(10, 20), _after(15, 25)], [_after(-10, 12)], 23),
        ([_after(-5, 3)], [_after(40, 60)], 37),
    ],
)
def test_time_that_was_stopped_for_two_reasons_at_once_is_taken_off_once(
    outages: list[Span], pauses: list[Span], hours: int
):
    assert time_to_think(BEGIN, BEGIN + 2 * DAY, outages, pauses) == hours * HOUR


def _events(*written: str) -> list[Event]:
    """Return one event an hour: a kind, or the pawn that moved."""
    kinds = ("started", "granted", "outage", "voted")
    return [
        Event(kind=word, at=BEGIN + hour * HOUR, data={})
        if word in kinds
        else Event(kind="moved", at=BEGIN + hour * HOUR, data={"pawn": word, "by": "player"})
        for hour, word in enumerate(written)
    ]


@pytest.mark.parametrize(
    ("events", "pawns", "hour"),
    [
        (("started", "voted"), (), 0),
        (("started", "mr_x", *PURPLE, *GREEN, "outage"), (), 5),
        (("started", "mr_x", *PURPLE, *GREEN, "granted", "voted"), (), 6),
        (("started", "mr_x", *GREEN, "outage"), PURPLE + GREEN, 1),
        (("started", "mr_x", *PURPLE, "green"), GREEN, 3),
        (("started", "mr_x", "outage", "purple"), PURPLE, 1),
    ],
)
def test_a_turn_began_with_the_last_move_that_was_none_of_its_own(
    events: tuple[str, ...], pawns: tuple[str, ...], hour: int
):
    assert turn_began(_events(*events), pawns) == BEGIN + hour * HOUR
