"""Each mail has its effect, and one answer."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from server.application.limits import answers
from server.application.mail import envelopes
from server.application.operator import alerts
from server.mail import inbox
from server.mail.examination import examine
from server.mail.trust.results import Authentication
from server.mail.writing import compose
from server.models import Game, Incoming, Outgoing, Player, session, transaction
from server.vocabulary import limits
from tests.databases import stored
from tests.kept import again
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.scenes import (
    chase_announced,
    dealing,
    html_of,
    hunt,
    mail_only_to,
    pairs,
    quiet,
    second_round,
    text_of,
    write,
)
from tests.table import Person, Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    return again(table, _hunted)


def _hunted(table: Table) -> Playing:
    """The hunt, in which Ada, Ben and Cleo are told what happens: nobody looks at the mails of the others."""
    game = hunt(table)
    quiet(table, "Dan", "Eve", "Finn")
    return game


@pytest.fixture
def chased(table: Table) -> Playing:
    return chase_announced(table)


@pytest.fixture(name="pairs")
def two_pawns_each(table: Table) -> Playing:
    return pairs(table)


def flat(mail: Any) -> str:
    return " ".join(text_of(mail).split())


def answer(person: Person, text: str, to: Any = None, **more: Any) -> str:
    """Return the server's answer to a mail on one line; it must be exactly one mail."""
    before = len(person.mails)
    person.reply(text, to=to, **more)
    person.table.tick()
    new = [mail for mail in person.mails[before:] if mail["Auto-Submitted"] == "auto-replied"]
    assert len(new) == 1, [mail["Subject"] for mail in new]
    return flat(new[0])


def silence(person: Person, text: str, to: Any = None, **more: Any) -> None:
    """A mail of this person that nobody is answered."""
    before = len(person.table.post.sent)
    person.reply(text, to=to, **more)
    person.table.tick()
    assert [mail["Subject"] for _, mail in person.table.post.sent[before:]] == []


def verdict(table: Table) -> str | None:
    with table.app.app_context():
        newest = select(Incoming.verdict).order_by(Incoming.received_at.desc(), Incoming.id).limit(1)
        return session.scalar(newest)


def history(game: Playing) -> list[str]:
    found: list[str] = game.view(game.people[1])["history"]
    return found


def ahead(game: Playing) -> list[str]:
    return [kept["notation"] for kept in game.view(game.people[1])["ahead"]]


# Moves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["102", "Hello all,\n\n*bus 102*\n\nBen"])
def test_a_move_in_a_loose_form_is_played(hunted: Playing, words: str):
    """All such forms are in `tests/language/test_matching.py`."""
    assert 'Understood and played: "purple bus 102".' in answer(hunted.people[1], words)
    assert history(hunted) == ["black ?", "purple bus 102"]


def test_a_move_of_mr_x_in_a_loose_form_is_played(chased: Playing):
    said = answer(chased.people[0], "2x t 112 x 100")
    assert 'Understood and played: "double taxi 112 black 100".' in said


def test_a_move_in_the_subject_counts_when_the_text_has_none(hunted: Playing):
    said = answer(hunted.people[1], "", Subject="bus 102")
    assert 'Understood and played: "purple bus 102".' in said


def test_a_move_sent_ahead_is_kept_and_said_so(hunted: Playing):
    said = answer(hunted.people[2], "taxi 84")
    assert 'Understood and kept: "red taxi 84". "CANCEL" takes that back' in said
    assert "It is the turn of Purple until" in said
    assert ahead(hunted) == ["red taxi 84"]


def test_a_move_sent_ahead_is_replaced_by_another(hunted: Playing):
    answer(hunted.people[2], "taxi 84")
    assert '"red taxi 66"' in answer(hunted.people[2], "taxi 66")
    assert ahead(hunted) == ["red taxi 66"]


def test_an_order_of_moves_is_kept_and_the_first_that_is_legal_at_its_turn_is_played(pairs: Playing):
    cleo = pairs.people[2]
    said = answer(cleo, "green taxi 47 or else taxi 46")
    assert 'Understood and kept: "green taxi 47".' in said
    assert 'You named an order: "green taxi 47 or else green taxi 46". The first that is legal' in said
    for move in ("purple taxi 15", "red bus 41"):
        assert pairs.move(pairs.people[1], move).status_code == 201
    assert history(pairs)[-1] == "green taxi 47"


def test_of_an_order_the_second_is_played_at_once_if_the_first_is_not_legal(hunted: Playing):
    said = answer(hunted.people[1], "purple taxi 133, otherwise bus 102")
    assert 'Understood and played: "purple bus 102".' in said
    assert '"purple taxi 133 or else purple bus 102". The first that is legal was played.' in said
    assert "Nothing was done." in answer(hunted.people[2], "taxi 199 or else taxi 198")


def test_a_move_of_a_kept_order_that_can_never_be_played_is_told(pairs: Playing):
    for order in ("green taxi 47 or else taxi 199", "green taxi 199 or else taxi 47"):
        said = answer(pairs.people[2], f"{order}\nyellow taxi 38 or else taxi 37")
        assert '"green taxi 199" can never be played in this round, so it was not kept. Green stands on 34' in said
        assert said.count("can never be played") == 1, order
        assert ahead(pairs) == ["green taxi 47", "yellow taxi 38"], order


def test_an_order_for_two_pawns_is_refused(pairs: Playing):
    refused = "A second choice has to be for the same pawn as the first; yours are for Green and Yellow. Nothing was"
    for order in (
        "green taxi 47 or else yellow taxi 37",
        "46 or else taxi 37",
        "Green: bus 46, otherwise Yellow 37, thanks",
    ):
        assert f"{refused} done." in answer(pairs.people[2], order), order
    assert ahead(pairs) == []


def test_several_moves_stand_on_one_line_where_each_names_its_pawn(pairs: Playing):
    assert '"purple taxi 15" and "red bus 41"' in answer(pairs.people[1], "Purple to 15, Red: bus 41")


def test_several_pawns_move_by_one_mail(pairs: Playing):
    said = answer(pairs.people[1], "purple taxi 15\nred bus 41")
    assert 'Understood and played: "purple taxi 15" and "red bus 41".' in said
    assert history(pairs)[1:] == ["purple taxi 15", "red bus 41"]


def test_of_one_mail_some_moves_may_be_played_and_others_kept(pairs: Playing):
    said = answer(pairs.people[2], "green taxi 47\nyellow taxi 37")
    assert 'Understood and kept: "green taxi 47" and "yellow taxi 37". "CANCEL" takes that back' in said
    pairs.move(pairs.people[1], "purple taxi 15")
    assert ahead(pairs) == ["green taxi 47", "yellow taxi 37"]
    pairs.move(pairs.people[1], "red bus 41")
    assert history(pairs)[1:] == ["purple taxi 15", "red bus 41", "green taxi 47", "yellow taxi 37"]


@pytest.fixture
def alone(table: Table) -> Playing:
    """One person plays all detectives, who move in a fixed order; Mr. X has moved."""
    people = table.people(2)
    with dealing(table, 103, 26, 197, 198, 29, 138):
        game = table.game(people, "condensed")
    game.move(people[0], "taxi 86")
    table.tick()
    return game


def test_a_kept_move_that_is_played_with_another_is_told_in_its_answer(alone: Playing):
    ben = alone.people[1]
    assert 'Understood and kept: "red taxi 184" and "green taxi 187".' in answer(ben, "red taxi 184\ngreen taxi 187")
    said = answer(ben, "purple taxi 15")
    assert 'Understood and played: "purple taxi 15".' in said
    assert '"red taxi 184" and "green taxi 187" were kept, and are played now too.' in said


@pytest.fixture
def neighbours(table: Table) -> Playing:
    """A round later: Purple at 15 and Red at 41 have 28 in common."""
    return again(table, a_round_later)


def a_round_later(table: Table) -> Playing:
    game = pairs(table)
    for person, move in ((1, "purple taxi 15"), (1, "red taxi 41"), (2, "green taxi 47"), (2, "yellow taxi 37")):
        assert game.move(game.people[person], move).status_code == 201
    game.move(game.people[0], "taxi 69")
    table.tick()
    return game


@pytest.mark.parametrize("text", ["red taxi 29\npurple taxi 14", "purple taxi 14\nred taxi 29"])
def test_a_kept_move_gives_way_to_one_of_a_mail_that_would_have_it_played(neighbours: Playing, text: str):
    ben = neighbours.people[1]
    assert 'Understood and kept: "red taxi 28".' in answer(ben, "red taxi 28")
    said = answer(ben, text)
    assert 'Understood and played: "purple taxi 14" and "red taxi 29".' in said
    assert "kept" not in said
    assert history(neighbours)[-2:] == ["purple taxi 14", "red taxi 29"]


def test_what_became_of_an_order_is_told_of_each(alone: Playing):
    ben = alone.people[1]
    said = answer(ben, "purple taxi 15 or else taxi 27\ngreen taxi 187 or else taxi 199")
    assert '"purple taxi 15 or else purple taxi 27". The first that is legal was played.' in said
    assert '"green taxi 187 or else green taxi 199". The first that is legal when the turn comes is played.' in said


def test_a_pawn_may_go_where_another_of_the_same_mail_leaves(neighbours: Playing):
    said = answer(neighbours.people[1], "purple taxi 28\nred bus 15")
    assert 'Understood and played: "purple taxi 28" and "red bus 15".' in said


def test_so_it_may_where_both_are_on_turn_at_once(table: Table):
    people = table.people(3)
    with dealing(table, 103, 26, 197, 198, 29, 138):
        game = table.game(people, "milton-bradley-1985")
    assert game.view(people[1])["you"]["pawns"] == ["purple", "yellow", "blue"]
    for person, move in (
        (0, "taxi 86"), (1, "purple taxi 15"), (1, "yellow taxi 41"), (1, "blue taxi 152"),
        (2, "red taxi 184"), (2, "green taxi 187"), (0, "taxi 69"),
    ):  # fmt: skip
        assert game.move(people[person], move).status_code == 201
    table.tick()
    said = answer(people[1], "purple taxi 28\nyellow bus 15")
    assert 'Understood and played: "purple taxi 28" and "yellow bus 15".' in said
    assert "Still to move: Blue." in said


def test_the_pawn_may_be_left_out_where_only_one_can_be_meant(pairs: Playing):
    assert '"purple taxi 15" and "red taxi 41"' in answer(pairs.people[1], "taxi 15\ntaxi 41")


def test_the_answer_to_the_first_move_names_those_still_to_go(pairs: Playing):
    said = answer(pairs.people[1], "purple taxi 15")
    assert "Still to move: Red. Your move is due Tuesday 24 November, 18:00" in said
    assert "Red can go from 29 - by taxi to" in said
    assert "Purple stands" not in said


def test_a_token_lives_until_all_pawns_of_the_seat_have_moved(pairs: Playing):
    ben = pairs.people[1]
    turn = ben.mails[-1]
    answer(ben, "purple taxi 15", to=turn)
    assert "Understood and played" in answer(ben, "red bus 41", to=turn)
    assert "Red has already moved in this round. Nothing was done." in answer(ben, "red bus 42", to=turn)


def test_all_moves_of_a_mail_are_made_or_none(pairs: Playing):
    for text in ("purple taxi 15\nred taxi 99", "red bus 41\npurple taxi 99", "purple taxi 15\nred bus 41\nCLAIM"):
        said = answer(pairs.people[1], text)
        assert "Nothing was done." in said, text
        assert "Understood" not in said, text
    assert len(history(pairs)) == 1


def test_two_moves_for_one_pawn_are_not_chosen_between(hunted: Playing):
    said = answer(hunted.people[1], "taxi 115\nbus 102")
    assert 'I read "purple taxi 115", and further down "purple bus 102". Nothing was done yet. Reply with' in said
    assert len(history(hunted)) == 1


def test_two_moves_of_mr_x_are_not_chosen_between_and_the_form_of_a_double_move_is_told(chased: Playing):
    mr_x = chased.people[0]
    said = answer(mr_x, "taxi 110\ntaxi 109")
    assert 'Reply with the one you mean. A double move is one line, such as "double taxi NN bus NN".' in said
    said = answer(mr_x, "taxi 110 then taxi 109")
    assert 'or send the move you mean. A double move is one line, such as "double taxi NN bus NN".' in said
    said = answer(mr_x, "double 199 198")
    assert "a double move with its tickets reads like double taxi NN bus NN. Nothing was done." in said
    assert (history(chased), chased.turn) == ([], 1)


def test_a_turn_that_ends_while_it_is_asked_about_is_not_missed_and_the_mail_names_the_question(table: Table):
    hunted = hunt(table)
    ben = hunted.people[1]
    answer(ben, "taxi 115\nsorry, I meant bus 102")
    hunted.table.clock.turn(hours=49)
    hunted.table.tick()
    seats = hunted.view()["seats"]
    assert [seat["misses"] for seat in seats[:3]] == [0, 0, 1]
    said = next(flat(mail) for mail in ben.mails if "moved for you" in mail["Subject"])
    assert 'we read "purple taxi 115" in it, and also "sorry, I meant bus 102". So this does not count' in said
    others = [flat(mail) for person in hunted.people if person is not ben for mail in person.mails]
    assert not any("Our question about your mail" in text for text in others)


def test_yes_does_not_say_which_of_two_moves_is_meant(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115\nor\nbus 102")
    assert 'which you mean: "purple taxi 115", or "bus 102". Reply with the move itself.' in answer(ben, "YES")
    assert 'played: "purple bus 102".' in answer(ben, "Yes, bus 102")


def test_the_same_move_twice_is_one(hunted: Playing):
    assert 'played: "purple bus 102".' in answer(hunted.people[1], "bus 102\n\nPurple: bus to 102")


def test_a_second_move_does_not_slip_to_another_pawn(pairs: Playing):
    # 41 is meant for Red, 42 corrects it: neither is taken for a move of Purple, who cannot go there.
    assert "Reply with the one you mean." in answer(pairs.people[1], "red taxi 41\ntaxi 42")
    assert len(history(pairs)) == 1


def test_a_bare_number_that_two_tickets_fit_lists_both(hunted: Playing):
    said = answer(hunted.people[3], "127")
    assert 'That can mean more than one move: "green taxi 127" or "green bus 127". Send the one you mean.' in said
    assert ahead(hunted) == []


def test_a_move_that_two_pawns_could_make_lists_both(neighbours: Playing):
    for text in ("28", "taxi 28"):
        said = answer(neighbours.people[1], text)
        assert 'That can mean more than one move: "purple taxi 28" or "red taxi 28". Send the one you mean.' in said


def test_an_illegal_move_is_answered_with_the_reason_and_the_legal_moves(hunted: Playing):
    """The other reasons are in `tests/engine/test_refusals.py`."""
    for text, why in (
        ("taxi 103", "Purple stands on 127, and no line joins it to 103; taxi leads from there to 115"),
        ("red taxi 84", "Red is not yours to move; yours: Purple."),
        ("103", "No ticket brings you to 103 now"),
    ):
        said = answer(hunted.people[1], text)
        assert why in said
        assert "Nothing was done." in said
        assert "Purple stands at" not in said
        assert "You can go from 127 - by taxi to 115, 116, 126 or 134 (8 left) - by bus to 102 or 116" in said
    assert len(history(hunted)) == 1


def test_a_move_out_of_turn_is_answered_with_whose_turn_it_is(hunted: Playing):
    assert "It is the detectives' turn; yours comes when all of them have moved." in answer(
        hunted.people[0], "taxi 101"
    )


def test_a_list_of_tickets_has_all_own_pawns_if_the_choices_of_one_do_not_tell_all(table: Table):
    people = table.people(3)
    with dealing(table, 103, 13, 29, 34, 50):
        game = table.game(people)
    game.move(people[0], "taxi 86")
    table.tick()
    turn = flat(people[1].mails[-1])
    assert all(
        f"with a {ticket}" not in turn and f"by {ticket} to" in turn for ticket in ("taxi", "bus", "underground")
    )
    assert "Purple 10/8/4, Red 10/8/4, Green at 34 10/8/4" in turn


def test_of_a_pawn_that_has_just_moved_it_is_told(pairs: Playing):
    ben = pairs.people[1]
    answer(ben, "purple taxi 15")
    said = answer(ben, "STATUS")
    assert "Purple is at 15 and has moved." in said
    assert "Red can go from 29" in said
    assert "has no move to make" not in said


def test_lines_below_other_text_are_not_read_and_the_answer_says_so(hunted: Playing):
    said = answer(hunted.people[1], "bus 102\n\nGood luck to all!\n\nSTATUS")
    assert 'Understood and played: "purple bus 102".' in said
    assert 'These lines stand below other text and were not read as commands: "STATUS".' in said


def test_a_move_below_other_text_speaks_against_the_first(hunted: Playing):
    said = answer(hunted.people[1], "bus 102\n\nMuch nicer, as I think of it now, is this one:\n\ntaxi 115")
    assert 'I read "purple bus 102", and further down "taxi 115". Nothing was done yet.' in said
    assert len(history(hunted)) == 1


# Questions ------------------------------------------------------------------------------------------


def test_a_move_in_a_sentence_is_asked_about_and_yes_plays_it(hunted: Playing):
    said = answer(hunted.people[1], "I think I take the bus to 102 please")
    assert 'Nothing was done yet: did you mean "purple bus 102"? Answer YES' in said
    assert len(history(hunted)) == 1
    assert 'Understood and played: "purple bus 102".' in answer(hunted.people[1], "yes")


def test_two_moves_in_sentences_are_asked_about_and_yes_plays_both(pairs: Playing):
    """All such sentences are in `tests/language/test_matching.py`."""
    ben = pairs.people[1]
    doubted = "Purple could take the taxi to 15, Red perhaps the bus to 41"
    assert "found no move or command in your mail. Nothing was done." in answer(ben, doubted)
    said = answer(ben, "Morning!\n\nPurple takes the cab to 15 and Red hops on the bus to 41.\n\nTalk later,\nB.")
    assert 'I will play "purple taxi 15" and "red bus 41" at 18:15' in said
    assert history(pairs) == ["taxi ?"]
    assert 'played: "purple taxi 15" and "red bus 41".' in answer(ben, "yes, both please")


def test_no_to_that_question_does_nothing(hunted: Playing):
    answer(hunted.people[1], "I think I take the bus to 102 please")
    assert "All right, nothing of that was done." in answer(hunted.people[1], "No.")
    assert "There is no open question to answer with YES." in answer(hunted.people[1], "yes")
    assert len(history(hunted)) == 1


def test_another_move_closes_the_question(pairs: Playing):
    ben = pairs.people[1]
    answer(ben, "Let us have red take the bus to 41, or not")
    answer(ben, "purple taxi 15")
    assert "There is no open question" in answer(ben, "YES")
    assert history(pairs)[1:] == ["purple taxi 15"]


def test_a_question_that_is_not_asked_is_not_open(hunted: Playing, monkeypatch: pytest.MonkeyPatch):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    monkeypatch.setattr(answers, "schedule", lambda *_, **__: None)
    silence(ben, "I think I take the bus to 102 please", to=turn)
    silence(ben, "yes", to=turn)
    assert len(history(hunted)) == 1


def test_a_question_whose_move_is_no_longer_legal_is_refused(hunted: Playing):
    cleo = hunted.people[2]
    answer(cleo, "I think I take the bus to 102 please")
    question = cleo.mails[-1]
    hunted.move(hunted.people[1], "bus 102")
    hunted.table.tick()
    assert "Another detective stands on 102" in answer(cleo, "yes", to=question)


def test_yes_without_a_question_is_told_so(hunted: Playing):
    assert "There is no open question to answer with YES. Nothing was done." in answer(hunted.people[1], "YES")


def test_an_answer_to_a_mail_of_an_earlier_round_is_told_of_the_question_of_this_one(table: Table):
    game = second_round(table, "ravensburger-2000", 3)
    ada, ben, _cleo = game.people
    table.tick()
    earlier = ben.mails[-1]
    game.move(ada, game.legal(ada)[0])
    table.tick()
    answer(ben, "RESIGN")
    for word, named in (("YES", "YES"), ("NO", "NO"), ("yes, both of them", "YES")):
        said = answer(ben, word, to=earlier)
        assert f"in another mail than the one that you have answered with {named}, so that did nothing." in said, word
        assert "Do you want to give the game up?" in said, word
    assert game.view()["status"] == "running"


def test_who_answers_an_open_question_in_other_words_is_told_that_it_is_open(hunted: Playing):
    answer(hunted.people[1], "I think I take the bus to 102 please")
    said = answer(hunted.people[1], "Yes, but you know best!")
    assert 'I read "Yes, but you know best!", which does not settle it.' in said
    assert 'did you mean "purple bus 102"?' in said
    assert 'Understood and played: "purple bus 102".' in answer(hunted.people[1], "YES")


def test_who_was_asked_which_move_they_mean_is_not_told_to_answer_yes(hunted: Playing):
    answer(hunted.people[1], "bus 102\nbus 65")
    said = answer(hunted.people[1], "Yes, but you know best!")
    assert "which does not settle it." in said
    assert 'I read "purple bus 102", and further down "purple bus 65".' in said
    assert "YES or NO" not in said


def test_a_question_that_takes_the_place_of_another_says_so(pairs: Playing):
    cleo = pairs.people[2]
    assert "takes the place" not in answer(cleo, "I think I take green bus 46 please")
    said = answer(cleo, "I think I take yellow taxi 37 please")
    assert 'did you mean "yellow taxi 37"?' in said
    assert 'This takes the place of the question about "green bus 46"; if you want that too, send it again.' in said
    assert "takes the place" not in answer(cleo, "I think I will take yellow taxi 37 please")


def test_beside_a_misspelt_line_for_the_other_pawn_a_move_waits(pairs: Playing):
    ben = pairs.people[1]
    assert 'I read "purple taxi 15", and "erd bus 41".' in answer(ben, "purple taxi 15\nerd bus 41")
    assert 'Understood and played: "purple taxi 15".' in answer(ben, "YES")


def test_what_stands_below_a_whole_move_is_not_taken_for_another(hunted: Playing):
    assert "Did you mean" not in answer(hunted.people[2], "taxi 110\nor should I rather take the bus to 82?")


def test_of_a_pawn_that_has_moved_it_is_said_so(pairs: Playing):
    ben = pairs.people[1]
    answer(ben, "purple taxi 15")
    assert "Purple has already moved in this round. Nothing was done." in answer(ben, "purple 16")


def test_before_mr_x_has_begun_the_round_no_pawn_is_said_to_have_moved(pairs: Playing):
    pairs.play_round()
    pairs.table.tick()
    ben = pairs.people[1]
    answer(ben, "STATUS")
    assert "Purple has no move to make now. Nothing was done." in answer(ben, "purple 16")


def test_a_command_in_natural_words_is_done_and_a_wrong_one_is_explained(hunted: Playing):
    """In which words a command is known is in `tests/language/test_command_words.py`."""
    turn = hunted.people[1].mails[-1]
    for text, says in (
        ("BOARD foo", 'BOARD is a command, but "foo" cannot follow it. "BOARD 46"'),
        ("NEW standard 6 with ann@example.net, bob@example.net", "The editions are"),
        ("NEW 3 foo", "The editions are milton-bradley-1985, ravensburger-2000, condensed and ravensburger-2013."),
        ("NEW 2 1985", "The edition Milton Bradley 1985 is for 3 to 6 people, Mr. X included, not 2. For 2 there is"),
        ("NEW 3 ravensburger", "The rules are those of the edition Ravensburger 2000."),
        ("JOIN abc", "There is no game with that code"),
        ("DRAW off", "You have offered no draw, so there is nothing to take back."),
        ("please draw", "without a winner"),
        ("help me please", 'To move, answer this mail with a line such as "purple taxi NN"'),
        ("Regeln bitte", "These are the rules of"),
        ("Where is everybody?", "127"),
    ):
        assert says in answer(hunted.people[1], text, to=turn), text
    assert "Your mail about " in answer(hunted.people[2], "Wer ist dran?")


def test_a_yes_beside_a_move_that_has_nothing_to_answer_does_no_harm(hunted: Playing):
    said = answer(hunted.people[1], "Yes\nbus 102")
    assert 'played: "purple bus 102".' in said
    assert "Not done" not in said


# Late, elsewhere, strange -----------------------------------------------------------------------------


def test_an_answer_after_the_house_has_moved_gets_the_state_of_affairs(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    mail_only_to(hunted.table, "Ben")
    hunted.table.clock.turn(hours=49)
    hunted.table.tick()
    before = history(hunted)
    said = answer(ben, "bus 102", to=turn)
    assert "Your mail answers a mail about an earlier round, and the game has moved on. Nothing was done." in said
    assert "It is the turn of Mr. X until" in said
    assert "Tickets (taxi/bus/underground)" in said
    assert history(hunted) == before


def test_the_answer_to_an_old_token_carries_one_that_is_good(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    mail_only_to(hunted.table, "Ben")
    hunted.table.clock.turn(hours=49)
    hunted.table.tick()
    hunted.move(hunted.people[0], "taxi 101")
    hunted.table.tick()
    said = answer(ben, "bus 102", to=turn)
    assert "You can go from" in said
    assert "Understood and played" in answer(ben, hunted.legal(ben)[0])


def test_a_mail_that_came_in_time_counts_though_it_is_read_late(hunted: Playing):
    mail_only_to(hunted.table, "Ben")
    hunted.table.clock.turn(hours=47)
    hunted.people[1].reply("bus 102")
    hunted.table.clock.turn(hours=2)
    hunted.table.tick()
    assert history(hunted)[1] == "purple bus 102"


def test_an_answer_after_the_end_gets_the_result(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    mail_only_to(hunted.table, "Ben")
    for person in hunted.people[1:4]:
        hunted.move(person)
    hunted.move(hunted.people[4])
    hunted.move(hunted.people[5])
    for _ in range(2):
        hunted.table.clock.turn(hours=49)
        hunted.table.tick()
    said = answer(ben, "bus 102", to=turn)
    assert "This game is over; there is nothing to move." in said
    assert "The detectives have won: Mr. X let his time run out more than once." in said


def test_a_mail_whose_sender_is_not_exactly_the_player_does_nothing(hunted: Playing):
    to = hunted.people[1].mails[-1]["Reply-To"].addresses[0].addr_spec
    for number, (sender, became) in enumerate((
        ("Ben <ben@example.org>, eve@example.org", "other-sender"),
        ('"ben@example.org" <mallory@evil.example>', "unknown-sender"),
        ("Ben", "other-sender"),
    )):  # fmt: skip
        raw = f"From: {sender}\r\nMessage-ID: <q{number}@q>\r\n\r\nbus 102\r\n".encode()
        hunted.table.clock.turn(minutes=1)
        hunted.table.deliver(raw, "x@y.example", to)
        hunted.table.tick()
        assert verdict(hunted.table) == became, sender
    assert len(history(hunted)) == 1


def test_the_case_of_an_address_does_not_matter(hunted: Playing):
    assert "Understood and played" in answer(hunted.people[1], "bus 102", sender="BEN@Example.ORG")


def test_a_reply_address_dies_when_the_seat_changes_hands(table: Table):
    ada, ben, cleo = table.people(3)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}, {"role": "detective"}]
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    table.tick()
    invitation = ben.mails[-1]
    assert "You have taken the seat of Purple and Red." in answer(ben, "YES", to=invitation)
    assert "You have left the game" in answer(ben, "LEAVE", to=invitation)
    cleo.post(f"/games/{made}/seats", {"seat": 2})
    before = len(table.post.sent)
    ben.reply("LEAVE", to=invitation)
    cleo.reply("LEAVE", to=invitation)
    table.tick()
    assert [seat["player"] for seat in ada.get(f"/games/{made}").json["seats"]] == [ada.id, cleo.id, None]
    told = {recipient: flat(mail) for recipient, mail in table.post.sent[before:]}
    assert "You play in no game at the moment" in told[ben.address]
    assert "its seat has changed hands" in told[cleo.address]


def test_mail_to_an_address_that_was_never_printed_is_kept_and_answered_by_nothing(hunted: Playing):
    before = len(hunted.table.post.sent)
    write(hunted.people[1], "bus 102", to="turn+aaaaaaaaaaaaaaaa@localhost")
    hunted.table.tick()
    assert verdict(hunted.table) == "unknown-address"
    assert len(hunted.table.post.sent) == before


# How often ------------------------------------------------------------------------------------------


def sent(person: Person) -> int:
    """Return how many mails this person gets at this tick."""
    before = len(person.mails)
    person.table.tick()
    return len(person.mails) - before


def test_a_person_is_answered_however_often_they_are_misunderstood(hunted: Playing, monkeypatch: pytest.MonkeyPatch):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    if not IS_CAMPAIGN:
        monkeypatch.setattr(limits, "UNPROVEN_ANSWERS", replace(limits.UNPROVEN_ANSWERS, most=3))
    # More often than a stranger
    for number in range(limits.UNPROVEN_ANSWERS.most + 1):
        ben.reply(f"What about {number} of them?", to=turn)
    assert sent(ben) == limits.UNPROVEN_ANSWERS.most + 1
    assert "no move or command" in flat(ben.mails[-1])


def test_what_is_not_understood_is_not_read_out_and_is_answered_with_an_example_beside_the_legal_stations(
    pairs: Playing,
):
    said = answer(pairs.people[1], "Shall we meet at the zoo?\n\nYours, Ben")
    assert "I found no move or command in your mail. Nothing was done." in said
    assert "zoo" not in said
    assert 'Write a line like "purple taxi NN" above the quoted text, with one of these stations.' in said
    assert "Purple can go from 26 - by" in said
    assert "Red can go from 29 - by" in said
    assert "Tickets (taxi/bus/underground)" not in said
    assert "ravel log" not in said


def test_a_mail_of_a_subject_alone_is_answered_for_what_stands_there(pairs: Playing):
    for subject, told in (
        ("Shall we meet at the zoo?", "I found no move or command in your mail."),
        ("Where was Mr. X last?", "The travel log of Mr. X"),
        ("Re: [Midnight Soho] Turn 2", "I found no words of yours"),
        ("TRY taxi 15 STOP", 'did you mean "purple taxi 15"?'),
    ):
        assert told in answer(pairs.people[1], "", Subject=subject), subject


@pytest.fixture
def most(monkeypatch: pytest.MonkeyPatch) -> int:
    """The most answers in an hour that do not wait: fewer than elsewhere, except in a campaign."""
    assert limits.PROMPT_ANSWERS.most == 20
    if not IS_CAMPAIGN:
        monkeypatch.setattr(limits, "PROMPT_ANSWERS", replace(limits.PROMPT_ANSWERS, most=4))
    return limits.PROMPT_ANSWERS.most


def test_after_as_many_answers_as_an_hour_may_have_one_goes_out_every_three_minutes(hunted: Playing, most: int):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    for number in range(most + 3):
        ben.reply(f"What about {number} of them?", to=turn)
    assert sent(ben) == most
    for _ in range(3):
        assert sent(ben) == 0
        hunted.table.clock.turn(minutes=3)
        assert sent(ben) == 1


def test_an_answer_that_waited_says_of_when_it_is_if_the_game_has_gone_on(hunted: Playing, most: int):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    for number in range(most + 2):
        ben.reply(f"What about {number} of them?", to=turn)
    assert sent(ben) == most
    hunted.table.clock.turn(minutes=3)
    assert sent(ben) == 1
    assert "The game has gone on since" not in flat(ben.mails[-1])
    assert "mailto:" in html_of(ben.mails[-1])
    hunted.move(ben, "taxi 115")
    hunted.table.clock.turn(minutes=3)
    assert sent(ben) == 1
    said = flat(ben.mails[-1])
    assert "This answers your mail of Sunday 22 November, 18:00 in London. The game has gone on since" in said
    assert "You can go" not in said, "nor are its choices"
    assert "Your move is due" not in said
    assert "mailto:" not in html_of(ben.mails[-1]), "a move of then may be none of now"


def test_an_answer_from_before_the_end_of_the_game_says_so_even_if_it_is_new(
    hunted: Playing, most: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(compose, "LATE", timedelta(hours=1))
    ada, ben = hunted.people[:2]
    for number in range(most + 1):
        ben.reply(f"What about {number} of them?", to=ben.mails[0])
    assert sent(ben) == most
    ada.post(f"{hunted.path}/resign")
    hunted.table.clock.turn(minutes=3)
    hunted.table.tick()
    assert any("The game is over since" in flat(mail) for mail in ben.mails[-2:])
    assert not any("You can go" in flat(mail) for mail in ben.mails[-2:])


def test_above_a_hundred_in_a_day_answers_wait_until_the_next_and_the_operator_can_send_them(
    hunted: Playing, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "ANSWERS", replace(limits.ANSWERS, most=3))
    table, ben = hunted.table, hunted.people[1]
    turn = ben.mails[-1]
    for number in range(6):
        ben.reply(f"What about {number} of them?", to=turn)
    assert sent(ben) == 3
    with table.app.app_context():
        assert "Answers that wait until tomorrow" in str(alerts.CAUSES["held-answers"]())
        (first, *_) = [mail["id"] for mail in envelopes.outgoing(state="pending")]
        envelopes.send_again(first)
        session.remove()
    assert sent(ben) == 1
    for text in ("STATUS", "help", "TRY bus 102\nbus 102"):
        assert len([mail for mail in (answer(ben, text, to=turn),) if mail]) == 1
    table.clock.turn(hours=23)
    assert [mail["Subject"] for mail in ben.mails if "Hello" in text_of(mail)] == []
    table.clock.turn(hours=2)
    assert sent(ben) >= 2


def test_equal_answers_to_what_is_no_command_come_once_an_hour_and_some_times_a_day(
    hunted: Playing, monkeypatch: pytest.MonkeyPatch
):
    assert limits.EQUAL_MAILS.most == 10
    if not IS_CAMPAIGN:
        monkeypatch.setattr(limits, "EQUAL_MAILS", replace(limits.EQUAL_MAILS, most=3))
    ben = hunted.people[1]
    turn = ben.mails[-1]
    before = len(ben.mails)
    for number in range(2 * limits.EQUAL_MAILS.most + 2):
        hunted.table.clock.turn(minutes=30)
        ben.reply(f"Thank you for your mail! It is {number}:05, and your ticket is #{number}.", to=turn)
        hunted.table.tick()
    assert len(ben.mails) - before == limits.EQUAL_MAILS.most
    assert "Understood and played" in answer(ben, "bus 102", to=turn)


WORDS_OF_MACHINES = {
    "the same words": "Thank you for writing to us. We will get back to you within two working days.",
    "a number in it": "Ticket #{number} was opened for you. We will get back to you within two working days.",
    "an absence": "I am away until Monday and will read your mail then. In urgent matters call Jane.",
    "our subject": 'Your message "{subject}" has reached us. We will get back to you soon.',
    "our words": "Thank you for your message. We will get back to you. Your message was:\n\n{text}",
    "our words on one line": 'You wrote: "{line}" - we will get back to you.',
}


@pytest.mark.parametrize("words", WORDS_OF_MACHINES.values(), ids=WORDS_OF_MACHINES)
def test_an_autoresponder_without_a_mark_gets_one_answer_or_two(hunted: Playing, words: str):
    ben, table = hunted.people[1], hunted.table
    before = len(ben.mails)
    for number in range(20):
        last = ben.mails[-1]
        text = text_of(last)
        ben.reply(words.format(number=number, subject=last["Subject"], text=text, line=" ".join(text.split())[:400]))
        table.clock.turn(seconds=1)
        table.tick()
    assert 1 <= len(ben.mails) - before <= 2
    assert "Understood and played" in answer(ben, "bus 102", to=ben.mails[1])


def test_an_autoresponder_is_not_answered_any_more_after_two_of_our_mails(hunted: Playing):
    ben, table = hunted.people[1], hunted.table
    answered = 0
    for _ in range(3):  # mails of the server, of which each sets it off
        hunted.people[2].reply("SAY Where are you?")
        table.tick()
        while True:
            before = len(ben.mails)
            ben.reply("I am away. Your mail will be read later.")
            table.tick()
            if len(ben.mails) == before:
                break
            answered += 1
            table.clock.turn(seconds=1)
        table.clock.turn(hours=1)
    assert answered == 2
    assert "Understood and played" in answer(ben, "bus 102", to=ben.mails[1])


def test_a_flood_of_the_same_command_is_a_machines_too(hunted: Playing):
    ben = hunted.people[1]
    before = len(ben.mails)
    for _ in range(12):
        ben.reply("BOARD 46", to=ben.mails[1])
    hunted.table.tick()
    assert len(ben.mails) - before == limits.EQUAL_COMMANDS.most


# Commands -------------------------------------------------------------------------------------------


def test_status_tells_how_the_game_stands(hunted: Playing):
    said = answer(hunted.people[1], "status")
    for fact in (
        "Your move is due Tuesday 24 November, 18:00 in London",
        "Tickets (taxi/bus/underground): you 8/7/4, Red at 67 8/8/3",
        "Mr. X 10/8/5, three black and two doubles",
        "Travel log from move 9: X.",
        "Mr. X can be on 79, 100, 110, 112, 124 or 163. You will see him after move 13, in four moves.",
    ):
        assert fact in said


def test_legal_lists_what_may_be_played(hunted: Playing):
    assert "by taxi to 51, 66, 68 or 84 (8 left) - by bus to 23" in answer(hunted.people[2], "LEGAL")


def test_board_describes_a_station_and_the_ways_to_another(hunted: Playing):
    said = answer(hunted.people[1], "BOARD 91 46")
    assert "Station 91 is linked by taxi to 56" in said
    assert "It takes four moves from 91 to 46" in said
    assert "There is no station 200 on this board." in answer(hunted.people[1], "board 200")


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


def test_help_lists_the_commands(hunted: Playing):
    said = answer(hunted.people[1], "HELP ALL")
    assert '"BOARD 46" tells of a station' in said
    assert "A command stands on a line of its own, above the quoted text." in said
    assert "These commands are understood" in said


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


def test_giving_up_is_asked_once_more(hunted: Playing):
    ben = hunted.people[1]
    mail_only_to(hunted.table, "Ben")
    assert "You have not resigned yet. With YES" in answer(ben, "RESIGN")
    assert hunted.view()["seats"][1]["player"] == ben.id
    assert "You have given the game up." in answer(ben, "yes")
    assert hunted.view()["seats"][1]["bot"] == "constable"


def test_who_gave_up_is_not_told_any_more_what_his_team_knows(hunted: Playing):
    cleo, ben = hunted.people[2], hunted.people[1]
    mail_only_to(hunted.table, "Ben")
    hunted.move(cleo, "bus 102")
    answer(ben, "RESIGN")
    assert "red bus 102" not in answer(ben, "YES")


def test_no_to_giving_up_gives_nothing_up(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    answer(ben, "NO")
    assert "There is no open question to answer with YES." in answer(ben, "YES")
    assert hunted.view()["seats"][1]["player"] == ben.id


def test_mr_x_ends_the_game_by_giving_up(hunted: Playing):
    ada = hunted.people[0]
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


# Seats ----------------------------------------------------------------------------------------------


@pytest.fixture
def invited(table: Table) -> tuple[Table, list[Person], str]:
    """Ada hosts and is Mr. X; Ben and Cleo are invited as detectives with two pawns each."""
    game = again(table, _inviting)
    return table, game.people, game.id


def _inviting(table: Table) -> Playing:
    people = table.people(3)
    seats = [{"role": "mr_x", "player": people[0].id}]
    seats += [{"role": "detective", "player": person.id} for person in people[1:]]
    made = people[0].post("/games", {"edition": "ravensburger-2000", "seats": seats})
    table.tick()
    return Playing(table, made.json["id"], people)


def test_a_whole_game_is_set_up_by_mail(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, cleo), game_id = invited
    answer(ben, "Yes")
    answer(cleo, "YES!")
    assert ada.mails[-1]["Subject"].endswith("Everybody is here; the game can start")
    before = len(ada.mails)
    ada.reply("START")
    ada.table.tick()
    (turn,) = ada.mails[before:]
    assert "Mr. X, your move by" in turn["Subject"], "it is the answer to START"
    assert ada.get(f"/games/{game_id}").json["status"] == "running"


def test_no_to_an_invitation_opens_the_seat_to_others(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, _cleo), game_id = invited
    assert "You have declined the invitation, and the seat is open to others." in answer(ben, "no")
    assert ada.get(f"/games/{game_id}").json["seats"][1]["state"] == "open"


def test_start_is_for_the_host_and_for_a_full_table(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, cleo), game_id = invited
    answer(ben, "YES")
    assert "Only the host starts the game. Nothing was done." in answer(ben, "START")
    said = ada.post(f"/games/{game_id}/start").json["detail"]
    assert said == "The game cannot start: Cleo has not accepted seat 3 (Green and Yellow) yet."
    answer(cleo, "YES")
    cleo.request("DELETE", f"/games/{game_id}/seats/3")
    assert "The game cannot start: seat 3 (Green and Yellow) is open. Nothing was done." in answer(
        ada, "START", to=ada.mails[0]
    )


def test_a_move_before_the_start_is_told_so(invited: tuple[Table, list[Person], str]):
    _, (_ada, ben, _cleo), _ = invited
    answer(ben, "YES")
    assert "The game has not begun, so there is nothing to move. Nothing was done." in answer(ben, "red taxi 46")


def test_leave_gives_the_seat_back_before_the_start_and_not_after(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, cleo), game_id = invited
    answer(ben, "YES")
    answer(cleo, "YES")
    answer(cleo, "LEAVE")
    assert ada.get(f"/games/{game_id}").json["seats"][2]["state"] == "open"
    cleo.post(f"/games/{game_id}/seats", {"seat": 3})
    ada.post(f"/games/{game_id}/start")
    ada.table.tick()
    assert "This game has started" in answer(ben, "LEAVE", to=ben.mails[-1])


# The play address -----------------------------------------------------------------------------------


def at_play(person: Person, text: str, **headers: str) -> list[Any]:
    """The mails that a mail to the play address brings to anybody."""
    before = len(person.table.post.sent)
    write(person, text, **headers)
    person.table.tick()
    return person.table.post.sent[before:]


def test_what_changes_something_is_answered_with_a_mail_that_carries_a_token(hunted: Playing):
    ben = hunted.people[1]
    address = ben.mails[1]["Reply-To"]
    for text in ("bus 102", "RESIGN", "LEAVE", "CANCEL", "YES", "START", "SET zone UTC", "STOP"):
        ((recipient, mail),) = at_play(ben, text)
        assert recipient == ben.address
        assert "Nothing was done. Send the same line in an answer to this mail instead." in flat(mail), text
        assert mail["Reply-To"] == address
    assert len(history(hunted)) == 1


def test_the_token_of_that_mail_is_good(hunted: Playing):
    at_play(hunted.people[1], "bus 102")
    assert "Understood and played" in answer(hunted.people[1], "bus 102")


def test_what_changes_nothing_is_done(hunted: Playing):
    for text in ("STATUS", "LEGAL", "LOG", "BOARD 46", "TRY bus 102", "HELP"):
        ((recipient, mail),) = at_play(hunted.people[1], text)
        assert recipient == hunted.people[1].address
        assert "nothing can be changed" not in flat(mail), text
        assert mail["Subject"].startswith("[Foggy Thames] Round 1, Purple: "), text


def test_a_stranger_of_whom_nothing_is_known_is_not_answered(hunted: Playing):
    assert at_play(hunted.people[1], "HELP", From="stranger@example.net") == []
    assert verdict(hunted.table) == "stranger-unproven"


def test_who_has_no_game_is_told_so(table: Table):
    gwen = table.person("Gwen")
    ((_, mail),) = at_play(gwen, "STATUS")
    assert '"PLAY" begins a practice game against bots.' in flat(mail)
    assert mail["Reply-To"].addresses[0].addr_spec == "play@localhost"
    ((_, mail),) = at_play(gwen, "HELP ALL")
    assert '"STATUS" tells how the game stands; at the play address, all your games.' in flat(mail)
    ((_, mail),) = at_play(gwen, "I want to play with Ben")
    assert "found no move or command in your mail. Nothing was done." in flat(mail)
    assert '"NEW 4 with ben@example.org" opens a game' in flat(mail)


@pytest.mark.parametrize(
    "text", ["STOP", "SET mail off", "SET zone Europe/Berlin", "AWAY 24 Dec to 2 Jan", "BLOCK Ben"]
)
def test_who_has_no_game_is_told_that_a_change_was_not_made_and_where_it_can_be(table: Table, text: str):
    gwen = table.person("Gwen")
    ((_, mail),) = at_play(gwen, text)
    said = flat(mail)
    assert f'Not done: "{text}". That is done in an answer to a mail of ours about a game' in said
    assert "PLAY begins a game whose mails you can answer." in said
    assert gwen.get("/me/preferences").json["mail"] == "usual"


def test_who_resigns_when_all_others_want_a_draw_is_told_that_it_is_one(hunted: Playing):
    ben = hunted.people[1]
    for person in (hunted.people[0], *hunted.people[2:]):
        person.post(f"{hunted.path}/draw")
    mail_only_to(hunted.table, "Ben")
    assert "YES ends the game without a winner, as all others have offered a draw" in answer(ben, "RESIGN")
    ben.reply("YES")
    hunted.table.tick()
    assert hunted.view()["outcome"]["winner"] == "draw"


def test_the_host_is_no_bot_and_a_zone_is_a_place(hunted: Playing):
    ada, ben = hunted.people[:2]
    mail_only_to(hunted.table, "Ada", "Ben")
    answer(ben, "RESIGN")
    answer(ben, "YES")
    assert "No person plays Purple in this game." in answer(ada, "HOST purple")
    assert "'localtime' is no time zone" in answer(ada, "SET zone localtime")


@pytest.mark.parametrize(
    ("visibility", "said"),
    [
        ("public", "With YES a bot moves for you, and NO keeps your seat."),
        ("private", "you will not see this private game any more"),
    ],
)
def test_the_question_about_resigning_says_whether_the_game_can_still_be_seen(table: Table, visibility: str, said: str):
    game = table.game(table.people(3))
    with table.app.app_context(), transaction():
        session.get_one(Game, game.id).visibility = visibility
    table.tick()
    assert said in answer(game.people[1], "RESIGN")


def test_a_stop_that_is_proved_to_be_of_a_player_without_a_game_ends_the_mail(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(examine, "authenticate", lambda *_: Authentication(dmarc="pass"))
    gwen = table.person("Gwen")
    ((_, mail),) = at_play(gwen, "STOP")
    assert "You get no more mail from this server" in flat(mail)
    assert gwen.get("/me/preferences").json["mail"] == "off"


def test_who_has_several_games_is_told_of_all_and_the_one_that_waits_comes_first(hunted: Playing):
    table, ben = hunted.table, hunted.people[1]
    waiting = table.game([*(table.person(name) for name in ("Gil", "Hal")), ben], "ravensburger-2000")
    waiting.move(waiting.people[0])
    for person in hunted.people[1:]:
        hunted.move(person)
    table.tick()
    ((_, mail),) = at_play(ben, "STATUS")
    assert "You are also Purple in Foggy Thames (not your turn); for that game write to turn+" in flat(mail)
    assert "Round 1, Green and Yellow." in flat(mail)


def test_the_addresses_of_the_other_games_are_good(hunted: Playing):
    table, ben = hunted.table, hunted.people[1]
    seats = [{"role": "mr_x"}, {"role": "detective", "player": ben.id}, {"role": "detective"}]
    made = table.person("Gil").post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    ((_, mail), _invitation) = sorted(at_play(ben, "STATUS"), key=lambda sent: "invited" in sent[1]["Subject"])
    told = flat(mail)
    assert "(where the seat is reserved for you)" in told
    address = next(word for word in told.split() if word.startswith("turn+"))
    write(ben, "YES", to=address)
    table.tick()
    assert ben.get(f"/games/{made}").json["you"] == {"seat": 2, "pawns": ["purple", "red"]}


def test_nonsense_at_the_play_address_is_answered_some_times_a_day(hunted: Playing, monkeypatch: pytest.MonkeyPatch):
    assert limits.CLAIMS.most == 10
    most = 10 if IS_CAMPAIGN else 3
    monkeypatch.setattr(limits, "CLAIMS", replace(limits.CLAIMS, plenty=most, most=most))
    counts = [len(at_play(hunted.people[1], "Hello?")) for _ in range(most + 2)]
    assert counts == [1] * most + [0] * 2


def test_a_player_who_wants_no_mail_is_still_answered(hunted: Playing):
    with hunted.table.app.app_context(), transaction():
        session.get_one(Player, hunted.people[1].id).mail = "off"
    assert len(at_play(hunted.people[1], "STATUS")) == 1


# Bad mails ------------------------------------------------------------------------------------------


def test_a_mail_that_cannot_be_read_is_answered_with_why(hunted: Playing):
    ben = hunted.people[1]
    to = ben.mails[-1]["Reply-To"].addresses[0].addr_spec
    for number, (raw, told) in enumerate((
        ("Content-Type: text/plain; charset=utf-7\r\n\r\nbus 102", "The letters of your mail cannot be read"),
        ("Content-Type: multipart/encrypted; boundary=x\r\n\r\n--x\r\n\r\nbus 102\r\n--x--", "Your mail is encrypted"),
        ("garbage\r\n\r\nbus 102", "Your mail arrived in a form that cannot be read for certain"),
        ("\r\n" + "x" * 1_100_000, "Your mail is too large to be read"),
        ("\r\n", "no move or command"),
    )):  # fmt: skip
        head = f"From: {ben.address}\r\nMessage-ID: <bad{number}@mail>\r\nSubject: x\r\n"
        before = len(ben.mails)
        hunted.table.clock.turn(minutes=61)  # equal answers are one an hour
        hunted.table.deliver(f"{head}{raw}\r\n".encode(), ben.address, to)
        hunted.table.tick()
        (mail,) = ben.mails[before:]
        assert told in flat(mail)
    assert len(history(hunted)) == 1


def test_answers_lie_sealed_until_they_are_sent(hunted: Playing):
    hunted.people[0].reply("LOG")
    with hunted.table.app.app_context():
        inbox.process_waiting()
        (row,) = session.scalars(select(Outgoing).where(Outgoing.kind == "answer"))
        assert any("black ticket for a bus to 100" in block["text"] for block in row.details["blocks"])
        session.remove()
    assert b"for a bus to 100" not in stored(hunted.table.app)


def test_the_form_of_a_double_move_is_told_to_who_tries_one_or_asks_for_the_choices(table: Table):
    people = table.people(4)
    table.game(people, position=position(111, purple=15, red=41, green=29))
    table.tick()
    for text in ("double taxi 15", "2x taxi 15", "Doppelzug"):
        said = answer(people[0], text)
        assert 'such as "double taxi NN bus NN", with any two tickets that you have' in said, text
    assert "A double move may use any two tickets that you have." in answer(people[0], "LEGAL")


def test_somebody_who_sends_the_example_as_it_is_reads_what_nn_stands_for(hunted: Playing):
    assert "NN stands for the number of a station." in answer(hunted.people[1], "purple taxi NN")
    assert "NN stands" not in answer(hunted.people[1], "purple taxi")


def test_what_cannot_follow_a_command_or_has_to_is_told_with_the_choices(hunted: Playing):
    extend = 'EXTEND is a command, but something has to follow it. "EXTEND 2 days" asks the others for more time.'
    for text, told in (
        ("RULES 1850", 'RULES is a command, but "1850" cannot follow it.'),
        ("PLAY chess", "The editions are"),
        ("HOST pink", "The detectives are Purple, Red, Green, Yellow and Blue."),
        ("COVER pink", "The detectives are"),
        ("EXTEND", extend),
    ):
        said = answer(hunted.people[1], text)
        assert told in said, text
        assert "found no move or command" not in said, text
        assert "Nothing was done." in said, text


# What an answer says first


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


def test_thanks_of_a_player_who_is_waited_for_are_met_with_that(hunted: Playing):
    said = answer(hunted.people[1], "Thanks!")
    assert "You are welcome. It is your move." in said
    assert "found nothing" not in said


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
