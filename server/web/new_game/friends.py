"""The short form on the first page: a game with friends, which takes no address."""

from datetime import timedelta
from typing import NamedTuple

from server.application.lobby import opening
from server.application.people import admission
from server.engine import USUAL
from server.house_rules.standing import Sight
from server.models import Player
from server.runtime import runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.web import forms

NUMBERS = range(2, 7)
USUAL_NUMBER = 4
EVENING = timedelta(minutes=10)  # for a phase of an evening together


class Pace(NamedTuple):
    """A pace of the form: its words, and the clock."""

    words: str
    clock: dict[str, object]


_PACES = {
    "evening": Pace(
        gettext_noop("this evening"),
        {"kind": "per_phase", "mr_x": "PT10M", "detectives": "PT10M", "provisional": "PT1H", "open_after": 1},
    ),
    "days": Pace(gettext_noop("over days"), {"kind": "per_phase", "mr_x": "P1D", "detectives": "P1D", "open_after": 2}),
}


def paces() -> dict[str, Pace]:
    """Return the paces by their names, but none whose time is shorter than turns may be on this server."""
    is_too_short = runtime().settings.min_turn > EVENING
    return {name: pace for name, pace in _PACES.items() if name != "evening" or not is_too_short}


def may_open(player: Player | None) -> bool:
    """Return True if the visitor may open a game; somebody without an address where everybody may come in."""
    return admission.lets_guests_host() if player is None or player.is_guest else True


def check_may_open(player: Player | None) -> None:
    """Raise `Problem` not-admitted unless the visitor may open a game."""
    if not may_open(player):
        raise refusal("not-admitted", "On this server a game is opened by players with an address: sign in.")


def open_game(host: Player) -> Sight:
    """Open the private game that the form describes, in which the host sits, and which starts when it is full.

    Raises:
        Problem: `form` for a choice that there is not; as of `opening.open_game`.
    """
    number, pace = forms.number(forms.text("people"), 1), paces().get(forms.text("pace"))
    if number is None or number not in NUMBERS:
        sentence = gettext("Choose how many you are, {fewest} to {most}.", fewest=NUMBERS[0], most=NUMBERS[-1])
        raise Problem("form", sentence, field="people")
    if pace is None:
        raise refusal("form", "Choose when you play.", field="pace")
    own, others = {"role": "detective", "player": host.id}, [{"role": "detective"}] * (number - 2)
    return opening.open_game(
        host,
        USUAL if number > 2 else "condensed",  # which two can play
        seats=[{"role": "mr_x"}, own, *others],
        clock={**pace.clock, "zone": host.zone},
        seating="lot",
        guests={"seats": "any"},
        starts_when_full=True,
    )
