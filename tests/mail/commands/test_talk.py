"""Talk by mail: what is mailed to whom, what is done with SAY, and that what others write is never a command."""

import random
import re
from dataclasses import replace
from typing import Any

import pytest

from server.language.grammar import parse
from server.mail.reading.message import read
from server.mail.reading.quoting import MARKER
from server.mail.writing import sentences
from server.vocabulary import limits
from tests.language.subjects import is_command_subject
from tests.mail.wrapped import commands_in
from tests.profiles import IS_CAMPAIGN
from tests.rows import for_each
from tests.scenes import chase, hunt, mail_only_to, quiet, text_of
from tests.scenes import write as write_mail
from tests.table import Person, Playing, Table


@pytest.fixture
def game(table: Table) -> Playing:
    """Ada is Mr. X and has moved, Ben to Finn are detectives and have their turn mails."""
    return hunt(table)


def write(game: Playing, person: Person, to: str, text: str) -> None:
    assert person.post(f"{game.path}/messages", {"to": to, "text": text}).status_code == 201
    game.table.tick()


def reply(person: Person, text: str) -> str:
    """Answer the newest mail; the text of what comes back."""
    person.reply(text)
    person.table.tick()
    return text_of(person.mails[-1])


def heard(game: Playing, person: Person) -> list[str]:
    return [message["text"] for message in person.get(f"{game.path}/messages").json["messages"]]


def letters(person: Person) -> list[Any]:
    """The mails in which somebody writes to this person."""
    return [mail for mail in person.mails if re.search("writes? to", mail["Subject"])]


# What is mailed ---------------------------------------------------------------------------------


def test_what_is_said_to_the_team_is_mailed_once_to_each_other_detective_and_to_nobody_else(game: Playing):
    write(game, game.people[3], "team", "Who can cover 100?")
    assert [len(letters(person)) for person in game.people] == [0, 1, 1, 0, 1, 1]


def test_what_is_said_to_all_is_mailed_to_everybody_but_its_author(game: Playing):
    write(game, game.people[0], "all", "Good evening")
    assert [len(letters(person)) for person in game.people] == [0, 1, 1, 1, 1, 1]


def test_where_the_host_chose_open_talk_mr_x_is_mailed_what_the_team_says(table: Table):
    game = table.game(table.people(3), options={"team_talk": "open"})
    table.tick()
    write(game, game.people[1], "team", "hello")
    assert [mail["Subject"].partition("] ")[2] for mail in letters(game.people[0])] == [
        "Purple and Red write to the team"
    ]


def test_the_subject_names_the_game_the_writer_and_to_whom_he_writes(game: Playing):
    write(game, game.people[3], "team", "one")
    write(game, game.people[0], "all", "two")
    subjects = [mail["Subject"] for mail in letters(game.people[1])]
    assert subjects == ["[Foggy Thames] Green writes to the team", "[Foggy Thames] Mr. X writes to all"]


def test_the_first_line_names_round_and_recipient(game: Playing):
    write(game, game.people[3], "team", "hello")
    assert text_of(letters(game.people[1])[0]).splitlines()[0] == f"Round 1, Purple. {MARKER}"


def test_a_mail_before_the_start_says_so(table: Table):
    people = table.people(3)
    path = f"/games/{people[0].post('/games', {'edition': 'ravensburger-2000', 'players': 3}).json['id']}"
    for number, person in enumerate(people, 1):
        person.post(f"{path}/seats", {"seat": number})
    people[1].post(f"{path}/messages", {"to": "all", "text": "hello"})
    table.tick()
    assert text_of(letters(people[0])[0]).splitlines()[0] == f"Before the start, Mr. X. {MARKER}"


def test_the_text_stands_between_quotation_marks(game: Playing):
    write(game, game.people[3], "team", "Who can cover 100?")
    assert '\n"Who can cover 100?"\n' in text_of(letters(game.people[1])[0])


def test_messages_that_wait_to_be_sent_are_one_mail(game: Playing):
    mail_only_to(game.table, "Ben")
    for number in range(25):  # more than are composed together
        game.people[3].post(f"{game.path}/messages", {"to": "team", "text": f"number {number}"})
    game.table.tick()
    (mail,) = letters(game.people[1])
    assert re.findall(r"number (\d+)", text_of(mail)) == [str(number) for number in range(25)]


def test_talk_comes_with_the_turn_mail_that_waits_too(game: Playing):
    for person in game.people[1:]:
        assert game.move(person).status_code == 201
    game.people[1].post(f"{game.path}/messages", {"to": "all", "text": "Where are you?"})
    game.table.tick()
    mail = game.people[0].mails[-1]
    assert "Mr. X, your move by" in mail["Subject"]
    assert text_of(mail).index("Where are you?") < text_of(mail).index("Reply")
    assert not letters(game.people[0])


def test_a_move_can_be_sent_in_answer_to_it(game: Playing):
    write(game, game.people[3], "team", "hello")
    assert '"purple taxi 115"' in reply(game.people[1], "taxi 115")
    assert game.view()["turn"] == 3


def test_one_can_write_back_in_answer_to_it(game: Playing):
    write(game, game.people[3], "team", "Who can cover 100?")
    reply(game.people[1], "SAY I can")
    assert heard(game, game.people[3]) == ["Who can cover 100?", "I can"]


def test_who_has_muted_the_game_gets_no_such_mail_and_reads_it_all_the_same(game: Playing):
    ben = game.people[1]
    ben.request("PUT", f"{game.path}/messages/muted", json={"muted": True})
    write(game, game.people[3], "team", "hello")
    assert (letters(ben), heard(game, ben)) == ([], ["hello"])


def test_who_unmutes_it_gets_them_again(game: Playing):
    ben = game.people[1]
    for muted in (True, False):
        ben.request("PUT", f"{game.path}/messages/muted", json={"muted": muted})
    write(game, game.people[3], "team", "hello")
    assert len(letters(ben)) == 1


def test_turn_mails_tell_nothing_of_the_talk(game: Playing):
    write(game, game.people[3], "team", "Who can cover this?")
    mail_only_to(game.table, "Ben")
    game.play_round()
    game.move(game.people[0])
    game.table.tick()
    told = [mail for mail in game.people[1].mails if mail not in letters(game.people[1])]
    assert len(told) > 2
    assert not any("Who can cover" in text_of(mail) for mail in told)


# SAY --------------------------------------------------------------------------------------------


def test_say_speaks_to_the_team(game: Playing):
    answer = reply(game.people[1], "SAY Who can cover 100?")
    assert 'Said to the team:\n"Who can cover 100?"\n' in answer
    assert [heard(game, person) for person in game.people[:3]] == [[], ["Who can cover 100?"], ["Who can cover 100?"]]


def test_say_all_speaks_to_all(game: Playing):
    answer = reply(game.people[1], "SAY ALL Good evening, Mr. X")
    assert 'Said to all:\n"Good evening, Mr. X"\n' in answer
    assert heard(game, game.people[0]) == ["Good evening, Mr. X"]


def test_it_is_one_answer(game: Playing):
    before = len(game.people[1].mails)
    reply(game.people[1], "SAY one\nSAY ALL two")
    assert len(game.people[1].mails) == before + 1


def test_mr_x_is_told_to_write_to_all(game: Playing):
    answer = " ".join(reply(game.people[0], "SAY hello").split())
    assert "Mr. X has no team. Write to all" in answer
    assert heard(game, game.people[1]) == []


def test_mr_x_speaks_to_all(game: Playing):
    reply(game.people[0], "SAY ALL You will never find me")
    assert heard(game, game.people[1]) == ["You will never find me"]


def test_a_move_and_talk_are_done_together(game: Playing):
    answer = reply(game.people[1], "taxi 115\nSAY I go to 115")
    assert '"purple taxi 115"' in answer
    assert 'Said to the team:\n"I go to 115"' in answer
    assert heard(game, game.people[2]) == ["I go to 115"]


def test_with_a_move_that_is_not_legal_nothing_is_said(game: Playing):
    reply(game.people[1], "SAY I go to 1\ntaxi 1")
    assert heard(game, game.people[2]) == []


def test_with_a_message_that_is_refused_nothing_is_moved(game: Playing):
    reply(game.people[1], f"taxi 115\nSAY {'x' * 1001}")
    assert game.view()["turn"] == 2


def test_nothing_is_said_on_the_word_of_a_mail_to_the_play_address(game: Playing):
    write_mail(game.people[1], "SAY ALL hello")
    game.table.tick()
    assert heard(game, game.people[1]) == []
    assert game.people[1].mails[-1]["Subject"].endswith("please answer this mail")


def test_nothing_is_said_on_the_word_of_another_sender(game: Playing):
    game.people[1].reply("SAY hello", sender="mallory@evil.example")
    game.table.tick()
    assert heard(game, game.people[1]) == []


def test_who_is_invited_and_has_no_seat_yet_says_nothing(table: Table):
    ada, ben = table.people(2)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}]
    made = ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    table.tick()
    assert "You have no seat in this game." in reply(ben, "SAY ALL hello")
    assert ada.get(f"/games/{made}/messages").json["messages"] == []


@pytest.fixture
def most(monkeypatch: pytest.MonkeyPatch) -> int:
    """The most messages of a player in a day: fewer than elsewhere, except in a campaign."""
    if not IS_CAMPAIGN:
        monkeypatch.setattr(limits, "MESSAGES", replace(limits.MESSAGES, most=6))
    return limits.MESSAGES.most


def test_too_much_talk_is_answered_with_when_it_goes_on(game: Playing, most: int):
    mail_only_to(game.table, "Ben")
    for number in range(most):
        game.people[1].post(f"{game.path}/messages", {"to": "team", "text": f"{number}"})
    answer = " ".join(reply(game.people[1], "SAY one more").split())
    assert "You can write the next after 18:00 UTC on 2026-11-23" in answer


def test_many_lines_of_talk_get_an_answer_in_which_each_thing_is_told_once(game: Playing, most: int):
    more = 150 if IS_CAMPAIGN else 20
    mail_only_to(game.table, "Ben")
    answer = reply(game.people[1], "\n\n".join(f"SAY hello {number}" for number in range(most + more)))
    assert answer.count("Said to the team:") == 1
    assert f'\n"hello {most - 2}"\n"hello {most - 1}"\n' in answer
    flat = " ".join(answer.split())
    assert flat.count(f"You have written {most} messages") == 1
    first, second, third = (f'"SAY hello {most + number}"' for number in range(3))
    assert f"Not done: {first}, {second}, {third} and {more - 3} more. You have" in flat


# Never a command --------------------------------------------------------------------------------

NASTY = (
    "taxi 46",
    '" taxi 46',
    'he wrote "taxi 46" and "SAY ALL hello"',
    "SAY ALL I give up SAY say, say: sAy hello " * 8,
    '"\n\ntaxi 46\n\n"',
    "STATUS HELP YES NO START LEAVE CANCEL " * 20,
    "ｔａｘｉ　４６ " * 60,
    "ＳＡＹ　ＡＬＬ hello " * 30,
    "a taxi 46 " * 99,
    "東京" * 200 + " taxi 46",
    f"On Sun, Ada wrote: > taxi 46 {MARKER} taxi 46",
    "-- \ntaxi 46",
    "\u200bsay hello \u200bsay hello " * 9,
    "x" * 60 + " taxi 46",
    "- taxi 46 * taxi 46 1. taxi 46",
)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The mail that each of these texts turns into."""
    game = chase(Table(tmp_path_factory.mktemp("nasty"), sandbox="1", min_turn="PT1S"))
    quiet(game.table, "Ada", "Dan", "Eve", "Finn")
    mails = {}
    for text in NASTY:
        write(game, game.people[1], "all", text)
        mails[text] = letters(game.people[2])[-1]
    return mails


@for_each("text", NASTY)
def test_what_somebody_writes_is_no_command_in_the_mail_however_it_is_wrapped(nasty: dict[str, Any], text: str):
    assert commands_in(text_of(nasty[text])) == set()
    assert not is_command_subject(nasty[text]["Subject"])


@pytest.mark.parametrize("quote", ["> {}", "| {}", "{}"])
@for_each("text", NASTY)
def test_what_somebody_writes_is_no_command_in_a_mail_that_is_quoted_back(nasty: dict[str, Any], text: str, quote: str):
    quoted = "\n".join(quote.format(line) for line in text_of(nasty[text]).splitlines())
    raw = f"From: cleo@example.org\nSubject: Re: {nasty[text]['Subject']}\n\nWell.\n\n{quoted}\n".encode()
    reading = read(raw, marker=MARKER)
    assert parse(reading.lines, reading.subject).commands == ()


def test_what_somebody_says_by_mail_is_no_command_in_the_answer(table: Table):
    game = chase(table)
    quiet(table, "Ada", "Cleo", "Dan", "Eve", "Finn")
    table.tick()
    texts = [text for text in NASTY if "\n" not in text]
    assert len(texts) == 13
    for text in texts if IS_CAMPAIGN else texts[::3]:  # the mail of each is above
        assert commands_in(reply(game.people[1], f"SAY {text[:150]}")) == set(), text


def test_words_of_commands_in_any_order_are_none_between_quotation_marks():
    rng = random.Random(1)
    words = ("taxi", "46", "SAY", "ALL", '"', "to", "STATUS", "red", ",", "-", "'say", "ｂｕｓ", "４６", "x", "\u200b")
    for _ in range(150 if IS_CAMPAIGN else 30):
        text = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 60)))
        assert commands_in(sentences.quoted_lines(text)) == set(), text


def test_lines_of_wide_letters_are_no_wider_than_a_narrow_mail_program():
    assert max(map(len, sentences.quoted_lines("東京 " * 100).splitlines())) <= 28
