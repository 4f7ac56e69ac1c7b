"""Purposes of the moves of bots, and hints, as sentences.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Mapping

from server.application.game.practice import Hint
from server.bots.purpose import Purpose
from server.vocabulary.translation import gettext, ngettext, npgettext
from server.vocabulary.words import counted, join, number, percent

MOST_NAMED = 5  # stations of a hint


def why(purpose: Purpose) -> str:
    """Return the purpose of a move, such as `It closes three of four ways out of 142, where Mr. X was last seen.`"""
    n, is_seen = purpose.number, purpose.was_seen
    values = {"station": purpose.station, "chance": percent(purpose.chance), "n": number(n)}
    match purpose.kind:
        case "only":
            told = gettext("It had no other move.")
        case "catch" if is_seen:
            told = gettext("It looks for Mr. X where he was last seen.")
        case "catch":
            told = gettext("It looks for Mr. X there ({chance}).", **values)
        case "close":
            told = _closes(purpose, values)
        case "near" if is_seen:
            told = ngettext(
                "It goes for {station}, where Mr. X was last seen, and is one move away.",
                "It goes for {station}, where Mr. X was last seen, and is {n} moves away.",
                n,
                **values,
            )
        case "near":
            told = ngettext(
                "It goes for {station}, where Mr. X may be ({chance}), and is one move away.",
                "It goes for {station}, where Mr. X may be ({chance}), and is {n} moves away.",
                n,
                **values,
            )
        case "cover":
            told = ngettext(
                "It can go on to one station where Mr. X may be ({chance} in all).",
                "It can go on to {n} stations where Mr. X may be ({chance} in all).",
                n,
                **values,
            )
        case _:
            told = ngettext(
                "It keeps many ways open: one station within two moves.",
                "It keeps many ways open: {n} stations within two moves.",
                n,
                **values,
            )
    return told


def _closes(purpose: Purpose, values: Mapping[str, object]) -> str:
    closed = npgettext("closes", "one", "{n}", purpose.number, n=values["n"])
    values = {**values, "closed": closed, "ways": counted(purpose.ways, "one way", "{n} ways")}
    if purpose.was_seen and purpose.others_close:
        return gettext("It closes {closed} more of {ways} out of {station}, where Mr. X was last seen.", **values)
    if purpose.was_seen:
        return gettext("It closes {closed} of {ways} out of {station}, where Mr. X was last seen.", **values)
    if purpose.others_close:
        return gettext("It closes {closed} more of {ways} out of {station}, where Mr. X may be ({chance}).", **values)
    return gettext("It closes {closed} of {ways} out of {station}, where Mr. X may be ({chance}).", **values)


def likeliest(hint: Hint) -> str:
    """Return `Most likely 128 (41 %), 142 (12 %) and 67 (9 %).`, or that nothing tells the stations apart."""
    chances = [each["chance"] for each in hint["stations"]]
    if chances[0] == chances[-1] and len(chances) > 1:
        return gettext(
            "Mr. X is as likely on each of {n} stations ({chance}).", n=number(len(chances)), chance=percent(chances[0])
        )
    named = [f"{each['station']} ({percent(each['chance'])})" for each in hint["stations"][:MOST_NAMED]]
    return ngettext("Most likely {stations}.", "Most likely {stations}.", len(named), stations=join(named))
