"""An answer that the mail itself speaks against: nothing is done, one question comes back, and the first stays open."""

import pytest

from tests.conftest import Person, Playing, Table
from tests.mail.commands.test_dispatch import answer, history
from tests.scenes import hunt

RETRACTIONS = [
    "no wait, sorry, I meant the other one",
    "No wait, sorry, ignore that",
    "maybe",
    "if Blue agrees",
    "oder doch lieber nicht",
    "Moment, das war ein Versehen, bitte ignorieren",
    "non, attendez, je me suis trompé",
    "espera, me he equivocado",
    "wacht, toch maar niet",
    "❌",
]
HARMLESS = [
    "YES, thanks! See you tonight",
    "YES\n\nthanks! See you tonight",
    "Yes please, sounds fun!",
    "Yes please\nsounds fun!",
    "Hello all,\n\nYES\n\nGood luck everyone, and see you on Monday 23!\n\nBen",
    "Ja, gerne\n\nViele Grüße\nBen",
    "Oui\n\nBonne soirée à tous !",
]


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def is_playing(game: Playing) -> bool:
    return bool(game.view()["seats"][1]["player"] == game.people[1].id)


@pytest.mark.parametrize("words", RETRACTIONS)
def test_a_yes_to_a_move_is_not_obeyed_if_the_words_below_take_it_back(hunted: Playing, words: str):
    ben = hunted.people[1]
    answer(ben, "SET ask on")
    answer(ben, "taxi 115")
    said = answer(ben, f"YES\r\n\r\n{words}")
    assert f'I read "YES", and also "{words}". Nothing was done yet' in said
    assert history(hunted) == ["black ?"]
    assert 'Understood and played: "purple taxi 115".' in answer(ben, "YES")


@pytest.mark.parametrize("command", ["EXTEND 1 day", "PAUSE", "AWAY 24 Dec to 2 Jan", "WAIT"])
def test_who_asks_for_more_time_as_well_does_not_give_the_game_up(hunted: Playing, command: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert f'I read "YES", and also "{command}". Nothing was done yet' in answer(ben, f"YES\n{command}")
    assert is_playing(hunted)
    assert "You have given the game up" in answer(ben, "YES")


@pytest.mark.parametrize("words", ["I meant taxi 116", "taxi 116", "bus 102 looks nicer"])
def test_another_station_speaks_against_a_yes_and_the_move_itself_is_played(hunted: Playing, words: str):
    ben = hunted.people[1]
    answer(ben, "SET ask off")
    answer(ben, "I think I take the taxi to 115")
    assert f'I read "YES", and also "{words}".' in answer(ben, f"YES\n\nHello,\n\n{words}")
    assert history(hunted) == ["black ?"]
    assert 'played: "purple taxi 116".' in answer(ben, "taxi 116")


def test_words_above_the_yes_count_as_well(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    said = answer(ben, "I am not sure\n\nYES")
    assert 'I read "YES", and above it "I am not sure".' in said
    assert is_playing(hunted)


@pytest.mark.parametrize("words", RETRACTIONS)
def test_nobody_gives_up_by_a_yes_that_they_take_back(hunted: Playing, words: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert "Nothing was done yet" in answer(ben, f"YES\r\n\r\n{words}")
    assert "is that your answer?" in ben.mails[-1]["Subject"]
    assert is_playing(hunted)
    assert "given the game up" in answer(ben, "YES")


@pytest.mark.parametrize(
    "text", ["NO\nYES", "YES\nNO", "Nein\n\nJa", "YES\n\nHello!\n\nNO", "NO\nHello!\nYES", "YES\nCANCEL", "YES\nSTOP"]
)
def test_answers_that_contradict_each_other_do_nothing(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert "Nothing was done yet, and what you were asked is still open." in answer(ben, text)
    assert is_playing(hunted)
    assert "All right, nothing of that was done." in answer(ben, "NO")


@pytest.mark.parametrize(
    ("subject", "text"), [("NO", "YES"), ("Yes", "No"), ("Re: Nein", "Ja, gerne"), ("STOP", "YES")]
)
def test_an_answer_in_the_subject_contradicts_the_other_in_the_text(hunted: Playing, subject: str, text: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    said = answer(ben, text, Subject=subject)
    assert f'and in the subject "{subject.removeprefix("Re: ")}". Nothing was done yet' in said
    assert is_playing(hunted)
    assert "given the game up" in answer(ben, "YES", Subject="Yes")


@pytest.mark.parametrize("text", HARMLESS)
def test_friendly_words_around_a_yes_do_no_harm(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "SET ask on")
    answer(ben, "taxi 115")
    said = answer(ben, text)
    assert 'Understood and played: "purple taxi 115".' in said
    assert "Not done" not in said


def test_the_address_of_a_mail_is_not_added_by_a_yes_that_is_taken_back(hunted: Playing):
    ben = hunted.people[1]
    ben.reply("bus 102", sender="Ben <ben@phone.example>")
    hunted.table.tick()
    question = ben.mails[-1]
    assert "No, that was somebody else" in answer(ben, "YES\n\nNo, that was somebody else", to=question)
    assert history(hunted) == ["black ?"]
    assert '"purple bus 102"' in answer(ben, "YES", to=question)
    assert history(hunted) == ["black ?", "purple bus 102"]


@pytest.mark.parametrize("text", ["YES\n\nno wait, I am not sure", "NO\n\nsorry, I meant yes"])
def test_a_vote_is_not_cast_by_an_answer_that_is_taken_back(hunted: Playing, text: str):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    assert "Nothing was done yet" in answer(ben, text)
    (vote,) = ada.get(f"{hunted.path}/votes").json["votes"]
    assert (2 in vote["for"], 2 in vote["against"]) == (False, False)


@pytest.mark.parametrize(
    ("answered", "against"),
    [
        ("NO", "well, ok then yes"), ("Nein", "ach doch, ja"), ("NO", "oh well, yes then"),
        ("NO", "I said yes to Cleo"),
        ("No", "pensándolo bien, sí"), ("YES", "well, ok then no"), ("YES", "I told Ben no and so it is"),
        ("Ja", "ach, eher nein als das"),
    ],
)  # fmt: skip
def test_a_vote_is_not_cast_if_a_line_has_the_other_answer_in_it(hunted: Playing, answered: str, against: str):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    assert f'I read "{answered}", and also "{against}". Nothing was done yet' in answer(ben, f"{answered}\n\n{against}")
    (vote,) = ada.get(f"{hunted.path}/votes").json["votes"]
    assert (2 in vote["for"], 2 in vote["against"]) == (False, False)


@pytest.mark.parametrize("text", ["NO\n\nsorry, maybe next time", "Non\n\npas si tu es en retard", "NO\n\nsee you"])
def test_a_no_without_a_yes_beside_it_is_cast(hunted: Playing, text: str):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    assert "You have voted not to" in answer(ben, text)


@pytest.mark.parametrize("word", ["YES", "NO"])
@pytest.mark.parametrize("asks", ["RESIGN", "I think I take bus 102 please", "taxi 115\nor maybe bus 102"])
def test_an_answer_that_may_be_to_a_vote_or_to_a_question_is_to_neither(hunted: Playing, asks: str, word: str):
    """The question is asked in answer to the mail about the vote, so both have one address."""
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    about_vote = ben.mails[-1]
    answer(ben, asks, to=about_vote)
    assert f"{word} can be the answer to two questions" in answer(ben, word, to=about_vote)
    assert history(hunted) == ["black ?"]
    assert is_playing(hunted)
    (vote,) = ada.get(f"{hunted.path}/votes").json["votes"]
    assert (2 in vote["for"], 2 in vote["against"]) == (False, False)
    assert "You have voted" in answer(ben, word, to=about_vote)
    (vote,) = ada.get(f"{hunted.path}/votes").json["votes"]
    assert 2 in vote["for" if word == "YES" else "against"]
    assert is_playing(hunted)


@pytest.mark.parametrize("text", ["SAY ALL shall we go on?", "STATUS", "taxi 1", "EXTEND 1 day"])
def test_what_ends_the_game_is_not_asked_any_more_when_the_next_mail_does_not_answer(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert "whether you give the game up is withdrawn" in answer(ben, text)
    answer(ben, "YES")
    assert is_playing(hunted)
    answer(ben, "RESIGN")
    assert "withdrawn" not in answer(ben, "RESIGN")
    assert "You have given the game up." in answer(ben, "YES")


def vote_of(game: Playing, person: Person, about: Person) -> tuple[bool, bool]:
    """Return whether a player has voted for, and against, the one vote that is open."""
    (vote,) = person.get(f"{game.path}/votes").json["votes"]
    seat = game.people.index(about) + 1
    return seat in vote["for"], seat in vote["against"]


@pytest.mark.parametrize("word", ["YES", "NO"])
@pytest.mark.parametrize("is_asked_by_vote_mail", [True, False])
def test_an_answer_that_may_be_to_a_withdrawn_question_is_no_vote(
    hunted: Playing, word: str, is_asked_by_vote_mail: bool
):
    ada, ben = hunted.people[:2]
    turn = ben.mails[-1]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    to = ben.mails[-1] if is_asked_by_vote_mail else turn
    answer(ben, "RESIGN", to=to)
    assert "whether you give the game up is withdrawn" in answer(ben, "STATUS", to=to)
    said = answer(ben, word, to=to)
    assert (
        f"{word} can be the answer to two questions: to the vote, or to the one whether you give the game up." in said
    )
    assert vote_of(hunted, ada, ben) == (False, False)
    assert is_playing(hunted)
    assert "You have voted" in answer(ben, word, to=to)
    assert vote_of(hunted, ada, ben) == (word == "YES", word == "NO")


def test_the_mail_about_a_vote_takes_the_vote_though_a_question_was_withdrawn_at_another_address(hunted: Playing):
    ada, ben = hunted.people[:2]
    answer(ben, "RESIGN")
    answer(ben, "STATUS")
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    assert "You have voted" in answer(ben, "YES", to=ben.mails[-1])


def test_a_yes_to_an_older_mail_is_no_vote_while_a_question_at_the_votes_address_is_open(hunted: Playing):
    ada, ben = hunted.people[:2]
    turn = ben.mails[-1]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    answer(ben, "RESIGN", to=ben.mails[-1])
    assert "YES can be the answer to two questions" in answer(ben, "YES", to=turn)
    assert vote_of(hunted, ada, ben) == (False, False)
    assert is_playing(hunted)
    answer(ben, "YES", to=turn)
    assert vote_of(hunted, ada, ben) == (True, False)


def test_of_several_votes_the_one_is_meant_whose_mail_is_answered(hunted: Playing):
    ada, ben, cleo = hunted.people[:3]
    turn = ben.mails[-1]
    for person, length in ((ada, "P1D"), (cleo, "P2D")):
        assert person.post(f"{hunted.path}/votes", {"kind": "extend", "length": length}).status_code == 201
        hunted.table.tick()
    about_second = ben.mails[-1]
    said = answer(ben, "YES", to=turn)
    assert "Several votes are open: to give 1 day more for this deadline and to give 2 days more" in said
    assert "You have voted to give 2 days more" in answer(ben, "YES", to=about_second)


def test_a_pause_may_have_a_length(hunted: Playing):
    assert "You have voted to pause the game for at most 3 days" in answer(hunted.people[1], "PAUSE 3 days")
    assert "You have voted to pause the game for at most 5 days" in answer(hunted.people[3], "PAUSE five days")
    assert "You have voted to pause the game for at most 14 days" in answer(hunted.people[2], "Pause please")


@pytest.mark.parametrize("line", ["fine by me", "Can you make it two days?"])
def test_an_answer_that_is_no_vote_is_told_of_the_vote(hunted: Playing, line: str):
    answer(hunted.people[1], "PAUSE 3 days")
    hunted.table.tick()
    asked = "You are asked to vote whether to pause the game for at most 3 days: the word YES or NO, alone on a line"
    voter = hunted.people[2]
    assert asked in answer(voter, line)
    answer(voter, "NO")
    assert "asked to vote" not in answer(voter, "purple yellow blue")


def test_of_two_votes_an_answer_to_neither_is_told_of_none(hunted: Playing):
    answer(hunted.people[1], "PAUSE 3 days")
    answer(hunted.people[3], "PAUSE 5 days")
    hunted.table.tick()
    turn = next(mail for mail in hunted.people[2].mails if "vote" not in mail["Subject"])
    assert "asked to vote" not in answer(hunted.people[2], "fine by me", to=turn)


def test_who_proposed_a_vote_can_change_their_own(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "EXTEND 2 days")
    assert "You have voted not to give 2 days more" in answer(ben, "NO")


def test_a_vote_that_was_cast_stands_and_is_told_until_it_is_changed(hunted: Playing):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    asked = ben.mails[-1]
    assert "it is open until" in answer(ben, "NO", to=asked)
    stands = (
        "Your NO to the vote to give 1 day more for this deadline stands. To change it, answer the mail about the vote"
    )
    for word in ("NO", "YES"):
        assert f"{stands} with YES." in answer(ben, word)
    (vote,) = ada.get(f"{hunted.path}/votes").json["votes"]
    assert 2 in vote["against"]
    assert "You have voted to" in answer(ben, "YES", to=asked)


@pytest.mark.parametrize("subject", ["cancel that", "Re: forget it", "doch nicht", "NO", "RESIGN", "STOP", "abmelden"])
def test_a_move_is_asked_about_if_the_subject_speaks_against_it(hunted: Playing, subject: str):
    ben = hunted.people[1]
    said = answer(ben, "taxi 115", Subject=subject)
    own = subject.removeprefix("Re: ")
    assert f'I read "purple taxi 115", and in the subject "{own}". Nothing was done yet' in said
    assert history(hunted) == ["black ?"]
    assert is_playing(hunted)
    assert 'played: "purple taxi 115".' in answer(ben, "YES")


@pytest.mark.parametrize("subject", ["", "my move", "Zug", "(kein Betreff)", "AW: [No, wait] Round 1: Purple, yours"])
def test_a_move_below_an_ordinary_subject_is_played(hunted: Playing, subject: str):
    assert 'played: "purple taxi 115".' in answer(hunted.people[1], "taxi 115", Subject=subject)


@pytest.mark.parametrize(
    "words",
    [
        "when Cleo has moved",
        "once Dan is there",
        "sobald Cleo gezogen hat",
        "should Eve go south, wait for me",
        "Cleo, should I take 116?",
    ],
)
def test_a_condition_on_another_player_is_asked_about(hunted: Playing, words: str):
    assert f'and further down "{words}". Nothing was done yet' in answer(hunted.people[1], f"taxi 115\n\n{words}")
    assert history(hunted) == ["black ?"]


@pytest.mark.parametrize(
    "words",
    ["Good for you, Cleo!", "Eve is clever", "no need to answer, Dan", "well played Finn"],
)
def test_praise_of_another_player_is_not(hunted: Playing, words: str):
    assert 'played: "purple taxi 115".' in answer(hunted.people[1], f"taxi 115\n\n{words}")


def test_an_answer_is_asked_about_if_the_subject_takes_it_back(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert 'and in the subject "doch nicht". Nothing was done yet' in answer(ben, "YES", Subject="Re: doch nicht")
    assert is_playing(hunted)


def test_two_moves_after_the_end_are_told_that_the_game_is_over(hunted: Playing):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/resign")
    hunted.table.tick()
    for text in ("bus 102", "taxi 115\nbus 102"):
        said = answer(ben, text)
        assert "This game is over; there is nothing to move. Nothing was done." in said
        assert "Reply with the one you mean" not in said


def test_nobody_agrees_to_a_draw_by_a_yes_that_they_take_back(hunted: Playing):
    *others, last = hunted.people
    for person in others:
        person.post(f"{hunted.path}/draw")
    hunted.table.tick()
    answer(last, "DRAW")
    assert "Nothing was done yet" in answer(last, "YES\n\nattendez, je ne sais pas")
    assert hunted.view()["status"] == "running"


def test_a_no_beside_the_move_and_the_yes_to_it_is_asked_about(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "SET ask on")
    answer(ben, "taxi 115")
    assert "Nothing was done yet" in answer(ben, "taxi 115\nYES\nNO")
    assert history(hunted) == ["black ?"]


@pytest.mark.parametrize(
    "text", ["YES but not sure", "Ja, aber nicht ganz sicher\n\nBen", "Hello,\n\noui, mais peut-être pas"]
)
def test_a_doubt_on_the_line_of_the_yes_is_asked_about(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    said = answer(ben, text)
    assert "Nothing was done yet, and what you were asked is still open." in said
    assert is_playing(hunted)
    assert "You have given the game up." in answer(ben, "Yes. Ben")


@pytest.mark.parametrize(
    "text", ["Ja. Vorsicht", "I want to stay. Yes", "hello my friends, what a fog", "taxi forty-six"]
)
def test_a_mail_that_is_no_answer_withdraws_the_question_whether_to_resign(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert "is withdrawn" in answer(ben, text)
    answer(ben, "YES")
    assert is_playing(hunted)


def test_a_refusal_in_other_words_behind_a_no_is_a_no(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert "All right, nothing of that was done." in answer(ben, "NO, rather not")
    answer(ben, "YES")
    assert is_playing(hunted)
