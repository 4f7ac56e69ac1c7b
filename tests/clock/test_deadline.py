"""Deadlines: when a go is over, whatever is skipped, and that thinking time is neither lost nor given."""

import json
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.clock import (
    WEEKDAYS,
    ClockError,
    ExtraTime,
    Night,
    Pause,
    bank_after_turn,
    check,
    compute_deadline,
    describe,
    explain,
    in_zone,
    longest_game,
    read_steps,
    reminder_at,
    with_defaults,
)
from server.clock.nights import by_day
from server.clock.pauses import Calendar, after, counted
from server.vocabulary.durations import Length, parse_length
from tests.clock.zones import CHANGES, YEARS, ZONES, changes, zones
from tests.profiles import HALF

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def at(text: str) -> datetime:
    """A time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def clock(kind: str = "per_phase", **wishes: Any) -> dict[str, Any]:
    """A checked clock."""
    return check({"kind": kind, **wishes}, MINUTE)


# One zone and calendar at a time ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "length", "begin", "due"),
    [
        ("UTC", "P2D", "2026-11-20T18:00", "2026-11-22T18:00"),
        ("Europe/London", "P1D", "2026-03-28T18:00", "2026-03-29T17:00"),  # a day of 23 hours
        ("Europe/London", "PT24H", "2026-03-28T18:00", "2026-03-29T18:00"),
        ("Europe/London", "P1D", "2026-10-24T17:00", "2026-10-25T18:00"),  # one of 25
        ("Europe/London", "PT24H", "2026-10-24T17:00", "2026-10-25T17:00"),
        ("Europe/Berlin", "P1D", "2026-03-28T01:30", "2026-03-29T01:00"),  # 02:30 never comes
        ("Europe/Berlin", "P1D", "2026-10-24T00:30", "2026-10-25T01:30"),  # 02:30 comes twice
        ("America/New_York", "P1W", "2026-03-05T17:00", "2026-03-12T16:00"),
        ("America/Los_Angeles", "P1DT6H", "2026-10-31T19:00", "2026-11-02T02:00"),
        ("America/Sao_Paulo", "P1D", "2026-10-31T12:00", "2026-11-01T12:00"),
        ("Asia/Kolkata", "P3D", "2027-02-27T12:00", "2027-03-02T12:00"),
        ("Asia/Kathmandu", "P1D", "2028-02-28T12:00", "2028-02-29T12:00"),
        ("Europe/London", "P1D", "2028-02-29T12:00", "2028-03-01T12:00"),
        ("Australia/Lord_Howe", "P1D", "2026-10-03T12:00", "2026-10-04T11:30"),
        ("Pacific/Chatham", "P1D", "2027-04-03T12:00", "2027-04-04T13:00"),
        ("Africa/Casablanca", "P1D", "2027-02-06T12:00", "2027-02-07T13:00"),
    ],
)
def test_days_are_of_the_calendar_and_hours_are_hours(zone: str, length: str, begin: str, due: str):
    found = compute_deadline(clock(zone=zone, mr_x=length), "mr_x", at(begin))
    assert found.due_at == at(due)


@pytest.mark.parametrize("zone", ZONES)
def test_through_every_change_of_the_clocks_a_day_ends_when_it_began_and_24_hours_are_24_hours(zone: str):
    """A day that begins half a day before a change is as much shorter as the clock is set forward in it."""
    found = changes(ZoneInfo(zone))
    assert len(found) == CHANGES[zone]
    for change, forward in found:
        for half_days in (1, 3):  # and one that ends before it
            begin = change - half_days * 12 * HOUR
            within = forward if half_days == 1 else timedelta(0)
            assert compute_deadline(clock(zone=zone, mr_x="P1D"), "mr_x", begin).due_at == begin + DAY - within
            assert compute_deadline(clock(zone=zone, mr_x="PT24H"), "mr_x", begin).due_at == begin + DAY
            assert compute_deadline(clock(zone=zone, mr_x="P1W"), "mr_x", begin).due_at == begin + 7 * DAY - forward


WEEKEND = ["sat", "sun"]


@pytest.mark.parametrize(
    ("length", "begin", "due"),
    [
        ("PT48H", "2026-11-20T18:00", "2026-11-24T18:00"),  # from Friday evening to Tuesday evening
        ("P2D", "2026-11-20T18:00", "2026-11-24T18:00"),
        ("PT6H", "2026-11-20T18:00", "2026-11-21T00:00"),  # over as Saturday begins
        ("PT7H", "2026-11-20T18:00", "2026-11-23T01:00"),
        ("P1D", "2026-11-21T12:00", "2026-11-24T00:00"),  # begun on a day off
        ("P10D", "2026-11-16T12:00", "2026-11-30T12:00"),
    ],
)
def test_days_off_do_not_count(length: str, begin: str, due: str):
    assert compute_deadline(clock(mr_x=length, days_off=WEEKEND), "mr_x", at(begin)).due_at == at(due)


@pytest.mark.parametrize(
    "short", [clock(mr_x="PT10M"), clock(detectives="PT59M"), clock("bank", bank="PT30M", increment="PT1M", cap="PT1H")]
)
def test_a_clock_that_gives_under_an_hour_has_no_days_off(short: dict[str, Any]):
    begin = at("2026-11-21T12:00")
    saturday = compute_deadline({**short, "days_off": WEEKEND}, "mr_x", begin)
    assert saturday == compute_deadline(short, "mr_x", begin)
    assert describe({**short, "days_off": WEEKEND}) == describe(short)


def test_a_weekend_off_is_that_of_the_zone_even_when_the_clocks_change_in_it():
    found = compute_deadline(
        clock(mr_x="PT48H", days_off=WEEKEND, zone="Europe/London"), "mr_x", at("2026-10-23T17:00")
    )
    assert found.due_at == at("2026-10-27T18:00")  # 42 hours were left when Monday began
    assert explain(found.steps, None, in_zone("Europe/London")) == [
        "from 2026-10-23T17:00:00Z (Fri 23 Oct 18:00 Europe/London)",
        "Mr. X has 48 hours",
        "Saturday is off, until 2026-10-24T23:00:00Z (Sun 25 Oct 00:00 Europe/London)",
        "Sunday is off, until 2026-10-26T00:00:00Z (Mon 26 Oct 00:00 Europe/London)",
        "due 2026-10-27T18:00:00Z (Tue 27 Oct 18:00 Europe/London)",
    ]


def test_a_deadline_explains_every_step_and_what_is_private_to_whom_it_is_about():
    away = Pause(at("2026-11-23T00:00"), at("2026-11-24T00:00"), "away", 3)
    night = Night(time(23), time(7), ZoneInfo("UTC"), 2)
    found = compute_deadline(
        clock(days_off=["sun"]), "detectives", at("2026-11-20T23:30"), pauses=[away], nights=[night]
    )
    assert found.due_at == at("2026-11-25T07:00")
    public = ["from 2026-11-20T23:30:00Z", "the detectives have 2 days", "Sunday is off, until 2026-11-23T00:00:00Z"]
    due = "due 2026-11-25T07:00:00Z"
    assert explain(found.steps, 2, in_zone("UTC")) == [
        *public, "somebody it waits for is away", "2026-11-24T23:30:00Z is in your night", due,
    ]  # fmt: skip
    assert explain(found.steps, 3, in_zone("UTC")) == [
        *public, "you are away, until 2026-11-24T00:00:00Z", "it would have been night for somebody it waits for", due,
    ]  # fmt: skip
    assert explain(found.steps, None, in_zone("UTC"))[3:5] == [
        "somebody it waits for is away", "it would have been night for somebody it waits for",
    ]  # fmt: skip
    assert read_steps(json.loads(json.dumps([step.stored() for step in found.steps]))) == list(found.steps)


def test_time_that_is_given_on_top_counts_like_all_other_time():
    more = [ExtraTime("P1D", "vote")]
    found = compute_deadline(clock(mr_x="P1D", days_off=["sat", "sun"]), "mr_x", at("2026-11-19T12:00"), more=more)
    assert found.due_at == at("2026-11-23T12:00")
    assert "1 day more, by vote" in explain(found.steps, None, in_zone("UTC"))


def test_time_that_is_given_twice_is_told_twice():
    more = [ExtraTime("P1D", "vote")] * 2
    found = compute_deadline(clock(mr_x="P1D"), "mr_x", at("2026-11-19T12:00"), more=more)
    assert found.due_at == at("2026-11-22T12:00")
    assert explain(found.steps, None, in_zone("UTC")) == [
        "from 2026-11-19T12:00:00Z", "Mr. X has 1 day", "1 day more, by vote", "1 day more, by vote",
        "due 2026-11-22T12:00:00Z",
    ]  # fmt: skip


def test_the_nights_of_several_others_are_told_once():
    nights = [Night(time(23), time(7), ZoneInfo("UTC"), 2), Night(time(7), time(9), ZoneInfo("UTC"), 3)]
    found = compute_deadline(clock(mr_x="P1D"), "mr_x", at("2026-11-19T23:30"), nights=nights)
    assert explain(found.steps, None, in_zone("UTC"))[2:] == [
        "it would have been night for somebody it waits for", "due 2026-11-21T09:00:00Z",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("due", "morning"),
    [
        ("2026-11-22T22:59", "2026-11-22T22:59"),
        ("2026-11-22T23:00", "2026-11-23T07:00"),
        ("2026-11-23T03:00", "2026-11-23T07:00"),
        ("2026-11-23T07:00", "2026-11-23T07:00"),
    ],
)
def test_a_deadline_in_the_night_waits_for_the_morning(due: str, morning: str):
    assert by_day(at(due), [Night(time(23), time(7), ZoneInfo("UTC"))]) == at(morning)


def test_a_nap_is_a_night_too_and_nights_follow_each_other():
    nights = [Night(time(23), time(7), ZoneInfo("UTC")), Night(time(6), time(9), ZoneInfo("UTC"))]
    assert by_day(at("2026-11-22T23:30"), nights) == at("2026-11-23T09:00")


def test_nights_that_leave_no_hour_are_not_waited_for():
    nights = [Night(time(0), time(12), ZoneInfo("UTC")), Night(time(12), time(0), ZoneInfo("UTC"))]
    assert by_day(at("2026-11-22T23:30"), nights) == at("2026-11-22T23:30")


# Kinds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begin", "due"),
    [
        ("2026-11-20T10:00", "2026-11-23T19:00"),  # Friday: 20:00 there is 10 hours on, too soon; then Monday
        ("2026-11-20T06:00", "2026-11-20T19:00"),
        ("2026-11-20T07:00", "2026-11-20T19:00"),  # twelve hours to the minute
        ("2026-11-22T12:00", "2026-11-23T19:00"),
        ("2026-03-27T10:00", "2026-03-30T18:00"),  # summer time
    ],
)
def test_a_schedule_has_its_time_of_day_on_its_days(begin: str, due: str):
    weekdays = clock("schedule", at="20:00", days=list(WEEKDAYS[:5]), zone="Europe/Berlin")
    assert compute_deadline(weekdays, "mr_x", at(begin)).due_at == at(due)


def test_a_schedule_passes_over_what_is_paused():
    away = Pause(at("2026-11-21T00:00"), at("2026-11-25T00:00"), "vote")
    daily = clock("schedule")
    assert compute_deadline(daily, "mr_x", at("2026-11-20T12:00"), pauses=[away]).due_at == at("2026-11-25T20:00")


def test_without_a_clock_there_is_no_deadline():
    found = compute_deadline(clock("none"), "mr_x", at("2026-11-20T12:00"))
    assert (found.due_at, explain(found.steps, None, in_zone("UTC"))) == (None, ["this game has no deadlines"])
    assert longest_game(clock("none"), at("2026-11-20T12:00"), 24, 5) is None


def test_a_bank_is_spent_by_thinking_and_refilled_by_moving():
    bank = clock("bank", bank="PT48H", increment="PT6H", cap="PT50H", days_off=WEEKEND)
    begin = at("2026-11-20T18:00")
    assert compute_deadline(bank, "mr_x", begin, left=timedelta(hours=48)).due_at == at("2026-11-24T18:00")
    assert bank_after_turn(bank, timedelta(hours=48), begin, begin + HOUR) == timedelta(
        hours=50
    )  # no more than the cap
    assert bank_after_turn(bank, timedelta(hours=48), begin, at("2026-11-23T12:00")) == timedelta(
        hours=36
    )  # 18 were used
    assert bank_after_turn(bank, timedelta(hours=1), begin, at("2026-11-24T12:00")) == timedelta(hours=6)


def test_the_longest_game_is_every_go_to_its_last_second():
    begin = at("2026-11-16T12:00")  # a Monday
    assert longest_game(clock(mr_x="P2D", detectives="P1D"), begin, 24, 5) == 24 * 3 * DAY
    assert longest_game(clock("per_move", mr_x="P2D", detectives="P1D"), begin, 24, 5) == 24 * 7 * DAY
    assert longest_game(clock(mr_x="P2D", detectives="P3D", days_off=WEEKEND), begin, 24, 5) == 24 * 7 * DAY
    assert longest_game(clock("bank", bank="P10D", cap="P10D", increment="P1D"), begin, 24, 1) == 68 * DAY
    assert longest_game(clock("schedule"), begin, 2, 1) == timedelta(days=4, hours=8)


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_a_reminder_comes_after_its_share_of_the_time_that_counts(share: float):
    begin, weekend = at("2026-11-20T12:00"), clock(mr_x="PT48H", days_off=WEEKEND)
    due = compute_deadline(weekend, "mr_x", begin).due_at
    assert due is not None
    reminded = reminder_at(weekend, begin, due, share)
    assert counted(begin, reminded, Calendar(ZoneInfo("UTC"), WEEKEND)) == 48 * HOUR * share


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"kind": "chess"}, "no clock of kind 'chess'; the kinds are per_phase, per_move, bank, schedule, none"),
        ({"kind": ["bank"]}, "no clock of kind ['bank']"),
        ({"kind": "none", "mr_x": "P1D"}, "of kind none has no 'mr_x'; it has kind, zone, days_off, reminders"),
        ({"zone": "Mars/Phobos"}, "clock.zone: 'Mars/Phobos' is no time zone; write one such as Europe/London"),
        ({"zone": "paris"}, "clock.zone: 'paris' is no time zone; write one such as Europe/Paris."),
        ({"zone": 1}, "clock.zone: 1 is no time zone"),
        ({"zone": "../etc/passwd"}, "is no time zone"),
        ({"days_off": ["saturday"]}, "clock.days_off: a list of 0 to 6 different days out of mon, tue"),
        ({"days_off": list(WEEKDAYS)}, "clock.days_off"),
        ({"days_off": ["sat", "sat"]}, "clock.days_off"),
        ({"days_off": [["sat"]]}, "clock.days_off"),
        ({"days_off": "sat"}, "clock.days_off"),
        ({"kind": "schedule", "at": "8pm"}, "clock.at: a time of day such as 20:00, not '8pm'"),
        ({"kind": "schedule", "at": "25:00"}, "clock.at"),
        ({"kind": "schedule", "days": []}, "clock.days: a list of 1 to 7"),
        ({"kind": "schedule", "days": ["sat"], "days_off": ["sat"]}, "clock.days: every one of them is among"),
        ({"kind": "schedule", "least": "PT0S"}, "clock.least: PT0S is not between 1 minute and 365 days"),
        ({"kind": "bank", "cap": "P9D"}, "clock.cap: the bank may not hold less than it begins with"),
        ({"kind": "bank", "increment": "P3650D"}, "clock.increment: P3650D is not between 1 minute and 365 days"),
        ({"kind": "bank", "increment": "PT0S"}, "clock.increment: PT0S is not between 1 minute and 365 days"),
        ({"reminders": [0.9, 0.5]}, "clock.reminders: shares of the time that grow"),
        ({"reminders": [0.5, 1]}, "clock.reminders: a share of the time between 0 and 1"),
        ({"reminders": 0.5}, "clock.reminders: a list of up to 5 shares"),
        ({"reminders": [0.5], "reminder": 0.5}, "clock.reminder: the same as clock.reminders"),
        ({"grace": "P15D"}, "clock.grace: P15D is not between 0 seconds and 14 days"),
        ({"cover": True}, "clock.cover: others can only move for a late player while there is grace"),
        ({"cover": "yes", "grace": "PT6H"}, "clock.cover: true or false"),
        ({"open_after": 0}, "clock.open_after: how often in a row, 1 to 99, or null"),
        ({"mr_x_late": "wait"}, "clock.mr_x_late: forfeit or vote"),
        ({"detectives_late": "good"}, "clock.detectives_late: deduction or easy"),
        ({"mr_x": "PT0S"}, "clock.mr_x: PT0S is not between 1 minute and 365 days"),
        ({"mr_x": "P3650D"}, "clock.mr_x: P3650D is not between"),
    ],
)
def test_a_clock_that_makes_no_sense_is_refused_in_one_sentence(wish: dict[str, Any], words: str):
    with pytest.raises(ClockError) as caught:
        check(wish, MINUTE)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_clock_of_before_has_what_was_usual_then():
    old = with_defaults({"kind": "per_phase", "mr_x": "P2D", "detectives": "P1D", "reminder": 0.5})
    assert (old["reminders"], old["grace"], old["mr_x_late"], old["provisional"]) == ([0.5], "PT0S", "forfeit", "P1D")
    assert old["detectives_late"] == "deduction"


# Whatever is skipped ---------------------------------------------------------------------------

pauses = st.lists(
    st.tuples(YEARS, st.integers(0, 20 * 86_400)).map(
        lambda pair: Pause(pair[0].replace(tzinfo=UTC), pair[0].replace(tzinfo=UTC) + timedelta(seconds=pair[1]))
    ),
    max_size=4,
).map(tuple)
calendars = st.builds(Calendar, zones, st.sets(st.sampled_from(WEEKDAYS), max_size=6), pauses)
begins = YEARS.map(lambda local: local.replace(tzinfo=UTC))
hours = st.integers(1, 40 * 86_400).map(lambda seconds: timedelta(seconds=seconds))


@HALF
@given(begins, hours, calendars)
def test_thinking_time_is_conserved_under_any_calendar(begin: datetime, length: timedelta, calendar: Calendar):
    assert counted(begin, after(begin, Length(0, length), calendar), calendar) == length


QUARTER = timedelta(minutes=15)  # every zone differs from UTC by some of them
quarters = YEARS.map(lambda local: local.replace(minute=local.minute // 15 * 15, second=0, tzinfo=UTC))


@HALF
@given(
    quarters, st.integers(1, 200), zones, st.sets(st.sampled_from(WEEKDAYS), max_size=6),
    st.lists(st.tuples(st.integers(-100, 500), st.integers(0, 300)), max_size=3),
)  # fmt: skip
def test_time_passes_as_who_looks_every_quarter_of_an_hour_would_count_it(
    begin: datetime, length: int, zone: ZoneInfo, off: set[str], spans: list[tuple[int, int]]
):
    paused = tuple(Pause(begin + first * QUARTER, begin + (first + more) * QUARTER) for first, more in spans)
    at, left = begin, length
    while left:
        stands = any(pause.begin <= at < pause.end for pause in paused)
        left -= not stands and WEEKDAYS[at.astimezone(zone).weekday()] not in off
        at += QUARTER
    assert after(begin, Length(0, length * QUARTER), Calendar(zone, off, paused)) == at


@HALF
@given(begins, st.integers(1, 40), calendars)
def test_days_are_conserved_but_for_what_summer_time_adds_or_takes(begin: datetime, days: int, calendar: Calendar):
    found = counted(begin, after(begin, Length(days, timedelta(0)), calendar), calendar)
    assert abs(found - days * DAY) <= 2 * HOUR


@HALF
@given(begins, st.integers(0, 40), hours, st.integers(0, 400_000), calendars)
def test_who_begins_later_is_never_due_earlier(
    begin: datetime, days: int, time_of_day: timedelta, seconds: int, calendar: Calendar
):
    length = Length(days, time_of_day)
    assert after(begin, length, calendar) <= after(begin + timedelta(seconds=seconds), length, calendar)


@HALF
@given(begins, st.integers(0, 40), hours, calendars, pauses)
def test_one_pause_more_never_makes_a_deadline_earlier(
    begin: datetime, days: int, time_of_day: timedelta, calendar: Calendar, more: tuple[Pause, ...]
):
    length = Length(days, time_of_day)
    fuller = Calendar(calendar.zone, calendar.days_off, calendar.pauses + more)
    assert begin < after(begin, length, calendar) <= after(begin, length, fuller)


nights = st.lists(
    st.builds(
        lambda begin, length, zone: Night(time(begin), time((begin + length) % 24), zone),
        st.integers(0, 23), st.integers(1, 11), zones,
    ),
    max_size=1,
)  # fmt: skip
kinds = st.sampled_from(
    [
        clock(zone="Europe/London"),
        clock(mr_x="PT5H", days_off=["fri", "sat"], zone="America/New_York"),
        clock("per_move", mr_x="P1DT3H"),
        clock("schedule", at="02:30", days=["sun", "wed"], zone="Europe/Berlin"),
        clock("bank", bank="PT90H", cap="P10D"),
    ]
)


@HALF
@given(kinds, begins, st.integers(0, 400_000), pauses, nights)
def test_no_clock_is_ever_early_or_out_of_order(
    kind: dict[str, Any], begin: datetime, seconds: int, away: tuple[Pause, ...], asleep: list[Night]
):
    first = compute_deadline(kind, "mr_x", begin, pauses=away, nights=asleep).due_at
    later = compute_deadline(kind, "mr_x", begin + timedelta(seconds=seconds), pauses=away, nights=asleep).due_at
    assert first is not None
    assert later is not None
    assert first <= later
    if "mr_x" in kind:
        length = parse_length(kind["mr_x"])
        assert first - begin >= length.days * DAY + length.time - HOUR * bool(length.days)
