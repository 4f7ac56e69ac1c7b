"""A mail with moves has its effect, and one answer; the other tests of commands share what is first here."""

from typing import Any

import pytest
from sqlalchemy import select

from server.models import Incoming, session
from tests.kept import again
from tests.scenes import (
    dealing,
    hunt,
    pairs,
    text_of,
    write,
)
from tests.table import Person, Playing, Table


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


def at_play(person: Person, text: str, **headers: str) -> list[Any]:
    """The mails that a mail to the play address brings to anybody."""
    before = len(person.table.post.sent)
    write(person, text, **headers)
    person.table.tick()
    return person.table.post.sent[before:]


def history(game: Playing) -> list[str]:
    found: list[str] = game.view(game.people[1])["history"]
    return found


def ahead(game: Playing) -> list[str]:
    return [kept["notation"] for kept in game.view(game.people[1])["ahead"]]


@pytest.mark.parametrize("words", ["102", "Hello all,\n\n*bus 102*\n\nBen"])
def test_a_move_in_a_loose_form_is_played(hunted: Playing, words: str):
    """All such forms are in `tests/language/test_matching.py`."""
    assert 'Understood and played: "purple bus 102".' in answer(hunted.people[1], words)
    assert history(hunted) == ["black ?", "purple bus 102"]


def test_a_move_of_mr_x_in_a_loose_form_is_played(chased: Playing):
    said = answer(chased.people[0], "2x t 112 x 100")
    assert 'Understood and played: "double taxi 112 black 100".' in said


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


def test_the_pawn_may_be_left_out_where_only_one_can_be_meant(pairs: Playing):
    assert '"purple taxi 15" and "red taxi 41"' in answer(pairs.people[1], "taxi 15\ntaxi 41")


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


def test_a_second_move_does_not_slip_to_another_pawn(pairs: Playing):
    # 41 is meant for Red, 42 corrects it: neither is taken for a move of Purple, who cannot go there.
    assert "Reply with the one you mean." in answer(pairs.people[1], "red taxi 41\ntaxi 42")
    assert len(history(pairs)) == 1


def test_a_move_that_two_pawns_could_make_lists_both(neighbours: Playing):
    for text in ("28", "taxi 28"):
        said = answer(neighbours.people[1], text)
        assert 'That can mean more than one move: "purple taxi 28" or "red taxi 28". Send the one you mean.' in said


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
