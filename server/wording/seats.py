"""Seats in words."""

from server import bots
from server.house_rules import guest_rules
from server.house_rules.dealing import WAYS
from server.house_rules.standing import Seat, Standing
from server.vocabulary.translation import gettext, gettext_noop, pgettext, pgettext_noop
from server.vocabulary.words import number, pawn_names

# How seats are given when the game starts, in a sentence.
SEATING = gettext_noop({
    "chosen": "Everybody plays the seat they take.",
    "lot": "The seats are drawn when the game starts.",
    "rotation": "The player who has waited longest to be Mr. X is Mr. X.",
})  # fmt: skip
assert set(SEATING) == set(WAYS)
# The seats that people without an address may take, by the value of the rule.
FOR_GUESTS = gettext_noop(
    {"none": "no seat", "detectives": "any seat, but not as Mr. X", "any": "any seat, as Mr. X too"}
)
assert set(FOR_GUESTS) == set(guest_rules.SEATS)
GUESTS_AS_MR_X = gettext_noop("A guest becomes Mr. X only if nobody with a mail address plays.")


def seating_in_words(game: Standing) -> str:
    """Return how the seats of a game are given at its start; empty where everybody plays the seat they take."""
    if game.seating == "chosen":
        return ""
    is_kept_from_guests = guest_rules.rules_of(game).seats == "detectives"
    words = gettext(SEATING[game.seating])
    return f"{words} {gettext(GUESTS_AS_MR_X)}" if is_kept_from_guests else words


def seat_label(seat: Seat | None) -> str:
    """Return `Red and Green`, or `Player two` before the pawns are drawn, or `Host` for no seat."""
    if seat is None:
        return pgettext("seat", "Host")
    if seat.is_to_be_drawn:
        counted = pgettext("number of a player", "one") if seat.number == 1 else number(seat.number)
        return gettext("Player {number}", number=counted)
    return pawn_names(seat.pawns)


def bots_in_words(role: str) -> list[tuple[str, str]]:
    """Return the bots that can play a role: each as `opening.read_guest` reads it, and in words without `a bot`."""
    return [(f"{bot} {level}", _bot(bot, level)) for bot in bots.names(role) for level in bots.LEVELS]


def bot_name(bot: str, level: str | None) -> str:
    """Return `a bot, the … (…)` with the name and the level of a bot."""
    return gettext("a bot, {name}", name=_bot(bot, level or bots.USUAL))


def _bot(bot: str, level: str) -> str:
    return gettext(_BOTS[bot], level=pgettext("bot", _LEVELS[level]))


_BOTS = gettext_noop({"constable": "the constable ({level})", "fugitive": "the fugitive ({level})"})
_LEVELS = pgettext_noop("bot", {"easy": "easy", "fair": "fair", "good": "good"})
