"""Somebody without an account may say in their own sentences that they want to play."""

from server.language.willingness import wish_to_play
from tests.rows import for_each


@for_each(
    "text",
    [
        "Sounds fun! I'd like to play.",
        "let me play please",
        "Count me in! How do I start?",
        "Hi there,\nI'm in, how do I start?\nCheers\nJo",
        "Klingt gut! Ich bin dabei. Wie geht es los?",
        "Bonjour ! Je suis partant. Comment commencer ?",
        "¡Me apunto! ¿Cómo empiezo?",
        "Klinkt leuk! Ik doe mee.",
    ],
)
def test_a_plain_yes_in_sentences_is_a_wish_to_play(text: str):
    command = wish_to_play(text.split("\n"))
    assert command is not None
    assert command.name == "play"


@for_each(
    "text",
    [
        "",
        "Sounds fun!",
        "What is this?",
        "How do I start?",
        "I'd like to play. But not now.",
        "I'd like to play, but I have no time.",
        "I'd like to play. Does it cost anything?",
        "Count me out!",
        "I do not want to play.",
        "Ich bin dabei. Oder doch nicht.",
    ],
)
def test_other_words_beside_it_or_alone_are_none(text: str):
    assert wish_to_play(text.split("\n")) is None
