"""How often a person is answered, and how often a machine."""

from dataclasses import replace
from datetime import timedelta

import pytest

from server.application.mail import envelopes
from server.application.operator import alerts
from server.mail.writing import compose
from server.models import session
from server.vocabulary import limits
from tests.mail.commands.test_dispatch import answer, flat
from tests.profiles import IS_CAMPAIGN
from tests.scenes import (
    html_of,
    text_of,
)
from tests.table import Person, Playing


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
    told = "the next one to a mail like this waits up to 3 minutes."
    assert [told in flat(mail) for mail in ben.mails[-most:]].count(True) == 1
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
def test_an_autoresponder_without_a_mark_gets_two_answers_at_most(hunted: Playing, words: str):
    ben, table = hunted.people[1], hunted.table
    before = len(ben.mails)
    for number in range(6):
        last = ben.mails[-1]
        text = text_of(last)
        ben.reply(words.format(number=number, subject=last["Subject"], text=text, line=" ".join(text.split())[:400]))
        table.clock.turn(seconds=1)
        table.tick()
    assert len(ben.mails) - before <= 2
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
