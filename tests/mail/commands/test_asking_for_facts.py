"""What the commands tell, and giving up."""

from dataclasses import replace

import pytest

from server.vocabulary import limits
from tests.mail.commands.test_dispatch import ahead, answer, flat, history, silence
from tests.scenes import (
    chase_announced,
    hunt,
    mail_only_to,
    text_of,
    write,
)
from tests.table import Playing, Table


def test_board_alone_tells_what_is_around_the_player_and_all_places_of_mr_x(hunted: Playing):
    told = answer(hunted.people[1], "BOARD")
    assert "Station 127 is linked by taxi to 115, 116, 126, 133" in told
    assert "Mr. X was last seen at 111, on move 8: Purple is three moves away." in told
    assert "Mr. X can be on 79, 100, 110, 112, 124 or 163, and nowhere else." in told
    assert 'Name a station, such as "BOARD 46"' in told


def test_where_mr_x_is_comes_first_in_the_answer_to_that_question(hunted: Playing):
    for text in ("Where is Mr. X?", "ou est Monsieur X?"):
        _, _, said = answer(hunted.people[1], text).partition("above this line. ")
        assert said.startswith("Mr. X was last seen at 111, on move 8: Purple is three moves away. Mr. X can be on 79,")
        assert "100, 110, 112, 124 or 163, and nowhere else." in said
        assert "where Mr. X is" in hunted.people[1].mails[-1]["Subject"]


def test_try_tells_whether_a_move_could_be_made_and_makes_none(hunted: Playing):
    assert 'The move "purple bus 102" could be made. It was only tried.' in answer(hunted.people[1], "TRY bus 102")
    assert "no line joins it to 103" in answer(hunted.people[1], "try taxi 103")
    assert 'The move "red taxi 84" could be made.' in answer(hunted.people[2], "TRY taxi 84")
    assert (len(history(hunted)), ahead(hunted)) == (1, [])
    assert "You could then be" not in answer(hunted.people[1], "TRY bus 102")


def test_try_tells_mr_x_on_how_many_stations_he_could_then_be(table: Table):
    ada = chase_announced(table).people[0]
    said = answer(ada, "TRY black 100")
    assert "It was only tried. You could then be on 6 stations." in said


def test_cancel_takes_back_the_move_of_one_pawn(pairs: Playing):
    cleo = pairs.people[2]
    answer(cleo, "green taxi 47\nyellow taxi 37")
    assert "What you had sent ahead for Yellow is taken back." in answer(cleo, "CANCEL yellow")
    assert ahead(pairs) == ["green taxi 47"]
    assert "Red is not yours." in answer(cleo, "CANCEL red")


def test_cancel_takes_back_what_was_sent_ahead(hunted: Playing):
    answer(hunted.people[2], "taxi 84")
    assert "What you had sent ahead is taken back." in answer(hunted.people[2], "Cancel")
    assert ahead(hunted) == []
    assert "You had sent nothing ahead." in answer(hunted.people[2], "CANCEL")


def test_help_alone_is_one_screen_about_now(hunted: Playing):
    ada, ben, cleo = hunted.people[:3]
    ben.reply("HELP")
    hunted.table.tick()
    said = text_of(ben.mails[-1]).split("\nSeal")[0]
    assert 12 <= len([line for line in said.splitlines() if line]) <= 20
    assert 'a line such as "purple taxi NN"' in " ".join(said.split())
    assert "You can go from 127" in said
    assert '"SAY ALL hello" speaks to everybody' in answer(ada, "Hilfe!")
    assert "There is no move for you to make now." in answer(ada, "HELP")
    assert '"HELP ALL" lists every command' in answer(cleo, "Aide svp")


def test_thanks_get_no_answer_but_where_a_move_or_an_answer_is_awaited(hunted: Playing):
    """More of such words are in `tests/language/test_courtesies.py`."""
    ada, ben = hunted.people[:2]
    texts = ("Thanks!", "Merci à tous 🙂\n\nVera", "Good luck all")
    for text in texts:
        silence(ada, text)
    for text in texts[1:]:
        said = answer(ben, text)
        assert "found no move" not in said, text
        assert "Your move is due" in said, text
    answer(ben, "RESIGN")
    hunted.table.clock.turn(minutes=1)
    for text in texts[1:]:
        assert "Do you want to give the game up?" in answer(ben, text), text


def test_a_sentence_with_one_of_the_stations_answers_which_move_is_meant_with_a_question(hunted: Playing):
    ben = hunted.people[1]
    assert "Reply with the one you mean." in answer(ben, "taxi 115\nbus 102")
    asked = answer(ben, "Sorry, second thought: 102 is better.")
    assert 'did you mean "purple bus 102"?' in asked
    assert len(history(hunted)) == 1
    assert 'played: "purple bus 102"' in answer(ben, "YES")


def test_the_answer_to_a_mail_without_a_move_names_help_and_rules(hunted: Playing):
    ben = hunted.people[1]
    must = "A pawn that can move has to move."
    for text, told in (("What does the orange square mean?", ""), ("I'll stay put", must)):
        said = answer(ben, text)
        assert told in said, text
        assert '"HELP" tells what you can send, and "RULES" explains the game.' in said, text
    for text in ("I give up", "ich gebe auf", "Surrender."):
        assert "Do you want to give the game up?" in answer(ben, text), text


def test_a_move_is_not_made_beside_a_stop(hunted: Playing):
    said = answer(hunted.people[1], "taxi 115\nSTOP")
    assert "which move do you mean" in hunted.people[1].mails[-1]["Subject"]
    assert "Nothing was done yet." in said
    assert len(history(hunted)) == 1


@pytest.mark.parametrize("text", ["RESIGN", "bus 102 or taxi 66?", "purpel bus 102"])
def test_a_question_never_waits_and_neither_does_what_answers_it(
    hunted: Playing, monkeypatch: pytest.MonkeyPatch, text: str
):
    monkeypatch.setattr(limits, "PROMPT_ANSWERS", replace(limits.PROMPT_ANSWERS, most=2))
    ben = hunted.people[1]
    turn = ben.mails[-1]
    for _ in range(limits.PROMPT_ANSWERS.most):
        answer(ben, "LOG", to=turn)
    silence(ben, "LOG", to=turn)  # it waits
    before = len(ben.mails)
    answer(ben, text, to=turn)
    answer(ben, "No, thank you", to=turn)
    assert len(ben.mails) == before + 2


def test_several_commands_of_one_mail_get_one_answer(hunted: Playing):
    said = answer(hunted.people[1], "bus 102\nLOG\nBOARD 46\nhelp")
    for fact in ('Understood and played: "purple bus 102".', "Station 46 is linked", '"STATUS" tells'):
        assert fact in said


def test_who_gave_up_is_not_told_any_more_what_his_team_knows(hunted: Playing):
    cleo, ben = hunted.people[2], hunted.people[1]
    mail_only_to(hunted.table, "Ben")
    hunted.move(cleo, "bus 102")
    answer(ben, "RESIGN")
    assert "red bus 102" not in answer(ben, "YES")


def test_mr_x_ends_the_game_by_giving_up(hunted: Playing):
    ada = hunted.people[0]
    hunted.contest()
    mail_only_to(hunted.table, "Ada")
    answer(ada, "RESIGN", to=ada.mails[0])
    before = len(ada.mails)
    ada.reply("YES")
    hunted.table.tick()
    (told,) = ada.mails[before:]
    assert "Mr. X gave the game up." in text_of(told)
    assert "REPLAY" not in text_of(told), "the result is not final"
    assert "withdrawn" not in answer(ada, "LOG"), "the question was answered"
    assert "The game is over; there is nothing to give up." in answer(ada, "RESIGN")
    assert hunted.view()["outcome"]["reason"] == "resigned"


def test_the_answer_to_the_last_move_of_a_round_is_headed_with_that_round(table: Table):
    game = hunt(table)
    for person in game.people[2:]:
        game.move(person)
    ben = game.people[1]
    table.tick()
    answer(ben, game.legal(ben)[0])
    assert game.view()["round"] == 2
    assert "Round 1, Purple: your move is played" in ben.mails[-1]["Subject"]
    assert "Round 1, Purple. " in flat(ben.mails[-1])


def test_away_off_says_what_becomes_of_a_deadline_that_has_moved(hunted: Playing):
    ben = hunted.people[1]
    assert "stays where it is" not in answer(ben, "AWAY 22 Nov to 29 Nov")
    assert "A deadline that your absence has moved stays where it is." in answer(ben, "AWAY off")


def test_a_host_who_asks_how_to_begin_is_told_of_start(table: Table):
    ada = table.person("Ada")
    write(ada, "NEW 3")
    table.tick()
    said = answer(ada, "HELP")
    assert "When every seat is taken, answer this mail with the word START" in said


def test_a_move_in_answer_to_a_mail_from_before_the_start_is_told_so(table: Table):
    people = table.people(2)
    ada, ben = people
    made = ada.post("/games", {"edition": "condensed", "players": 2}).json
    ada.post(f"/games/{made['id']}/seats", {"seat": 1})
    ben.post(f"/games/{made['id']}/seats", {"seat": 2})
    table.tick()
    everybody_is_here = ada.mails[-1]
    ada.post(f"/games/{made['id']}/start")
    said = answer(ada, "taxi 46", to=everybody_is_here)
    assert "Your mail answers a mail from before the start, and the game has begun." in said


def test_giving_up_is_asked_about_in_answer_to_an_old_mail_too(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    hunted.play_round()
    hunted.play_round()
    assert "You have not resigned yet." in answer(ben, "RESIGN", to=turn)


def test_the_station_where_the_pawn_stands_is_named_as_that(hunted: Playing):
    ben = hunted.people[1]
    station = hunted.view(ben)["pawns"]["purple"]["station"]
    assert f"You are at {station} already, and a pawn that can move has to move." in answer(ben, f"purple {station}")


def test_hints_fit_what_the_answer_lists(hunted: Playing):
    said = answer(hunted.people[1], "show me what moves there are, or how it stands?")
    assert '"LEGAL"' not in said
    assert "at the play address" not in said


def test_a_mail_after_the_end_gets_the_result_and_not_the_whole_log(hunted: Playing):
    ada, ben = hunted.people[:2]
    ada.post(f"{hunted.path}/resign")
    hunted.table.tick()
    said = answer(ben, "Hello all!")
    assert "The game is over." in said
    assert "The travel log" not in said
    assert "He began at" not in said
