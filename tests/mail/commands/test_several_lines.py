"""A mail of several lines: all are checked first, moves stand once they are made, and the rest undoes nothing."""

from pathlib import Path

import pytest
from sqlalchemy import select

from server.models import Player, session
from tests.kept import again
from tests.mail.commands.test_dispatch import a_round_later, answer, history
from tests.scenes import chase, hunt, pairs
from tests.table import Playing, Table


@pytest.fixture
def game(table: Table) -> Playing:
    return pairs(table)


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


@pytest.fixture
def neighbours(table: Table) -> Playing:
    """Purple at 15 and Red at 41, both Ben's, have 28 in common."""
    return again(table, a_round_later)


@pytest.fixture
def cornered(table: Table) -> Playing:
    """A game in which Yellow (Eve), whose turn it is, can take Mr. X on 124."""
    game = chase(table)
    moves = ("black 124", "purple taxi 115", "red underground 111", "green taxi 140")
    for person, move in zip(game.people, moves, strict=False):
        assert game.move(person, move).status_code == 201
    table.tick()
    return game


def zone(game: Playing, name: str) -> str:
    with game.table.app.app_context():
        return session.scalars(select(Player.zone).where(Player.name == name)).one()


def test_behind_the_move_that_ends_the_game_the_rest_is_told_and_the_move_stands(cornered: Playing):
    eve = cornered.people[4]
    told = answer(eve, "yellow bus 124\nDRAW\nSET zone Asia/Tokyo")
    assert cornered.view(eve)["outcome"]["reason"] == "captured"
    assert 'Not done: "DRAW". This game is over; there is nothing to agree on.' in told
    assert zone(cornered, "Eve") == "Asia/Tokyo"


def test_a_line_that_nobody_could_do_refuses_the_whole_mail_first(cornered: Playing):
    eve = cornered.people[4]
    told = answer(eve, "yellow bus 124\nSET zone Nowhere")
    assert "Nothing was done." in told
    assert cornered.view(eve)["status"] == "running"
    assert history(cornered)[-1] == "green taxi 140"


def test_a_second_move_is_checked_behind_the_first(game: Playing):
    told = answer(game.people[1], "purple taxi 15\nred taxi 15")
    assert "Nothing was done." in told
    assert history(game) == ["taxi ?"]


def test_two_moves_may_follow_each_other_onto_a_station_that_the_first_leaves(game: Playing):
    answer(game.people[1], "purple taxi 15\nred taxi 16")
    assert history(game)[1:] == ["purple taxi 15", "red taxi 16"]


def test_of_commands_that_change_the_game_what_stands_behind_is_told_apart(game: Playing):
    ben = game.people[1]
    told = answer(ben, "NEW 3\nSTART")
    assert "You have opened a game" in told
    assert 'Not done: "START". The game cannot start' in told


def test_there_are_no_savepoints():
    assert [path for path in Path("server").rglob("*.py") if "begin_nested" in path.read_text()] == []


def test_a_move_beside_the_answer_to_an_open_question_is_not_guessed(game: Playing):
    ben = game.people[1]
    assert "did you mean" in answer(ben, "I think I take purple taxi 15")
    for lines in ("YES\nred taxi 16", "red taxi 16\nYES", "NO\nred taxi 16"):
        told = answer(ben, lines)
        assert "Send the answer and the move in two mails. Nothing was done." in told, lines
    answer(ben, "YES")
    assert history(game)[1:] == ["purple taxi 15"]


def test_yes_to_a_vote_confirms_no_move_of_the_same_mail(game: Playing):
    ada, ben, _cleo = game.people
    answer(ben, "SET hold always")
    ada.post(f"{game.path}/votes", {"kind": "extend", "length": "P1D"})
    game.table.tick()
    told = answer(ben, "YES\npurple taxi 15")
    assert 'Understood: "purple taxi 15". I play it' in told
    assert history(game) == ["taxi ?"]
    (vote,) = ada.get(f"{game.path}/votes").json["votes"] or [None]
    assert vote is None or 2 in vote["for"]


def test_a_move_beside_cancel_is_not_guessed(game: Playing):
    told = answer(game.people[1], "CANCEL\npurple taxi 15")
    assert 'I read "purple taxi 15", and above it "CANCEL". Nothing was done yet.' in told
    assert history(game) == ["taxi ?"]


def test_a_move_that_is_said_to_be_of_another_pawn_is_asked_about(hunted: Playing):
    """All such words are in `tests/language/test_doubts.py`."""
    ben = hunted.people[1]
    for text in ("pour le rouge :\ntaxi 115", "taxi 115\n@Cleo", "taxi 115\n\nBlue, maybe 116?"):
        said = answer(ben, text)
        assert 'I read "purple taxi 115", and' in said, text
        assert "Nothing was done yet" in said, text
    assert history(hunted) == ["black ?"]
    answer(ben, "taxi 115\n@Cleo")
    assert 'played: "purple taxi 115".' in answer(ben, "YES")


@pytest.mark.parametrize("text", ["Red should take\npurple taxi 115", "Hi Cleo,\n\ntaxi 115\n\nThanks, Blue!\nBen"])
def test_a_move_beside_talk_to_another_player_is_played(hunted: Playing, text: str):
    answer(hunted.people[1], text)
    assert history(hunted) == ["black ?", "purple taxi 115"]


def test_what_stands_behind_the_yes_that_gives_the_game_up_is_told_so(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    said = answer(ben, "YES\nSAY hello\nDRAW")
    assert "You have given the game up. Not done:" in said
    assert "You have just given up your seat in this game." in said


def test_help_behind_the_yes_that_gives_the_game_up_offers_nothing_of_it(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    said = answer(ben, "YES\nHELP")
    assert "You have no seat in this game any more." in said
    assert "EXTEND" not in said


def test_at_the_address_of_a_seat_that_was_given_up_no_other_game_is_meant(table: Table, hunted: Playing):
    ben = hunted.people[1]
    old = ben.mails[-1]
    other = table.game([*hunted.people[2:5], ben])
    table.tick()
    answer(ben, "RESIGN", to=old)
    answer(ben, "YES")
    name = hunted.view()["name"]
    for text in ("taxi 115", "STATUS", "EXTEND 2 days", "START", "RULES", "MAP", "hello there"):
        said = answer(ben, text, to=old)
        assert f"Your mail came to a reply address of {name} that is no longer valid" in said
        assert "Nothing was done." in said
        assert f"in {other.view(ben)['name']} (not your turn); for that game write to" in said
        assert "[" not in ben.mails[-1]["Subject"]
    assert '"HELP ALL" lists every command' in answer(ben, "HELP", to=old)
    before = len(ben.mails)
    ben.reply("Thanks!", to=old)
    table.tick()
    assert len(ben.mails) == before


def test_a_pawn_that_is_to_stay_on_the_line_of_a_move_is_asked_about(game: Playing):
    for text in ("Purple to 15, Red stays", "Red stays, purple taxi 15", "purple taxi 15 and Red stays."):
        assert "A pawn that can move has to, so Red cannot stay." in answer(game.people[1], text), text
    assert history(game) == ["taxi ?"]


def test_of_a_kept_move_that_a_move_of_the_same_player_sends_back_the_answer_tells(neighbours: Playing):
    ben = neighbours.people[1]
    answer(ben, "red taxi 28")
    said = answer(ben, "purple taxi 28")
    assert 'Understood and played: "purple taxi 28".' in said
    assert 'Your move ahead "red taxi 28" was not played. Another detective stands on 28' in said


def test_status_tells_of_votes_and_draws_that_are_open_and_of_a_pause(hunted: Playing):
    ada, ben, cleo = hunted.people[:3]
    answer(cleo, "EXTEND 2 days")
    answer(cleo, "DRAW")
    said = answer(ben, "STATUS")
    assert (
        "A vote is open until Tuesday 24 November, 18:00 in London: Cleo (Red) asks to give the detectives 2 days more"
        in said
    )
    assert "You have not voted. Answer the mail about it with YES or NO" in said
    assert "A draw is offered by Cleo (Red)" in said
    assert "DRAW on a line of its own agrees" in said
    said = answer(cleo, "STATUS")
    assert "You are for it." in said
    assert "A draw is offered by you: the game would end" in said
    assert "is paused" not in said
    turn = {person.name: person.mails[-1] for person in hunted.people}
    for person in hunted.people[:4]:  # the last of them decides, and gets the mail about that alone
        person.reply("PAUSE 3 days", to=turn[person.name])
        hunted.table.tick()
    for person in (ada, ben):
        assert "The game is paused until Wednesday 25 November, 18:00 in London" in answer(person, "STATUS")
    answer(ben, "taxi 115")
    moved = hunted.people[2:]
    for person, move in zip(moved, ("taxi 84", "taxi 140", "taxi 139", "taxi 170"), strict=True):
        assert hunted.move(person, move).status_code == 201
    hunted.table.tick()
    assert "The game is paused until" in " ".join(ada.mails[-1].get_body(("plain",)).get_content().split())
    hunted.table.clock.turn(days=4)
    assert "is paused" not in answer(ada, "STATUS")


def test_a_resignation_names_the_player(hunted: Playing):
    ada, ben = hunted.people[:2]
    answer(ben, "RESIGN")
    answer(ben, "YES")
    assert "Ben (Purple) has resigned" in ada.mails[-1]["Subject"]
    assert "Ben (Purple) has resigned. A bot" in " ".join(ada.mails[-1].get_body(("plain",)).get_content().split())


def test_a_setting_names_the_word_that_cannot_follow_it_and_the_choices(hunted: Playing):
    for text, told in (
        ("SET mail sometimes", '"sometimes" cannot follow "SET mail". Choose one of usual, moves'),
        ("SET mail sometimes here", '"sometimes" cannot follow "SET mail". Choose one of usual, moves'),
        ("SET picture maybe", '"maybe" cannot follow "SET picture". Choose on or own or off'),
        ("SET zone Mars", "'Mars' is no time zone; write one such as Europe/London."),
    ):
        assert told in answer(hunted.people[1], text), text


def test_who_moved_ahead_is_told_what_was_played_before_their_move(game: Playing):
    ada, ben, cleo = game.people
    answer(cleo, "green taxi 47\nyellow taxi 37")
    answer(ben, "purple taxi 15\nred bus 41")
    game.move(ada)
    game.table.tick()
    said = [" ".join(person.mails[-1].get_body(("plain",)).get_content().split()) for person in (ben, cleo)]
    assert "Green went to 47 and Yellow to 37 with a taxi. Mr. X took a taxi." in said[0]
    assert "Purple went to 15 with a taxi, Red to 41 with a bus. Mr. X took a taxi." in said[1]
