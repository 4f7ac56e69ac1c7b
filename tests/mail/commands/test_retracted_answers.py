"""An answer that the mail itself speaks against: nothing is done, one question comes back, and the first stays open.

Which words speak against an answer is in `tests/language/test_retractions.py`, and which against a move in
`tests/language/test_doubts.py`.
"""

import pytest

from tests.kept import again
from tests.mail.commands.test_dispatch import answer, history
from tests.scenes import hunt, mail_only_to
from tests.table import Person, Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    return again(table, _hunted)


def _hunted(table: Table) -> Playing:
    """The hunt, of which from now on only Ben and Cleo are told: nobody looks at the mails of the others."""
    game = hunt(table)
    mail_only_to(table, "Ben", "Cleo")
    return game


def is_playing(game: Playing) -> bool:
    return bool(game.view()["seats"][1]["player"] == game.people[1].id)


def test_a_yes_to_a_move_is_not_obeyed_if_the_words_below_take_it_back(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "I think I take the taxi to 115")
    for words in ("Moment, das war ein Versehen, bitte ignorieren", "❌"):
        said = answer(ben, f"YES\r\n\r\n{words}")
        assert f'I read "YES {words}", which does not settle it.' in said
    assert history(hunted) == ["black ?"]
    assert 'Understood and played: "purple taxi 115".' in answer(ben, "YES")


@pytest.mark.parametrize("command", ["EXTEND 1 day", "WAIT"])
def test_who_asks_for_more_time_as_well_does_not_give_the_game_up(hunted: Playing, command: str):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert "Do you want to give the game up? You have not resigned yet." in answer(ben, f"YES\n{command}")
    assert is_playing(hunted)
    assert "You have given the game up" in answer(ben, "YES")


def test_another_station_speaks_against_a_yes_and_the_move_itself_is_played(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "I think I take the taxi to 115")
    for words, move in (("I meant taxi 116", "taxi 116"), ("bus 102 looks nicer", "bus 102")):
        assert f'did you mean "purple {move}"?' in answer(ben, f"YES\n\nHello,\n\n{words}")
    assert history(hunted) == ["black ?"]
    assert 'played: "purple taxi 116".' in answer(ben, "taxi 116")


def test_words_above_the_yes_count_as_well(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    said = answer(ben, "I am not sure\n\nYES")
    assert 'I read "I am not sure YES", which does not settle it.' in said
    assert is_playing(hunted)


def test_nobody_gives_up_by_a_yes_that_they_take_back(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    for words in ("maybe", "wacht, toch maar niet"):
        assert "Do you want to give the game up? You have not resigned yet." in answer(ben, f"YES\r\n\r\n{words}")
    assert is_playing(hunted)
    assert "given the game up" in answer(ben, "YES")


def test_answers_that_contradict_each_other_do_nothing(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    for text in ("NO\nYES", "YES\n\nHello!\n\nNO", "YES\nSTOP"):
        assert "You have not resigned yet." in answer(ben, text), text
    assert is_playing(hunted)
    assert "You keep your seat, and the game goes on." in answer(ben, "NO")


def test_an_answer_in_the_subject_contradicts_the_other_in_the_text(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    for subject, text in (("Re: Nein", "Ja, gerne"), ("Yes", "No"), ("Re: doch nicht", "YES")):
        said = answer(ben, text, Subject=subject)
        assert f'I read "{subject.removeprefix("Re: ")} {text}", which does not settle it.' in said
    assert is_playing(hunted)
    assert "given the game up" in answer(ben, "YES", Subject="Yes")


def test_friendly_words_around_a_yes_do_no_harm(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "I think I take the taxi to 115")
    said = answer(ben, "Hello all,\n\nYES\n\nGood luck everyone, and see you on Monday 23!\n\nBen")
    assert 'Understood and played: "purple taxi 115".' in said
    assert "Not done" not in said


def test_the_address_of_a_mail_is_not_added_by_a_yes_that_is_taken_back(hunted: Playing):
    ben = hunted.people[1]
    ben.reply("bus 102", sender="Ben <ben@phone.example>")
    hunted.table.tick()
    question = ben.mails[-1]
    assert "Was it you" in answer(ben, "YES\n\nNo, that was somebody else", to=question)
    assert history(hunted) == ["black ?"]
    assert '"purple bus 102"' in answer(ben, "YES", to=question)
    assert history(hunted) == ["black ?", "purple bus 102"]


def test_a_vote_is_not_cast_by_an_answer_that_is_taken_back(hunted: Playing):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    for answered, against in (("YES", "no wait, I am not sure"), ("NO", "well, ok then yes")):
        said = answer(ben, f"{answered}\n\n{against}")
        assert f'I read "{answered} {against}", which does not settle it.' in said
    assert vote_of(hunted, ada, ben) == (False, False)


def test_a_no_without_a_yes_beside_it_is_cast(hunted: Playing):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    assert "You have voted not to" in answer(ben, "NO\n\nsorry, maybe next time")


@pytest.mark.parametrize(
    ("asks", "word"),
    [("RESIGN", "NO"), ("I think I take bus 102 please", "NO"), ("taxi 115\nor maybe bus 102", "YES")],
)
def test_a_question_that_was_asked_in_answer_to_the_mail_about_a_vote_has_an_address_of_its_own(
    hunted: Playing, asks: str, word: str
):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    about_vote = ben.mails[-1]
    answer(ben, asks, to=about_vote)
    assert ben.mails[-1]["Reply-To"] != about_vote["Reply-To"]
    assert "You have voted" not in answer(ben, word, to=ben.mails[-1])
    assert vote_of(hunted, ada, ben) == (False, False)
    assert "You have voted" in answer(ben, word, to=about_vote)
    assert vote_of(hunted, ada, ben) == (word == "YES", word == "NO")
    assert history(hunted) == ["black ?"]
    assert is_playing(hunted)


def check_withdrawn(game: Playing, *texts: str) -> None:
    """Check that each of these mails withdraws the question whether Ben resigns, so that a later YES does nothing."""
    ben = game.people[1]
    for text in texts:
        answer(ben, "RESIGN")
        assert "whether you give the game up is withdrawn" in answer(ben, text), text
        answer(ben, "YES")
        assert is_playing(game), text


def test_what_ends_the_game_is_not_asked_any_more_when_the_next_mail_does_not_answer(hunted: Playing):
    ben = hunted.people[1]
    check_withdrawn(hunted, "SAY ALL shall we go on?", "STATUS", "taxi 1", "EXTEND 1 day")
    hunted.table.clock.turn(minutes=2)  # the same words come too often within a minute
    answer(ben, "RESIGN")
    assert "withdrawn" not in answer(ben, "RESIGN")
    assert "You have given the game up." in answer(ben, "YES")


def test_the_question_whether_to_resign_is_withdrawn_by_a_mail_of_a_later_round(hunted: Playing):
    ada, ben, *others = hunted.people
    answer(ben, "taxi 115\nRESIGN")
    asked_in_first_round = ben.mails[-1]
    for person in (*others, ada):
        hunted.move(person)
    hunted.table.tick()
    assert "whether you give the game up is withdrawn" in answer(ben, "STATUS")
    answer(ben, "YES", to=asked_in_first_round)
    assert is_playing(hunted)


def test_a_yes_to_a_mail_of_another_round_or_to_a_vote_withdraws_it_too(hunted: Playing):
    ada, ben, *others = hunted.people
    answer(ben, "taxi 115\nRESIGN")
    asked = ben.mails[-1]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    said = answer(ben, "YES", to=ben.mails[-1])
    assert "You have voted" in said
    assert "whether you give the game up is withdrawn" in said
    answer(ben, "RESIGN")
    asked = ben.mails[-1]
    for person in (*others, ada):
        hunted.move(person)
    hunted.table.tick()
    said = answer(ben, "YES")
    assert "There is no open question" in said
    assert "whether you give the game up is withdrawn" in said
    answer(ben, "YES", to=asked)
    assert is_playing(hunted)


@pytest.mark.parametrize("by", ["talk", "turn"])
def test_a_yes_to_a_mail_that_asked_something_else_does_not_end_the_game(hunted: Playing, by: str):
    ada, ben = hunted.people[:2]
    turn = ben.mails[-1]
    answer(ben, "RESIGN")
    ada.post(f"{hunted.path}/messages", {"to": "all", "text": "Shall we pause over Christmas?"})
    hunted.table.tick()
    other = ben.mails[-1] if by == "talk" else turn
    assert by == "turn" or "writes to all" in other["Subject"]
    said = answer(ben, "YES", to=other, In_Reply_To=other["Message-ID"])
    assert "You were asked this in another mail than the one that you have answered with YES" in said
    assert is_playing(hunted)
    question = ben.mails[-1]
    assert "You have given the game up." in answer(ben, "YES", to=question, In_Reply_To=question["Message-ID"])


def test_so_is_the_question_whether_to_agree_to_a_draw(table: Table):
    game = table.game(table.people(2), "condensed")
    ada, ben = game.people
    game.move(ada)
    ada.post(f"{game.path}/draw")
    table.tick()
    assert "so it is for you to decide" in answer(ben, "DRAW")
    asked_in_first_round = ben.mails[-1]
    while game.view()["to_move"] != ["mr_x"]:
        game.move(ben)
    game.move(ada)
    table.tick()
    assert "whether you agree to a draw is withdrawn" in answer(ben, "STATUS")
    answer(ben, "YES", to=asked_in_first_round)
    assert game.view()["status"] == "running"


def test_a_mail_that_settles_nothing_gets_the_question_whether_to_resign_once_more(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    for text in ("hello my friends, what a fog", "What a week. Yes", "Thanks!"):
        assert "Do you want to give the game up? You have not resigned yet." in answer(ben, text), text
    assert "You keep your seat" in answer(ben, "No, I'll keep playing")
    answer(ben, "YES")
    assert is_playing(hunted)


def vote_of(game: Playing, person: Person, about: Person) -> tuple[bool, bool]:
    """Return whether a player has voted for, and against, the one vote that is open."""
    (vote,) = person.get(f"{game.path}/votes").json["votes"]
    seat = game.people.index(about) + 1
    return seat in vote["for"], seat in vote["against"]


@pytest.mark.parametrize("word", ["YES", "NO"])
def test_an_answer_to_a_question_that_was_withdrawn_is_no_vote(hunted: Playing, word: str):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    answer(ben, "RESIGN")
    question = ben.mails[-1]
    assert "whether you give the game up is withdrawn" in answer(ben, "STATUS", to=question)
    said = answer(ben, word, to=question)
    assert f"You were asked this in another mail than the one that you have answered with {word}" in said
    assert "asks to give the detectives 1 day more. You have not voted." in said
    assert vote_of(hunted, ada, ben) == (False, False)
    assert is_playing(hunted)
    assert "You have voted" in answer(ben, word)
    assert vote_of(hunted, ada, ben) == (word == "YES", word == "NO")


def test_the_mail_about_a_vote_takes_the_vote_though_a_question_was_withdrawn_at_another_address(hunted: Playing):
    ada, ben = hunted.people[:2]
    answer(ben, "RESIGN")
    answer(ben, "STATUS")
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    assert "You have voted" in answer(ben, "YES", to=ben.mails[-1])


def test_a_yes_to_a_turn_mail_is_no_vote(hunted: Playing):
    ada, ben = hunted.people[:2]
    turn = ben.mails[-1]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    said = answer(ben, "YES", to=turn)
    assert "You were asked this in another mail than the one that you have answered with YES" in said
    assert "asks to give the detectives 1 day more. You have not voted." in said
    assert vote_of(hunted, ada, ben) == (False, False)
    assert "You have voted" in answer(ben, "YES")
    assert vote_of(hunted, ada, ben) == (True, False)


def test_of_several_votes_the_one_is_meant_whose_mail_is_answered(hunted: Playing):
    ada, ben, cleo = hunted.people[:3]
    turn = ben.mails[-1]
    for person, length in ((ada, "P1D"), (cleo, "P2D")):
        assert person.post(f"{hunted.path}/votes", {"kind": "extend", "length": length}).status_code == 201
        hunted.table.tick()
    about_second = ben.mails[-1]
    said = answer(ben, "YES", to=turn)
    assert "Several votes are open: to give the detectives 1 day more and to give the detectives 2 days" in said
    assert "You have voted to give the detectives 2 days more" in answer(ben, "YES", to=about_second)


def test_a_pause_may_have_a_length(hunted: Playing):
    assert "You have voted to pause the game for at most 3 days" in answer(hunted.people[1], "PAUSE 3 days")
    assert "You have voted to pause the game for at most 5 days" in answer(hunted.people[3], "PAUSE five days")
    assert "You have voted to pause the game for at most 14 days" in answer(hunted.people[2], "Pause please")


def test_an_answer_that_is_no_vote_is_told_of_the_vote(hunted: Playing):
    answer(hunted.people[1], "PAUSE 3 days")
    hunted.table.tick()
    asked = "asks to pause the game for at most 3 days. You have not voted. Answer YES or NO."
    voter = hunted.people[2]
    for line in ("Hm, I wonder", "Can you make it two days?"):
        assert asked in answer(voter, line), line
    assert "You have voted to pause" in answer(voter, "fine by me, enjoy the holidays")
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
    assert "You have voted not to give the detectives 2 days more" in answer(ben, "NO")


def test_a_vote_that_was_cast_stands_and_is_told_until_it_is_changed(hunted: Playing):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/votes", {"kind": "extend", "length": "P1D"})
    hunted.table.tick()
    asked = ben.mails[-1]
    assert "it is open until" in answer(ben, "NO", to=asked)
    stands = (
        "Your NO to the vote to give the detectives 1 day more stands. To change it, answer the mail about the vote"
    )
    for word in ("NO", "YES"):
        assert f"{stands} with YES." in answer(ben, word)
    (vote,) = ada.get(f"{hunted.path}/votes").json["votes"]
    assert 2 in vote["against"]
    assert "You have voted to" in answer(ben, "YES", to=asked)


def test_a_move_is_asked_about_if_the_subject_speaks_against_it(hunted: Playing):
    ben = hunted.people[1]
    for subject in ("Re: forget it", "RESIGN"):
        said = answer(ben, "taxi 115", Subject=subject)
        own = subject.removeprefix("Re: ")
        assert f'I read "purple taxi 115", and in the subject "{own}". Nothing was done yet' in said
    assert history(hunted) == ["black ?"]
    assert is_playing(hunted)
    assert 'played: "purple taxi 115".' in answer(ben, "YES")


def test_a_condition_on_another_player_is_asked_about_and_praise_of_one_is_not(hunted: Playing):
    ben = hunted.people[1]
    for words in ("when Cleo has moved", "Cleo, should I take 116?"):
        assert f'and further down "{words}". Nothing was done yet' in answer(ben, f"taxi 115\n\n{words}")
    assert history(hunted) == ["black ?"]
    subject = "AW: [No, wait] Round 1: Purple, yours"
    assert 'played: "purple taxi 115".' in answer(ben, "taxi 115\n\nGood for you, Cleo!", Subject=subject)


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
    assert "so it is for you to decide" in answer(last, "YES\n\nattendez, je ne sais pas")
    assert hunted.view()["status"] == "running"


def test_a_no_beside_the_move_and_the_yes_to_it_is_asked_about(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "I think I take the taxi to 115")
    assert "which does not settle it" in answer(ben, "taxi 115\nYES\nNO")
    assert history(hunted) == ["black ?"]


def test_a_doubt_on_the_line_of_the_yes_is_asked_about(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    for text in ("YES but not sure", "Ja, aber nicht ganz sicher\n\nBen"):
        assert "You have not resigned yet." in answer(ben, text), text
    assert is_playing(hunted)
    assert "You have given the game up." in answer(ben, "Yes. Ben")


def test_a_refusal_in_other_words_behind_a_no_is_a_no(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    assert "You keep your seat, and the game goes on." in answer(ben, "NO, rather not")
    answer(ben, "YES")
    assert is_playing(hunted)
