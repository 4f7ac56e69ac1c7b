"""Words to others beside a move: the server keeps them to itself, and a press of their writer passes them on."""

import json
import re
from typing import Any
from urllib.parse import unquote

import pytest

from server import worker
from server.language.grammar import parse_line
from server.models import ReplyToken, Seat, session, transaction
from server.vocabulary.labels import spoken
from tests.mail.commands.test_joining import opened
from tests.rows import for_each
from tests.scenes import hunt, pairs, text_of, write
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser
from tests.web.test_answer import links

TEAM = "Pass it on to Red, Green, Yellow and Blue"
TALK = "I am heading south to cut him off."


@pytest.fixture
def hunted(public_table: Table) -> Playing:
    return hunt(public_table)


def answer(person: Person, text: str, to: Any = None) -> str:
    """Answer the newest mail; the text of what comes back, on one line."""
    before = len(person.mails)
    person.reply(text, to=to)
    person.table.tick()
    return " ".join(text_of(person.mails[-1]).split()) if len(person.mails) > before else ""


def heard(game: Playing, person: Person) -> list[tuple[str, str]]:
    return [(each["to"], each["text"]) for each in person.get(f"{game.path}/messages").json["messages"]]


def press(game: Playing, path: str) -> None:
    Browser(game.table).post(path)
    game.table.tick()


def kept(game: Playing) -> list[str]:
    with game.table.app.app_context(), transaction():
        return [row.talk for row in session.query(ReplyToken).filter(ReplyToken.talk.is_not(None))]


# What is kept --------------------------------------------------------------------------------------


# What stands beside "taxi 115" of Ben, who has Purple, and whether the answer offers to pass it on.
BESIDE = [
    (TALK, True),
    ("Blue, can you cover 67?", True),
    ("He must be around 100 by now, poor fellow.", True),
    ("Der sitzt bestimmt am Bahnhof. Gelb, kannst du nach Norden?", True),
    ("Yellow and Blue, the river is yours.", True),
    ("Right, kids in bed, wine poured.", True),
    ("Thanks!", False),
    ("Hello everybody", False),
    ("Good luck, and have a nice evening!", False),
    ("Cheers,\nBen\nTower Bridge Rowing Club, tel. 020 7946 0018", False),
    ("-- \nBen Miller, heading south since 1985", False),
    ("> I am heading south to cut him off.", False),
    ("bus 99 maybe", False),
    ("Pause for lunch!", False),
]


@pytest.mark.parametrize(("beside", "is_kept"), BESIDE)
def test_talk_beside_a_move_is_kept_and_greetings_signatures_and_quotes_are_not(
    hunted: Playing, beside: str, is_kept: bool
):
    ben = hunted.people[1]
    said = answer(ben, f"taxi 115\n\n{beside}")
    assert ("to myself" in said) == is_kept == bool(kept(hunted))
    assert (TEAM in links(ben)) == is_kept
    assert all(heard(hunted, person) == [] for person in hunted.people), "nothing is passed on unasked"


def test_the_answer_to_a_move_that_is_played_quotes_what_was_kept(hunted: Playing):
    said = answer(hunted.people[1], "Right, kids in bed, wine poured.\n\ntaxi 115")
    assert 'Understood and played: "purple taxi 115".' in said
    assert 'I kept this to myself: "Right, kids in bed, wine poured."' in said


def test_the_mail_about_a_move_that_waits_quotes_it_once_and_has_forty_words(hunted: Playing):
    said = answer(hunted.people[1], f"taxi 115\n\n{TALK} Blue, can you cover 67?")
    before_links = re.sub(r' - "[^"]+": \S+', "", said).partition("Answer above this line.")[2]
    assert "I kept that to myself." in said
    assert len(before_links.split()) <= 40
    assert said.count("heading") == 1


def test_nothing_is_offered_twice_in_a_round(hunted: Playing):
    ben = hunted.people[1]
    assert "I kept that to myself." in answer(ben, f"taxi 115\n{TALK}")
    assert "to myself" not in answer(ben, "taxi 115\nDan, please stay where you are, and do not wait for me")
    assert kept(hunted) == [TALK]


def test_a_mail_that_asks_back_offers_nothing(hunted: Playing):
    said = answer(hunted.people[1], f"taxi 115\nbus 102\n{TALK}")
    assert "which move do you mean?" in hunted.people[1].mails[-1]["Subject"]
    assert "to myself" not in said


def test_a_line_to_a_team_mate_is_not_told_as_not_understood(hunted: Playing):
    said = answer(hunted.people[1], "taxi 115\nYellow and Blue, the river is yours.")
    assert "to myself" in said
    assert "did not understand" not in said


def test_against_bots_there_is_nobody_to_pass_it_on_to(public_table: Table):
    ben = public_table.person("Ben")
    write(ben, "PLAY")
    for _ in range(3):
        public_table.tick()
    game = Playing(public_table, opened(ben)["id"], [ben])
    move = next(each for each in game.legal(ben) if "double" not in each)
    answer(ben, f"{move}\n\n{TALK}")
    public_table.clock.turn(minutes=2)
    public_table.tick()
    told = " ".join(" ".join(text_of(mail).split()) for mail in ben.mails)
    assert f'Understood and played: "{move}".' in told
    assert "to myself" not in told


# Who is offered what -------------------------------------------------------------------------------


def test_mr_x_has_no_team_and_is_offered_all_alone(hunted: Playing):
    ada = hunted.people[0]
    while hunted.mover() is not ada:
        hunted.move(hunted.mover())
    hunted.table.tick()
    mine = next(move for move in hunted.legal(ada) if move.startswith("taxi"))
    said = answer(ada, f"{mine}\n\nYou will never get me, children of London.")
    assert "to myself" in said
    assert [label for label in links(ada) if label.startswith("Pass")] == ["Pass it on to all"]


def test_the_team_are_the_people_of_the_other_detectives(public_table: Table):
    game = pairs(public_table)
    ben = game.people[1]
    answer(ben, f"{game.legal(ben)[0]}\n{TALK}")
    assert "Pass it on to Green and Yellow" in links(ben)


# Passing on ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "to"), [(TEAM, "team"), ("Pass it on to all", "all")])
def test_a_press_says_it_as_ordinary_talk_once(hunted: Playing, label: str, to: str):
    ada, ben, cleo = hunted.people[:3]
    answer(ben, f"Taxi to 115. {TALK} Grüße an alle an der Themse!")
    pages = links(ben)
    for path in pages.values():
        assert Browser(hunted.table).get(path).status_code == 200
    hunted.table.tick()
    assert heard(hunted, ben) == []
    press(hunted, pages[label])
    press(hunted, pages[label])
    assert heard(hunted, cleo) == [(to, f"{TALK} Grüße an alle an der Themse!")]
    assert (heard(hunted, ada) == []) == (to == "team")
    assert "Said to" in text_of(ben.mails[-1])


def test_a_press_leaves_the_move_that_waits(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, f"taxi 115\n{TALK}")
    press(hunted, links(ben)[TEAM])
    assert [move["notation"] for move in ben.get(f"{hunted.path}/ahead").json["moves"]] == ["purple taxi 115"]


def test_without_pages_a_link_writes_the_mail(table: Table):
    game = hunt(table)
    ben, cleo = game.people[1:3]
    answer(ben, f"taxi 115\n{TALK}")
    text = re.sub(r":\n +", ": ", text_of(ben.mails[-1]))
    bodies = re.findall(r"mailto:\S+\?body=(\S+)", text)
    assert [unquote(body) for body in bodies[2:]] == [f"SAY {TALK}", f"SAY ALL {TALK}"]
    answer(ben, unquote(bodies[2]))
    assert heard(game, cleo) == [("team", TALK)]


def test_words_to_the_team_that_begin_with_all_stay_with_the_team(hunted: Playing):
    ada, ben, cleo = hunted.people[:3]
    answer(ben, "taxi 115\nall of us have to close in on 100 tonight")
    press(hunted, links(ben)[TEAM])
    assert [to for to, _ in heard(hunted, cleo)] == ["team"]
    assert heard(hunted, ada) == []


@for_each("text", ["ALL: hello", "all hello", "hello"])
def test_what_is_spoken_to_a_team_is_never_read_as_spoken_to_all(text: str):
    assert getattr(parse_line(spoken("team", text)), "name", "") == "say"
    assert getattr(parse_line(spoken("all", text)), "name", "") == "say_all"


# How long ------------------------------------------------------------------------------------------


def test_it_is_kept_for_a_day_and_then_deleted(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, f"taxi 115\n{TALK}")
    path = links(ben)[TEAM]
    hunted.table.clock.turn(hours=23)
    assert Browser(hunted.table).get(path).status_code == 200
    hunted.table.clock.turn(hours=1)
    assert Browser(hunted.table).get(path).status_code == 404
    with hunted.table.app.app_context():
        worker.tidy_up()
    assert kept(hunted) == []


def test_it_is_kept_only_while_its_writer_has_the_seat(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, f"taxi 115\n{TALK}")
    path = links(ben)[TEAM]
    with hunted.table.app.app_context(), transaction():
        session.get_one(Seat, (hunted.id, 2)).nonce = "anothers"
    assert Browser(hunted.table).get(path).status_code == 404
    with hunted.table.app.app_context():
        worker.tidy_up()
    assert kept(hunted) == []


def test_it_is_encrypted_and_in_no_other_readers_hands(hunted: Playing, caplog: pytest.LogCaptureFixture):
    ada, ben = hunted.people[:2]
    answer(ben, f"Taxi to 115. {TALK}")
    with hunted.table.app.app_context(), transaction():
        raw = session.connection().exec_driver_sql("SELECT talk FROM reply_tokens WHERE talk IS NOT NULL").scalar()
    assert b"heading" not in bytes(raw)
    assert "heading" not in caplog.text
    everything = [text_of(mail) for person in hunted.people if person is not ben for mail in person.mails]
    everything += [json.dumps(ada.get(hunted.path).json), json.dumps(hunted.people[2].get(hunted.path).json)]
    assert not any("heading" in each for each in everything)
