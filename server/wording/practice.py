"""Purposes of the moves of bots, and hints, as sentences.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from server.application.game.practice import Hint
from server.bots.purpose import Purpose
from server.vocabulary.words import counted, join, number, percent

MOST_NAMED = 5  # stations of a hint


def why(purpose: Purpose) -> str:
    """Return the purpose of a move, such as `It closes three of four ways out of 142, where Mr. X was last seen.`"""
    chance, stations = percent(purpose.chance), counted(purpose.number, "one station", "{n} stations")
    at, ways = purpose.station, counted(purpose.ways, "one way", "{n} ways")
    where = f"{at}, where Mr. X was last seen" if purpose.was_seen else f"{at}, where Mr. X may be ({chance})"
    looks = "It looks for Mr. X where he was last seen."
    closed = number(purpose.number)
    closes = f"It closes {closed} of {ways} out of {where}."
    sentences = {
        "only": "It had no other move.",
        "catch": looks if purpose.was_seen else f"It looks for Mr. X there ({chance}).",
        "close": f"It closes {closed} more of {ways} out of {where}." if purpose.others_close else closes,
        "near": f"It goes for {where}, and is {counted(purpose.number, 'one move', '{n} moves')} away.",
        "cover": f"It can go on to {stations} where Mr. X may be ({chance} in all).",
        "room": f"It keeps many ways open: {stations} within two moves.",
    }
    return sentences[purpose.kind]


def likeliest(hint: Hint) -> str:
    """Return `Most likely 128 (41 %), 142 (12 %) and 67 (9 %).`, or that nothing tells the stations apart."""
    chances = [each["chance"] for each in hint["stations"]]
    if chances[0] == chances[-1] and len(chances) > 1:
        stations = counted(len(chances), "one station", "{n} stations")
        return f"Mr. X is as likely on each of {stations} ({percent(chances[0])})."
    named = [f"{each['station']} ({percent(each['chance'])})" for each in hint["stations"][:MOST_NAMED]]
    return f"Most likely {join(named)}."
