"""Wishes in plain words, in mails without a command: told, done or asked about."""

import pytest

from tests.mail.commands.test_dispatch import answer, at_play, flat, history
from tests.scenes import hunt
from tests.table import Person, Playing, Table

NOTHING = "Nothing was done yet: did you mean"


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


@pytest.fixture
def ben(hunted: Playing) -> Person:
    return hunted.people[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Whose turn is it now, is it me?", "Your mail about"),
        ("Wie viele Taxitickets habe ich noch?", "Taxi tickets left: - Purple: 8"),
        ("How many bus tickets have I left?", "Bus tickets left: - Purple: 7"),
        ("How many taxi tickets does Mr. X have?", "Taxi tickets left: - Mr. X: 10"),
        ("Where did we last see him?", "The travel log"),
        ("Où est-ce que je peux aller maintenant ?", "You can go from"),
        ("What's the quickest way from 45 to 100?", "from 45 to 100: by"),
        ("¿Cómo se llega de la 45 a la 100?", "from 45 to 100: by"),
        ("Come si comincia?", "To move, answer this mail with a line such as"),
    ],
)
def test_what_only_tells_is_told(ben: Person, words: str, told: str):
    said = answer(ben, words)
    assert told in said
    assert "found no move or command" not in said
    assert "did you mean" not in said


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("Hello,\n\nI'm on holiday from 3 May to 10 May.\n\nBen", "AWAY 3 May to 10 May"),
        ("Kann ich bitte noch zwei Tage haben?", "EXTEND 2 days"),
        ("On peut faire une pause d'une semaine ?", "PAUSE 1 week"),
        ("Ricevo troppe mail", "SET mail daily 18:00"),
        ("Ik wil tegen de computer spelen", "PLAY"),
    ],
)
def test_what_changes_something_is_asked_about(ben: Person, words: str, command: str):
    said = answer(ben, words)
    assert f'{NOTHING} "{command}"? Answer YES' in said
    assert "All right, nothing of that was done." in answer(ben, "no")


def test_yes_does_the_command_as_if_it_had_been_sent(ben: Person):
    answer(ben, "Could we have 2 more days, please?")
    assert "You have voted to give the detectives 2 days more." in answer(ben, "yes please")
    answer(ben, "I get too many mails, one mail a day would be enough")
    assert "18:00" in answer(ben, "Exactly")
    assert "Your YES to the vote to give the detectives 2 days more stands" in answer(ben, "YES")


def test_giving_up_is_asked_about_as_after_resign(ben: Person):
    for words in ("I don't want to play any more", "Can somebody else take over my seat?"):
        assert "Do you want to give the game up? You have not resigned yet." in answer(ben, words)


def test_mail_is_stopped_at_once(ben: Person):
    assert "You get no more mail" in answer(ben, "Please stop sending me all these mails")


def test_a_wish_that_cannot_be_done_is_answered_with_why(ben: Person):
    said = answer(ben, "Can you invite Zoltan?")
    assert NOTHING not in said
    assert "Nothing was done" in said


def test_what_names_a_move_is_no_wish(ben: Person):
    said = answer(ben, "can I have more time, or take the bus to 102?")
    assert "EXTEND" not in said
    assert "bus 102" in said


def test_a_wish_beside_a_move_is_none(hunted: Playing, ben: Person):
    said = answer(ben, "purple bus 102\nCan I have more time please?")
    assert NOTHING + ' "EXTEND' not in said
    assert len(history(hunted)) <= 2


def test_what_nobody_can_tell_names_the_two_likeliest_commands(ben: Person):
    said = answer(ben, "My holiday and the time, you know, are a mess")
    assert "mess" not in said
    assert '"HELP" tells' in said


def test_at_the_play_address_a_wish_that_changes_something_is_not_asked_about(ben: Person):
    ((_, mail),) = at_play(ben, "I'm away from 3 May to 10 May")
    assert NOTHING not in flat(mail)
    ((_, mail),) = at_play(ben, "Whose turn is it now, is it me?")
    assert "Your mail about" in flat(mail)


def test_a_command_goes_on_with_a_reason_behind_a_comma(ben: Person):
    said = answer(ben, "EXTEND 2 days please, we are moving house")
    assert NOTHING not in said
    assert "Nothing was done" not in said


def test_after_the_end_again_is_a_wish_for_a_rematch_and_no_subject_says_your_choices(hunted: Playing, ben: Person):
    assert 'REMATCH"?' not in answer(ben, "Again please")
    for person in hunted.people[:1]:
        assert person.post(f"{hunted.path}/resign").status_code == 200
    hunted.table.tick()
    hunted.table.clock.turn(days=3)
    hunted.table.tick()
    assert f'{NOTHING} "REMATCH"?' in answer(ben, "nochmal, diesmal als Mr. X")
    answer(ben, "LEGAL")
    assert "your choices" not in ben.mails[-1]["Subject"]
