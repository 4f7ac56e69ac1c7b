"""SET and STOP: a player's zone, and whether he gets mail, changed by an answer to a mail and by nothing else."""

from dataclasses import replace

import pytest

from server.vocabulary import limits
from tests.scenes import hunt, text_of, write
from tests.table import Person, Playing, Table


@pytest.fixture
def ben(table: Table) -> Person:
    game: Playing = hunt(table)
    return game.people[1]


def reply(person: Person, text: str) -> str:
    """Answer the newest mail; the text of what comes back, on one line."""
    person.reply(text)
    person.table.tick()
    return " ".join(text_of(person.mails[-1]).split())


def settings(person: Person) -> dict[str, str]:
    return person.get("/me/preferences").json


def test_the_zone_is_set_and_the_answer_is_in_it(ben: Person):
    for text in ("SET zone America/New_York", "set ZONE: america/new_york"):
        assert "13:00" in reply(ben, text), text
        assert settings(ben)["zone"] == "America/New_York", text
        reply(ben, "SET zone UTC")


def test_the_name_is_changed_and_the_next_mail_is_to_it(ben: Person):
    for text in ("SET name Benedict B", "set Name: Benedict C"):
        name = text[-10:]
        assert f'You are called "{name}" from now on.' in reply(ben, text)
        assert ben.mails[-1]["To"] == f"{name} <ben@example.org>"
    assert "has 1 to 40 characters" in reply(ben, f"SET name {'B' * 41}")
    assert "A name cannot contain an address or a link" in reply(ben, "SET name www.example.org")
    assert "reads as a command" in reply(ben, "SET name taxi 46")
    assert ben.get("/me").json["name"] == "Benedict C"


def test_several_settings_of_one_mail_are_told_once_as_they_are_in_the_end(ben: Person):
    said = reply(ben, "SET zone Europe/Berlin\nSET picture off")
    assert said.count("Your time zone is") == 1
    assert "Europe/Berlin" in said
    assert "no pictures" in said


@pytest.mark.parametrize("text", ["STOP", "SET mail off"])
def test_all_mail_is_stopped_and_one_answer_says_so(ben: Person, text: str):
    assert "You get no more mail from this server" in reply(ben, text)
    got = len(ben.mails)
    ben.table.clock.turn(hours=49)
    ben.table.tick()
    assert (settings(ben)["mail"], len(ben.mails)) == ("off", got)


def test_mail_is_brought_back(ben: Person):
    reply(ben, "STOP")
    assert "You get the usual mails." in reply(ben, "SET mail usual")
    assert settings(ben)["mail"] == "usual"


def test_of_one_game_there_may_be_another_amount_of_mail(ben: Person):
    for text in (
        "SET mail daily 18:00 here", "set mail: daily at 18:00 in this game.", "* SET MAIL daily 18:00 for this game"
    ):  # fmt: skip
        assert 'For Foggy Thames you have chosen "daily 18:00"' in reply(ben, text), text
        assert settings(ben)["mail"] == "usual", text
        assert "you have chosen" not in reply(ben, "SET mail inherit here"), text


def test_status_tells_how_the_mail_of_one_game_that_is_off_comes_back(ben: Person):
    reply(ben, "SET mail off here")
    assert "You get no mail about this game but answers to your own" in reply(ben, "STATUS")
    assert 'the line "SET mail inherit here" in an answer to this mail brings it back' in reply(ben, "STATUS")
    assert "You get the usual mails." in reply(ben, "SET mail inherit here\nSTATUS")


def test_stop_ends_the_mail_of_games_with_a_choice_of_their_own_as_well(ben: Person):
    reply(ben, "SET mail moves here")
    assert "you have chosen" not in reply(ben, "STOP")
    got = len(ben.mails)
    ben.table.clock.turn(hours=49)
    ben.table.tick()
    assert len(ben.mails) == got


def test_pictures_come_until_they_are_given_up(ben: Person):
    assert settings(ben)["picture"] == "on"
    assert "Your mails have no pictures of the board." in reply(ben, "SET picture off")
    assert "Your mails show the board; as Mr. X you see there where you are." in reply(ben, "SET picture own")
    assert "Your mails show the board; as Mr. X you get the board that everybody sees." in reply(ben, "SET picture on")
    assert settings(ben)["picture"] == "on"


def test_a_setting_that_there_is_not_is_refused(ben: Person):
    before = settings(ben)
    daily = "mail: choose one of usual, moves, daily 18:00, reminders or off."
    for text, why in (
        ("SET zone Mars/Base", "is no time zone"),
        ("SET zone berlin", "write one such as Europe/Berlin."),
        ("SET zone Buenos Aires", "write one such as America/Argentina/Buenos_Aires or America/Buenos_Aires."),
        ("SET mail daily", daily),
        ("SET mail gathered", '"gathered" cannot follow "SET mail". Choose one of usual, moves, daily 18:00,'),
        ("SET mail gathered 30", '"gathered 30" cannot follow "SET mail". Choose one of usual, moves, daily'),
        ("SET mail gathered 30 here", "or inherit, which is as in all your games."),
        ("SET picture big", "on or own or off"),
    ):
        said = reply(ben, text)
        assert why in said
        assert "Nothing was done." in said, text
    assert settings(ben) == before


def test_at_the_play_address_nothing_is_set(ben: Person):
    before = settings(ben)
    for text in ("STOP", "SET zone UTC"):
        write(ben, text)
        ben.table.tick()
        assert settings(ben) == before, text
        assert "the sender of a mail can be forged" in " ".join(text_of(ben.mails[-1]).split()), text


def test_a_stop_with_a_question_mark_is_asked_about(ben: Person):
    assert 'did you mean "STOP"?' in reply(ben, "stop?")
    assert settings(ben)["mail"] == "usual"
    assert "You get no more mail from this server" in reply(ben, "YES")
    assert settings(ben)["mail"] == "off"


@pytest.mark.parametrize(
    ("text", "fact"),
    [("STOP", "You get no more mail from this server"), ("SET mail reminders", "You get reminders and questions")],
)
def test_what_becomes_of_the_mail_is_told_at_once_and_first(
    ben: Person, monkeypatch: pytest.MonkeyPatch, text: str, fact: str
):
    monkeypatch.setattr(limits, "PROMPT_ANSWERS", replace(limits.PROMPT_ANSWERS, most=2))
    turn = ben.mails[-1]
    for _ in range(limits.PROMPT_ANSWERS.most + 1):  # the last one waits
        ben.reply("LOG", to=turn)
        ben.table.tick()
    before = len(ben.mails)
    said = reply(ben, text)
    assert len(ben.mails) == before + 1
    assert said.partition("above this line. ")[2].startswith(fact)
