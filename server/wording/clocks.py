"""The clocks that forms offer, in a few words, and what becomes of a late Mr. X."""

from server.clock import with_defaults
from server.vocabulary.clocks import Clock
from server.vocabulary.translation import gettext, gettext_noop

# The same time for Mr. X's phase and for that of the detectives, by its length.
PER_PHASE = gettext_noop({
    "P1D": "A day for each phase", "P2D": "Two days for each phase", "P4D": "Four days for each phase",
    "P7D": "A week for each phase",
})  # fmt: skip
PER_MOVE = gettext_noop("Each detective in turn")
SCHEDULE = gettext_noop("Every evening")
BANK = gettext_noop("A supply of days")
NONE = gettext_noop("No deadlines")


def mr_x_late(clock: Clock) -> str:
    """Return what happens when Mr. X is late a second time; "" without deadlines."""
    if clock["kind"] == "none":
        return ""
    if with_defaults(clock)["mr_x_late"] == "vote":
        return gettext("If Mr. X is late twice, the detectives vote whether to wait.")
    return gettext("If Mr. X is late twice, he has lost.")


def last_chance(clock: Clock, *, is_reader: bool) -> str:
    """Return what follows if Mr. X, who was late once, is late again; `is_reader`: he reads it."""
    then = gettext(_LATE[with_defaults(clock)["mr_x_late"]])
    if is_reader:
        return gettext("Your time ran out once. If you let it pass again, {then}.", then=then)
    return gettext("Mr. X let his time pass once. If he does it again, {then}.", then=then)


_LATE = gettext_noop({
    "forfeit": "the game is over and the detectives have won",
    "vote": "the detectives are asked whether they wait",
})  # fmt: skip
