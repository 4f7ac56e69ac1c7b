"""The kinds of votes, a row for each.

What is done when one is carried is the function of its name in `CARRY_OUT` of `server.house_rules.votes`.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import TypedDict

from server.vocabulary.clocks import Clock
from server.vocabulary.durations import format_duration
from server.vocabulary.translation import gettext_noop

NO_DEADLINE = gettext_noop("There is no deadline now that could be extended.")


class VoteWish(TypedDict, total=False):
    """The details of a vote: those that its kind takes, who gets more time, the round that Mr. X is late in."""

    length: str
    clock: Clock
    side: str | None
    round: int | None


@dataclass(frozen=True)
class VoteKind:
    """A kind of vote: a row of the table. Its sentences are translated where they are shown.

    words: what it is about, to stand after "to"; with `{length}`, and `{side}` for who gets more time
    takes: the details that a proposal may have, of `length` and `clock`
    longest: the longest `length`
    has_usual_length: a proposal without a length is for the longest
    most: how many may be carried in one game; None for any number
    needs_all: all who are not away must be for it, not only more than half of them
    is_about_deadline: it is about the deadlines that run, needs one, and expires with them
    in_pause: it is possible only while the game is paused, or only while it is not; None for both
    misfit: the refusal of a proposal that is not possible now
    noun, title, usual_days, at_most, button: how the page of a game names it; the first in the sentence on majorities,
        the others in its form
    """

    name: str
    words: str
    takes: tuple[str, ...] = ()
    longest: timedelta = timedelta(0)
    has_usual_length: bool = False
    most: int | None = None
    needs_all: bool = False
    is_about_deadline: bool = False
    in_pause: bool | None = None
    misfit: str = ""
    noun: str = ""
    title: str = ""
    usual_days: int = 0
    at_most: str = ""
    button: str = ""

    @property
    def usual(self) -> VoteWish:
        """Return the details of a proposal that has none."""
        return {"length": format_duration(self.longest)} if self.has_usual_length else {}

    def is_possible(self, *, paused: bool, has_deadline: bool) -> bool:
        """Return whether it can be proposed as things stand in a game."""
        return self.in_pause in (None, paused) and (has_deadline or not self.is_about_deadline)


# What players may propose. The server itself asks the detectives about a late Mr. X, see `CLAIM`.
PROPOSALS = (
    VoteKind(
        "pause", "pause the game for at most {length}", ("length",), timedelta(days=14), has_usual_length=True, most=3,
        in_pause=False, misfit="The game is paused already.",
        noun="a pause", title="A pause", usual_days=7, at_most="at most two weeks", button="Ask for a pause",
    ),
    VoteKind(
        "resume", "go on with the game that is paused",
        in_pause=True, misfit="The game is not paused, so there is nothing to resume.",
        button="Ask to go on now",
    ),
    VoteKind(
        "extend", "give {side} {length} more", ("length",), timedelta(days=7), most=5,
        is_about_deadline=True, misfit=NO_DEADLINE,
        noun="more time", title="More time for this deadline", usual_days=2, at_most="at most a week",
        button="Ask for more time",
    ),
    VoteKind(
        "clock", "play by another clock from now on", ("clock",), needs_all=True,
        noun="another clock", title="Another clock from now on", button="Ask for this clock",
    ),
)  # fmt: skip
CLAIM = VoteKind("claim", "claim the game")
BY_NAME = {kind.name: kind for kind in (*PROPOSALS, CLAIM)}
PROPOSED = [kind.name for kind in PROPOSALS]
ABOUT_DEADLINES = [kind.name for kind in PROPOSALS if kind.is_about_deadline]
