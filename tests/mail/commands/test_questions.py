"""Questions by mail: each has a reply address of its own, and a YES at another address is told what is open."""

from inspect import isabstract
from typing import Any

import pytest

from server.mail.commands.reply import Question
from tests.mail.commands.test_dispatch import answer, at_play, history
from tests.scenes import hunt, mail_only_to, pairs
from tests.table import Person, Playing, Table, again

ELSEWHERE = "You were asked this in another mail than the one that you have answered with {}, so that did nothing."


@pytest.fixture
def hunted(table: Table) -> Playing:
    return again(table, _hunted)


def _hunted(table: Table) -> Playing:
    game = hunt(table)
    mail_only_to(table, "Ben", "Cleo")
    return game


def address(mail: Any) -> str:
    """The address at which a mail is answered."""
    return str(mail["Reply-To"].addresses[0].addr_spec)


def test_each_kind_of_question_has_its_words_and_its_answers():
    kinds = {name for name, kind in Question.kinds.items() if not isabstract(kind)}
    assert kinds == {
        "AgreeToDraw", "AgreeToOffer", "ChooseMove", "ConfirmSender", "DoCommand", "GoPublic", "HeldMoves", "MakeMoves",
        "Resign", "TakeSeat", "Vote",
    }  # fmt: skip


# What asks, a part of the question, and what a YES does.
ASKING = [
    ("RESIGN", "Do you want to give the game up?", "You have given the game up."),
    ("I think I take bus 102 please", 'did you mean "purple bus 102"?', 'Understood and played: "purple bus 102".'),
    ("bus 102\nignore that", 'did you mean "purple bus 102"?', 'Understood and played: "purple bus 102".'),
    ("bus 102\nbus 65", 'I read "purple bus 102", and further down "purple bus 65".', "YES does not tell which"),
    ("EXTEND 2 days", "Your YES to the vote to give the detectives 2 days more stands.", "You have voted to give"),
]


@pytest.mark.parametrize(("asks", "question", "done"), ASKING)
@pytest.mark.parametrize("word", ["YES", "NO"])
def test_a_yes_or_no_to_another_mail_is_told_the_whole_question_and_answers_nothing(
    hunted: Playing, asks: str, question: str, done: str, word: str
):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    answer(ben, asks, to=turn)
    asked = ben.mails[-1]
    assert address(asked) != address(turn)
    said = answer(ben, word, to=turn)
    assert question in said
    assert (ELSEWHERE.format(word) in said) == ("vote" not in question)
    assert history(hunted) == ["black ?"]
    to = asked if "vote" in question else ben.mails[-1]
    assert done in answer(ben, "YES", to=to)


def test_the_mail_that_asked_first_still_takes_the_answer_after_it_was_asked_again(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    answer(ben, "I think I take bus 102 please", to=turn)
    asked = ben.mails[-1]
    answer(ben, "YES", to=turn)
    again_asked = ben.mails[-1]
    assert 'Understood and played: "purple bus 102".' in answer(ben, "YES", to=asked)
    assert "There is no open question" in answer(ben, "YES", to=again_asked), "it is answered wherever it was asked"


@pytest.mark.parametrize("text", ["taxi 115", "STATUS", "SAY ALL hello", "LOG"])
def test_moves_and_commands_count_at_the_address_of_a_question(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "I think I take bus 102 please")
    assert "nothing was done" not in answer(ben, text).lower()
    assert history(hunted) == (["black ?", "purple taxi 115"] if text == "taxi 115" else ["black ?"])


def test_a_move_answers_the_question_about_another_wherever_that_was_asked(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    answer(ben, "I think I take bus 102 please", to=turn)
    asked = ben.mails[-1]
    answer(ben, "taxi 115", to=turn)
    assert "There is no open question" in answer(ben, "YES", to=asked)
    assert history(hunted) == ["black ?", "purple taxi 115"]


def test_of_two_questions_about_moves_the_newer_takes_the_place_of_the_older(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    answer(ben, "I think I take bus 102 please", to=turn)
    asked = ben.mails[-1]
    said = answer(ben, "I think I take taxi 115 please", to=turn)
    assert 'This takes the place of the question about "purple bus 102"' in said
    said = answer(ben, "YES", to=asked)
    assert ELSEWHERE.format("YES") in said
    assert 'did you mean "purple taxi 115"?' in said
    assert history(hunted) == ["black ?"]


def test_a_refusal_at_the_address_of_a_question_can_be_answered_with_yes(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "I think I take bus 102 please")
    assert "Send the answer and the move in two mails." in answer(ben, "YES\ntaxi 115")
    assert 'Understood and played: "purple bus 102".' in answer(ben, "YES")


def test_a_question_about_an_unknown_sender_is_told_whole_as_well(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    ben.reply("bus 102", sender="ben@phone.example")
    hunted.table.tick()
    asked = ben.mails[-1]
    said = answer(ben, "YES", to=turn)
    assert ELSEWHERE.format("YES") in said
    assert 'Was it you, from "ben@phone.example"?' in said
    assert 'It says "bus 102".' in said
    assert history(hunted) == ["black ?"]
    assert "You can now play from" in answer(ben, "YES", to=asked)
    assert history(hunted) == ["black ?", "purple bus 102"]


def test_whether_others_may_see_a_new_game_is_told_whole_as_well(table: Table):
    ada, cleo = table.person("Ada"), table.person("Cleo")
    ((_, opened),) = at_play(ada, "NEW condensed 3 with cleo@example.org")
    number, before = len(ada.mails), len(cleo.mails)
    said = answer(ada, "STATUS", to=opened)
    status = ada.mails[-1]
    assert number + 1 == len(ada.mails)
    said = answer(ada, "YES", to=status)
    assert ELSEWHERE.format("YES") in said
    assert 'nobody is invited yet: YES invites "cleo@example.org"' in said
    assert len(cleo.mails) == before
    assert 'Invited: "cleo@example.org".' in answer(ada, "YES")
    assert len(cleo.mails) == before + 1


def test_one_yes_is_enough_where_one_seat_is_kept(hunted: Playing, table: Table):
    ben = hunted.people[1]
    seats = [{"role": "mr_x"}, {"role": "detective", "player": ben.id}]
    made = table.person("Gil").post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    table.tick()
    person: Person = ben
    assert "You have taken the seat" in answer(person, "YES")
    assert ben.get(f"/games/{made}").json["you"]["seat"] == 2


@pytest.mark.parametrize("text", ["RESIGN\nEXTEND 2 days", "EXTEND 2 days\nRESIGN"])
def test_a_yes_answers_what_the_mail_asks_and_not_the_vote_that_it_tells_of(hunted: Playing, text: str):
    ben = hunted.people[1]
    said = answer(ben, text)
    assert "Do you want to give the game up?" in said
    assert "You have voted to give the detectives 2 days more." in said
    assert "You have given the game up." in answer(ben, "YES")


def test_of_two_votes_in_one_mail_none_is_answered_by_it(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "EXTEND 2 days\nPAUSE 3 days")
    assert "stands" in answer(ben, "NO")


def test_a_move_that_waits_is_asked_about_alone(table: Table):
    game = pairs(table)
    ben = game.people[1]
    answer(ben, "SET hold always")
    said = answer(ben, "purple taxi 15\nrde taxi 41")
    assert 'Understood: "purple taxi 15". I play it' in said
    assert "Answer with the word YES" not in said
    assert 'Understood and played: "purple taxi 15".' in answer(ben, "YES")


@pytest.mark.parametrize("text", ["YES\nRESIGN", "RESIGN\nNO"])
def test_a_mail_that_would_be_asked_two_things_is_refused(hunted: Playing, text: str):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    answer(ben, "I think I take bus 102 please", to=turn)
    assert "You would be asked two things" in answer(ben, text, to=turn)
