"""Purposes of the moves of bots, and hints, as sentences.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from server.application.game.practice import Hint
from server.bots.purpose import Purpose
from server.vocabulary.words import count, join, number

MOST_NAMED = 3  # stations of a hint in a sentence


def why(purpose: Purpose) -> str:
    """Return what a move was for, such as `It closes three of the four ways out of 142, where Mr. X was last seen.`"""
    chance = percent(purpose.chance)
    at = f"{purpose.station}, where Mr. X {'was last seen' if purpose.was_seen else f'may be ({chance})'}"
    stations = count(purpose.number, "station")
    sentences = {
        "only": "It had no other move.",
        "catch": f"It looks for Mr. X {'where he was last seen' if purpose.was_seen else f'there ({chance})'}.",
        "close": f"It closes {_ways(purpose)} {at}{_closed(purpose)}.",
        "hem": f"From {at}, he can reach {stations} in two moves before any detective.",
        "near": f"It goes for {at}, and is {count(purpose.number, 'move')} away.",
        "cover": f"It can go on to {stations} where Mr. X may be ({chance} in all).",
        "room": f"It keeps many ways open: {stations} within two moves.",
    }
    return sentences[purpose.kind]


def _ways(purpose: Purpose) -> str:
    if purpose.number == purpose.ways:
        return {1: "the only way out of", 2: "both ways out of"}.get(
            purpose.ways, f"all {number(purpose.ways)} ways out of"
        )
    more = "" if purpose.closed == purpose.number else " more"
    return f"{number(purpose.number)}{more} of the {number(purpose.ways)} ways out of"


def _closed(purpose: Purpose) -> str:
    if purpose.closed == purpose.number:
        return ""
    closed = "all" if purpose.closed == purpose.ways else number(purpose.closed)
    return f"; {closed} are closed then"


def percent(chance: float) -> str:
    """Return `41 %`, or `less than 1 %`."""
    return f"{100 * chance:.0f} %" if chance >= 0.005 else "less than 1 %"


def likeliest(hint: Hint, most: int = MOST_NAMED) -> str:
    """Return `Most likely 128 (41 %), 142 (12 %) and 67 (9 %).`"""
    named = [f"{each['station']} ({percent(each['chance'])})" for each in hint["stations"][:most]]
    return f"Most likely {join(named)}."
