"""Purposes of the moves of bots, and hints, as sentences.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from server.application.game.practice import Hint
from server.bots.purpose import Purpose
from server.vocabulary.translation import gettext, ngettext, npgettext
from server.vocabulary.words import counted, join, number, percent

MOST_NAMED = 5  # stations of a hint


def why(purpose: Purpose) -> str:
    """Return the purpose of a move, such as `It closes three of four ways out of 142, where Mr. X was last seen.`"""
    n, is_seen = purpose.number, purpose.was_seen
    values: dict[str, object] = {"station": purpose.station, "chance": percent(purpose.chance), "n": number(n)}
    where = gettext("{station}, where Mr. X may be ({chance})", **values)
    if is_seen:
        where = gettext("{station}, where Mr. X was last seen", **values)
    match purpose.kind:
        case "only":
            sentence = gettext("It had no other move.")
        case "catch" if is_seen:
            sentence = gettext("It looks for Mr. X where he was last seen.")
        case "catch":
            sentence = gettext("It looks for Mr. X there ({chance}).", **values)
        case "close":
            closed = npgettext("closes", "one", "{n}", n, n=values["n"])
            if purpose.others_close:
                closed = gettext("{closed} more", closed=closed)
            ways = counted(purpose.ways, "one way", "{n} ways")
            sentence = gettext("It closes {closed} of {ways} out of {where}.", closed=closed, ways=ways, where=where)
        case "near":
            sentence = ngettext(
                "It goes for {where}, and is one move away.", "It goes for {where}, and is {n} moves away.",
                n, where=where, n=values["n"],
            )  # fmt: skip
        case "cover":
            sentence = ngettext(
                "It can go on to one station where Mr. X may be ({chance} in all).",
                "It can go on to {n} stations where Mr. X may be ({chance} in all).", n, **values,
            )  # fmt: skip
        case _:
            sentence = ngettext(
                "It keeps many ways open: one station within two moves.",
                "It keeps many ways open: {n} stations within two moves.", n, **values,
            )  # fmt: skip
    return sentence


def likeliest(hint: Hint) -> str:
    """Return `Most likely 128 (41 %), 142 (12 %) and 67 (9 %).`, or that nothing tells the stations apart."""
    chances = [each["chance"] for each in hint["stations"]]
    if chances[0] == chances[-1] and len(chances) > 1:
        n, chance = number(len(chances)), percent(chances[0])
        return gettext("Mr. X is as likely on each of {n} stations ({chance}).", n=n, chance=chance)
    named = [f"{each['station']} ({percent(each['chance'])})" for each in hint["stations"][:MOST_NAMED]]
    return ngettext("Most likely {stations}.", "Most likely {stations}.", len(named), stations=join(named))
