"""Friendly words ask for nothing, as long as they are all that a mail says."""

import pytest

from server.language.talk import Courtesy, courtesy_in


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!", "thanks, that was fun!", "Thank you for the reminder.", "Well played everybody", "Good luck all",
        "Great game, thanks\n\nBob", "Danke, das war ein schöner Zug!", "Vielen Dank euch allen", "Merci beaucoup !",
        "¡Muchas gracias!", "Dank je wel!", "👍", "Cheers,\nVera", "Thanks for the game so far!",
    ],
)  # fmt: skip
def test_thanks_and_praise_are_known(text: str):
    assert courtesy_in(text.split("\n")) is Courtesy.THANKS


@pytest.mark.parametrize(
    "text", ["Hello everybody!", "Hi Ben,", "Guten Abend", "Good morning", "Bonjour à tous,\n\nAnne"]
)
def test_a_greeting_alone_is_one(text: str):
    assert courtesy_in(text.split("\n")) is Courtesy.GREETING


@pytest.mark.parametrize(
    "text",
    [
        "", "Thanks, but I meant 58", "not good", "I don't know", "Nice! What now?", "Thanks\ntaxi 46",
        "I resign, thanks",
        "Hello, is anybody there", "good move red", "ok", "Bob", "❌", "???", "...", "Thanks, stop it",
        "thanks " * 100,
    ],
)  # fmt: skip
def test_whatever_says_more_is_none(text: str):
    assert courtesy_in(text.split("\n")) is None
