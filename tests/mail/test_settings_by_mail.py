"""SET and STOP: a player's zone, and whether he gets mail, changed by an answer to a mail and by nothing else."""

import pytest
from conftest import Person, Playing, Table
from scenes import hunt, text_of, write


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


@pytest.mark.parametrize("text", ["SET zone America/New_York", "set ZONE: america/new_york"])
def test_the_zone_is_set_and_the_answer_is_in_it(ben: Person, text: str):
    assert "13:00" in reply(ben, text)
    assert settings(ben)["zone"] == "America/New_York"


@pytest.mark.parametrize("text", ["STOP", "SET mail off", "stop."])
def test_all_mail_is_stopped_and_one_answer_says_so(ben: Person, text: str):
    assert "You get no more mail from this server" in reply(ben, text)
    got = len(ben.mails)
    ben.table.clock.turn(hours=49)
    ben.table.tick()
    assert (settings(ben)["mail"], len(ben.mails)) == ("off", got)


def test_mail_is_brought_back(ben: Person):
    reply(ben, "STOP")
    assert "You get all mail that is meant for you." in reply(ben, "SET mail all")
    assert settings(ben)["mail"] == "all"


@pytest.mark.parametrize(("wish", "told"), [("on", "shown to himself as"), ("own", "have the board as a picture.")])
def test_pictures_are_asked_for_and_given_up_again(ben: Person, wish: str, told: str):
    assert told in reply(ben, f"SET picture {wish}")
    assert settings(ben)["picture"] == wish
    assert "picture" not in reply(ben, "SET picture off")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SET zone Mars/Base", "is no time zone"),
        ("SET mail daily", "all or off"),
        ("SET picture big", "on or own or off"),
    ],
)
def test_a_setting_that_there_is_not_is_refused(ben: Person, text: str, why: str):
    before = settings(ben)
    said = reply(ben, text)
    assert why in said
    assert "Nothing was done." in said
    assert settings(ben) == before


@pytest.mark.parametrize("text", ["STOP", "SET zone UTC"])
def test_at_the_play_address_nothing_is_set(ben: Person, text: str):
    before = settings(ben)
    write(ben, text)
    ben.table.tick()
    assert settings(ben) == before
    assert "the sender of a mail can be forged" in " ".join(text_of(ben.mails[-1]).split())
