"""The options of an edition for the people who choose: what each is about, and what its values mean."""

from collections.abc import Mapping
from typing import NamedTuple

from server.engine import Edition
from server.vocabulary.translation import gettext, gettext_noop
from server.vocabulary.words import number


class About(NamedTuple):
    """An option in a sentence, with the meaning of each of its values where they are few, both in English."""

    sentence: str
    values: Mapping[str | bool, str] = {}


_YES_NO: Mapping[str | bool, str] = gettext_noop({True: "yes", False: "no"})
ABOUT: Mapping[str, About] = {
    "board": About("The map that is played on."),
    "players": About("How few and how many people can play, Mr. X included."),
    "pawns": About("How the detectives' pawns are shared out among the players."),
    "detective_tickets": About("How many tickets of each kind every detective begins with."),
    "mr_x_tickets": About("How many tickets of each kind, and double moves, Mr. X begins with."),
    "black": About("How many black tickets Mr. X has; they fit every line and hide which one he took."),
    "mr_x_supply": About(
        "Whether Mr. X counts his tickets.",
        {"counted": "he has the tickets he begins with, and gets those that the detectives spend",
         "unlimited": "he has as many as he needs"},
    ),
    "surfacing": About("On which moves of the travel log Mr. X has to show his station."),
    "log_windows": About("How many moves the travel log has room for."),
    "max_rounds": About("After how many rounds Mr. X has won."),
    "full_log_wins": About(
        "Whether Mr. X wins with a full travel log.",
        {"after_reply": "yes, when the detectives have moved once more", "at_once": "yes, at once",
         "no": "no, he cannot move then"},
    ),
    "turn_order": About(
        "In which order the detectives move.",
        {"seats": "player by player, each with all their pawns", "fixed": "always in the same order of colours",
         "any": "in the order they like"},
    ),
    "start_cards": About("The stations from which the starts are drawn."),
    "blocked": About(
        "What becomes of a detective whose next stops are all taken.",
        {"retry": "they miss this round only", "out": "they stay where they are to the end"},
    ),
    "voluntary_surfacing": About(
        "Whether Mr. X may show himself of his own will, and takes a ticket from each detective for it.", _YES_NO
    ),
    "cut_off": About("Whether detectives cut off bus and underground lines that pass under them.", _YES_NO),
    "mr_x_onto_detective": About(
        "What happens when Mr. X would move onto a detective.",
        {"forbidden": "he cannot", "loses": "he can, and has lost"},
    ),
    "both_stuck": About(
        "Who wins when neither side can move any more.",
        {"mr_x": "Mr. X", "draw": "nobody: it is a draw", "detectives": "the detectives"},
    ),
    "team_talk": About(
        "Whether Mr. X reads what the detectives write to each other.",
        {"private": "no", "open": "yes"},
    ),
    "deduction": About("Whether the server lists the stations on which Mr. X can be.", _YES_NO),
}  # fmt: skip
_HELD = gettext_noop({"taxi": "{n} taxi", "bus": "{n} bus", "underground": "{n} underground", "double": "{n} double"})


def value_in_words(edition: Edition, option: str) -> str:
    """Return the value that an edition has for an option, in words."""
    value, about = edition.option(option), ABOUT[option]
    if isinstance(value, str | bool) and value in about.values:
        return gettext(about.values[value])
    if value is None:
        return gettext("no limit")
    if value == "per_pawn":
        return gettext("one for each detective")
    if isinstance(value, dict):
        some = {kind: number(None) if held is None else held for kind, held in value.items()}
        return ", ".join(gettext(_HELD[kind], n=n) for kind, n in some.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
