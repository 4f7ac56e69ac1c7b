"""The steps of a deadline are stored as values; the sentences that 0.2.0 stored in their place are still read."""

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from server.clock import OUTAGES, Step, StoredStep, explain, read_steps
from server.vocabulary.durations import parse_duration, parse_length, say_duration, say_length
from tests.rows import for_each

AT = datetime(2026, 11, 22, 18, tzinfo=UTC)
DAYS = {"mon": "Monday", "wed": "Wednesday", "sat": "Saturday", "sun": "Sunday"}
GIVERS = {"vote": "by vote", "player": "by the player", "operator": "given by the operator"}
PAUSES = {"vote": "paused by vote", "player": "paused by the player", "away": "you are away"}


def told(steps: list[Step], seat: int | None = 3) -> list[str]:
    """Return the steps in words for the holder of a seat."""
    return explain(steps, seat, lambda at: f"{at:%d %b %H:%M}")


@st.composite
def durations(draw: st.DrawFn) -> str:
    """Return a duration of any units; beside days of less than one more day, as its words would name days twice."""
    days = draw(st.none() | st.integers(0, 400))
    times = [draw(st.none() | st.integers(0, 400 if days is None else most)) for most in (23, 59, 59)]
    time = "".join(f"{n}{unit}" for n, unit in zip(times, "HMS", strict=True) if n is not None)
    return "P" + (f"{days}D" if days is not None else "" if time else "0D") + (f"T{time}" if time else "")


def rows_of(length: str, days: list[str]) -> list[tuple[Step, str, str]]:
    """Return each kind of step with each of its codes, with the kind and the sentence that 0.2.0 stored for it."""
    said, held = say_length(parse_length(length)), say_duration(parse_duration(length))
    weekly = "every day" if len(days) == 7 else ", ".join(days)
    schedule = {"time": "20:00", "zone": "Europe/Berlin", "days": "all" if len(days) == 7 else ", ".join(days)}
    return [
        (Step("from", {}, AT), "from", "from {}"),
        (Step("mr_x", {"length": length}), "given", f"Mr. X has {said}"),
        (Step("detectives", {"length": length}), "given", f"the detectives have {said}"),
        (Step("each", {"length": length}), "given", f"each detective has {said}"),
        (Step("bank", {"held": length}), "given", f"{held} in the bank"),
        (
            Step("schedule", schedule | {"length": length}),
            "given",
            f"at 20:00 Europe/Berlin {weekly}, at least {said} later",
        ),
        (Step("grace", {"length": length}), "given", f"grace of {said}"),
        *(
            (Step("more", {"length": length, "why": code}), "more", f"{said} more, {words}")
            for code, words in (GIVERS | OUTAGES).items()
        ),
        *(
            (Step("pause", {"pause": code}, AT, 3 if code == "away" else None), "pause", f"{words}, until {{}}")
            for code, words in (PAUSES | {day: f"{name} is off" for day, name in DAYS.items()}).items()
        ),
        (Step("night", {}, AT, 3), "night", "{} is in your night"),
        (Step("due", {}, AT), "due", "due {}"),
        (Step("none", {}), "none", "this game has no deadlines"),
    ]


@given(
    durations(), st.lists(st.sampled_from(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]), min_size=1, unique=True)
)
def test_each_step_has_the_sentence_that_0_2_0_stored_for_it(length: str, days: list[str]):
    for step, kind, sentence in rows_of(length, days):
        said = sentence.format("22 Nov 18:00")
        stored = json.loads(json.dumps(step.stored()))
        assert read_steps([stored]) == [step]
        assert told([step]) == [said]
        former: StoredStep = [kind, sentence, step.at.isoformat() if step.at else None, step.seat]
        (read,) = read_steps([former])
        # 100 minutes and 1 hour and 40 minutes are the same words.
        again = {field: value for field, value in read.values.items() if field in ("length", "held")}
        assert read == step._replace(values=step.values | again)
        assert told([read]) == told(read_steps([read.stored()])) == [said]
        assert not any(" " in value for value in again.values())


@for_each(
    "kind, sentence, seat",
    [
        ("given", "Mr. X has Plenty", None),
        ("given", "all have 2 fortnights", None),
        ("more", "2 fortnights more, as the moon was full", None),
        ("more", "{} more", None),
        ("pause", "the postman sleeps, until 22 Nov 18:00", 3),
        ("night", "it is dark at 22 Nov 18:00", 3),
        ("due", "whenever", None),
    ],
)
def test_a_sentence_that_nobody_knows_is_shown_as_it_is(kind: str, sentence: str, seat: int | None):
    at = AT if "22 Nov" in sentence else None
    row: StoredStep = [kind, sentence.replace("22 Nov 18:00", "{}"), at.isoformat() if at else None, seat]
    assert told(read_steps([row])) == [sentence.replace("{}", "")]


def test_of_a_sentence_that_nobody_knows_others_read_what_they_may():
    steps = read_steps([["pause", "the postman sleeps, until {}", AT.isoformat(), 3]])
    assert told(steps, seat=2) == told(steps, seat=None) == ["somebody it waits for is away"]
