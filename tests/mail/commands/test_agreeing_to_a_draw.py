"""A draw by mail in people's own words: a yes with friendly words ends the game, and nothing that is no clear yes."""

import pytest

from tests.mail.commands.test_dispatch import answer
from tests.mail.commands.test_retracted_answers import hunted, is_playing
from tests.table import Person, Playing

__all__ = ["hunted"]  # a fixture
FRIENDLY = (
    "Yes! Thanks for the game, all of you.\nFinn",
    "yes, thanks for the game!\nFinn",
    "Yes. Great game, it was fun, see you!\n\nBest regards,\nFinn",
    "Hi all,\n\nYes, thank you Ada and Ben, good game",
    "Ja, danke für das schöne Spiel, euch allen!\nFinn",
    "Oui, merci pour la partie, c'était super !",
    "Sí, gracias a todos por la partida",
    "Ja! Bedankt voor het spel allemaal",
    "Sì, grazie a tutti per la bella partita!",
)
UNCLEAR = (
    "Yes, I hope so",
    "Yes, we could end it here, the cat is hungry\nFinn",
    "yes thanks, but only if Ben agrees",
    "Yes, great game, shall we go on?",
    "No idea, ask Ada",
    "Ja. Vorsicht",
    "Yes! Thanks for the game.\nI want to go on, though",
)
AGREEING = (
    "A draw is fine with me.", "I agree to the draw.", "I accept the draw, thanks!", "Let's call it a draw.",
    "Ich bin mit dem Unentschieden einverstanden", "J'accepte le match nul", "Acepto el empate",
    "Ik ga akkoord met remise", "Accetto la patta",
)  # fmt: skip
DECLINING = (
    "A draw is not fine with me.", "is a draw fine with everybody?", "I agree to a draw only if Ben does",
    "I don't agree to the draw", "Ben says a draw is fine with me", "I never accept a draw",
    "Ich bin mit dem Unentschieden nicht einverstanden", "Je n'accepte pas le match nul", "No acepto el empate",
    "Ik ga niet akkoord met remise", "Non accetto la patta",
)  # fmt: skip


def asked_last(game: Playing) -> Person:
    """All others offer a draw; the last of them, who is to decide."""
    *others, last = game.people
    for person in others:
        person.post(f"{game.path}/draw")
    game.table.tick()
    return last


def status(game: Playing) -> str:
    found: str = game.view()["status"]
    return found


@pytest.mark.parametrize("text", FRIENDLY)
def test_friendly_words_behind_the_yes_do_no_harm(hunted: Playing, text: str):
    last = asked_last(hunted)
    assert "so it is for you to decide" in answer(last, "DRAW")
    last.reply(text)
    hunted.table.tick()
    assert status(hunted) == "over"


@pytest.mark.parametrize("text", UNCLEAR)
def test_a_yes_or_no_with_words_that_are_not_understood_is_asked_again_and_stays_open(hunted: Playing, text: str):
    last = asked_last(hunted)
    answer(last, "DRAW")
    said = answer(last, text)
    assert "withdrawn" not in said
    assert "so it is for you to decide" in said
    assert status(hunted) == "running"
    answer(last, "YES")
    assert status(hunted) == "over"


@pytest.mark.parametrize("text", AGREEING)
def test_who_agrees_in_a_sentence_is_asked_and_a_yes_ends_the_game(hunted: Playing, text: str):
    last = asked_last(hunted)
    said = answer(last, text)
    assert "so it is for you to decide" in said
    assert status(hunted) == "running"
    assert "withdrawn" not in answer(last, "I accept the draw.")
    last.reply("YES")
    hunted.table.tick()
    assert status(hunted) == "over"


def test_where_others_have_not_agreed_the_draw_is_offered_with_a_yes(hunted: Playing):
    ben = hunted.people[1]
    assert 'did you mean "DRAW"?' in answer(ben, "A draw is fine with me.")
    assert hunted.view()["draw"] == []
    answer(ben, "YES")
    assert hunted.view()["draw"] == [2]
    cleo = hunted.people[2]
    hunted.table.tick()
    assert "You agree to the draw that Ben (Purple) offered." in answer(cleo, "Fine by me, good game!")
    assert is_playing(hunted)


@pytest.mark.parametrize("text", DECLINING)
def test_words_that_do_not_clearly_agree_end_no_game(hunted: Playing, text: str):
    last = asked_last(hunted)
    answer(last, text)
    assert status(hunted) == "running"


@pytest.mark.parametrize("text", [*DECLINING, *AGREEING, "a draw, hmm", "ok", "Sounds good, thanks for the game!"])
def test_only_a_yes_answers_whether_the_game_ends(hunted: Playing, text: str):
    last = asked_last(hunted)
    answer(last, "DRAW")
    last.reply(text)
    hunted.table.tick()
    assert status(hunted) == "running"


def test_friendly_words_behind_the_yes_to_giving_up_do_no_harm(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    answer(ben, "Yes, I want to go home")
    assert is_playing(hunted)
    assert "You have given the game up" in answer(ben, "Yes. Thanks for the game, it was great fun!\nBen")


@pytest.mark.parametrize("text", ["Yes", "Ja!", "Yes! Thanks for the game, all of you.\nCleo"])
def test_a_yes_that_answers_nothing_else_while_a_draw_is_offered_is_asked_whether_it_agrees(hunted: Playing, text: str):
    last = asked_last(hunted)
    assert "so it is for you to decide" in answer(last, text)
    assert is_playing(hunted)
    answer(last, "YES")
    assert status(hunted) == "over"


@pytest.mark.parametrize("text", ["Yes, taxi 46"])
def test_what_is_no_plain_yes_to_an_offer_asks_nothing_about_it(hunted: Playing, text: str):
    last = asked_last(hunted)
    assert "so it is for you to decide" not in answer(last, text)
