"""The clocks of the form: some to choose at once, and one of one's own."""

from collections.abc import Mapping
from datetime import timedelta

from server.clock import KINDS as KINDS_OF_CLOCKS
from server.clock import LATE, LONGEST, LONGEST_GRACE, LONGEST_PROVISIONAL, WEEKDAYS, with_defaults
from server.house_rules.timers import check_clock
from server.runtime import runtime
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import say_duration
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.web import forms
from server.wording import clocks as words

OWN = "own"
# Whole clocks, by the value of the form; all values that are left out are the usual ones.
CHOICES: dict[str, Clock] = {
    "two_days": {"kind": "per_phase"},
    "one_day": {"kind": "per_phase", "mr_x": "P1D", "detectives": "P1D"},
    "each": {"kind": "per_move"},
    "evenings": {"kind": "schedule"},
    "bank": {"kind": "bank"},
    "none": {"kind": "none"},
}
TITLES = {
    "two_days": words.PER_PHASE["P2D"], "one_day": words.PER_PHASE["P1D"], "each": words.PER_MOVE,
    "evenings": words.SCHEDULE, "bank": words.BANK, "none": words.NONE, OWN: gettext_noop("Another one"),
}  # fmt: skip
UNITS = gettext_noop({"M": "minutes", "H": "hours", "D": "days"})
KINDS = gettext_noop({
    "per_phase": "for each phase", "per_move": "for each player in turn", "schedule": "until a time of day",
})  # fmt: skip
MOST_DIGITS = 4
# What to write in a field whose value was refused.
_IN_WORDS = gettext_noop({
    **dict.fromkeys(("mr_x", "detectives"), gettext_noop("The time for a turn is from {shortest} to {longest} days.")),
    "grace": "The grace is at most {grace} hours.",
    "provisional": "A result can be undone for at most {provisional} hours.",
    "days_off": "Leave at least one day of the week on which time passes.",
    "at": "Choose the time of day until which the players have.",
})  # fmt: skip
_HOUR = timedelta(hours=1)


def whole(name: str, zone: str) -> Clock:
    """Return one of `CHOICES` with all its values, in a zone."""
    choice = CHOICES[name]
    return with_defaults({**KINDS_OF_CLOCKS[choice["kind"]], "zone": zone, **choice})


def chosen(given: Mapping[str, str], zone: str) -> Clock:
    """Return the clock that the form with these fields describes, in the host's zone.

    Raises:
        Problem: `form` where it makes no sense.
    """
    name = given.get("clock") or "two_days"
    if name == OWN:
        wanted = _own(given)
    elif name in CHOICES:
        wanted = {**CHOICES[name]}
    else:
        raise refusal("form", "Choose one of the clocks.")
    if wanted["kind"] != "none":
        wanted |= {"zone": zone, "days_off": [day for day in WEEKDAYS if given.get(f"off_{day}")]}
        if given.get("grace"):
            wanted["grace"] = f"PT{_number(given['grace'])}H"
        if given.get("undo"):
            wanted["provisional"] = f"PT{_number(given['undo'])}H"
        if given.get("cover"):
            wanted["cover"] = True
        wanted |= {name: given[name] for name in LATE if given.get(name)}
    shortest = runtime().settings.min_turn
    try:
        return check_clock(wanted, shortest)
    except Problem as problem:  # its sentence is for programs
        form = _IN_WORDS.get(problem.field.removeprefix("clock."))
        raise Problem("form", _filled(form, shortest) if form else problem.sentence) from None


def _filled(form: str, shortest: timedelta) -> str:
    return gettext(
        form, shortest=say_duration(shortest), longest=LONGEST.days, grace=LONGEST_GRACE // _HOUR,
        provisional=LONGEST_PROVISIONAL // _HOUR,
    )  # fmt: skip


def _own(given: Mapping[str, str]) -> dict[str, object]:
    kind = given.get("kind", "")
    if kind not in KINDS:
        raise refusal("form", "Choose for whom the time of the clock is.")
    if kind == "schedule":
        return {"kind": kind, "at": given.get("at", "")[:5]}
    return {"kind": kind, "mr_x": _length(given, "mr_x"), "detectives": _length(given, "detectives")}


def _length(given: Mapping[str, str], name: str) -> str:
    number, unit = _number(given.get(name, "")), given.get(f"{name}_unit")
    return f"PT{number}{unit}" if unit in ("M", "H") else f"P{number}D"


def _number(text: str) -> int:
    number = forms.number(text, MOST_DIGITS)
    if number is None:
        raise refusal("form", "Write a whole number of minutes, hours or days.")
    return number
