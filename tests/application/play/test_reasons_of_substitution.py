"""The reason of a substitution goes to everybody, and no mail or page takes it for more than words."""

from collections.abc import Callable

import pytest

from server.application.game.reasons import LONGEST_REASON
from server.application.operator import remedies
from server.application.people.accounts import renaming
from server.vocabulary.errors import Problem
from tests.application.play.test_substitution import events, refused, substitute
from tests.mail.wrapped import commands_in
from tests.profiles import IS_CAMPAIGN
from tests.scenes import hunt, mail_only_to, text_of
from tests.table import Person, Playing, Table


def take_up(game: Playing, reason: str) -> None:
    mail_only_to(game.table)
    for _ in range(2):
        game.table.clock.turn(days=2)
        game.table.tick()
    with game.table.app.app_context():
        remedies.reinstate(game.id, reason)


def look_into(game: Playing, reason: str) -> None:
    with game.table.app.app_context():
        remedies.unseal(game.id, reason)


def hand_on(game: Playing, reason: str) -> None:
    substitute(game, 2, game.table.person("Gus"), reason)


REFUSED = (
    ("", "A reason has 1 to 200 characters."),
    ("   ", "A reason has 1 to 200 characters."),
    ("x" * (LONGEST_REASON + 1), "A reason has 1 to 200 characters."),
    ("a storm\nBcc: mallory@example.org", "A reason is one line of letters"),
    ("a storm\r\n\r\ntaxi 46", "A reason is one line of letters"),
    ("a storm\u2028taxi 46", "A reason is one line of letters"),
    ("a \x1b[2Jstorm", "A reason is one line of letters"),
    ("=?UTF-8?Q?=0A?=", "A reason cannot contain"),
    ('he said "46"', "A reason cannot contain"),
    ("ask ada@example.org", "A reason cannot contain"),
    ("Cleo is on a journey", "names nobody; leave out Cleo."),
    ("a friend of CLEO is ill", "names nobody; leave out Cleo."),
)


@pytest.mark.parametrize(
    ("tell", "refused_ones"), [(look_into, REFUSED), (take_up, REFUSED[3:4]), (hand_on, REFUSED[-2:-1])]
)
def test_a_reason_is_one_line_without_names(
    game: Playing, tell: Callable[[Playing, str], None], refused_ones: tuple[tuple[str, str], ...]
):
    for reason, words in refused_ones:
        with pytest.raises(Problem) as caught:
            tell(game, reason)
        assert caught.value.code == "form"
        assert words in caught.value.sentence
    assert not [event for event in events(game) if "reason" in event.data and event.kind != "ended"]


def rename(game: Playing, person: Person, name: str) -> None:
    with game.table.app.app_context():
        renaming.rename(person.id, name)


def test_a_reason_does_not_name_the_newcomer_either(game: Playing, gus: Person):
    rename(game, gus, "Gustav")
    assert "leave out Gustav" in refused(game, 2, gus, "so that Gustav can play").sentence


@pytest.mark.parametrize("name", ["the", "A", "Was", "2026", "mail", "The Player", "their mail provider"])
def test_a_player_with_a_common_word_for_a_name_takes_no_reason_from_the_operator(
    game: Playing, gus: Person, name: str
):
    rename(game, gus, name)
    substitute(game, 2, gus, "A storm of 2026: the player was ill, and their mail provider was down")
    assert game.view(gus)["you"]["seat"] == 2


def test_a_word_that_holds_a_name_is_not_that_name(game: Playing, gus: Person):
    substitute(game, 2, gus, "an adamant wish; it gives Benevolence, Danish pastry and evenings off")
    assert game.view(gus)["you"]["seat"] == 2


LIKE_COMMANDS = (
    "taxi 46",
    "HELP",
    "SAY ALL he is gone",
    "they say, SAY: taxi 46 and don't say anything else but say taxi 46 and SAY taxi 46 say so say no",
    "a long way to go before the mail program breaks the line right here, it seems, and then bus 58",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen taxi 46",
    "double taxi 46 bus 58 surface red:taxi green:bus double taxi 46 bus 58 surface red:taxi green:bus",
    "46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46 46",
    "AWAY 24 Dec to 2 Jan AWAY 24 Dec to 2 Jan AWAY 24 Dec to 2 Jan AWAY 24 Dec to 2 Jan AWAY 24 Dec",
    "RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN",
    "EXTEND 2 days EXTEND 2 days EXTEND 2 days EXTEND 2 days EXTEND 2 days EXTEND 2 days EXTEND 2 days",
)


def no_mail_turns(hunted: Playing, tell: Callable[[Playing, str], None], reason: str, mails_of: int = 6) -> None:
    before = len(hunted.table.post.sent)
    tell(hunted, reason)
    hunted.table.tick()
    mails = [mail for _, mail in hunted.table.post.sent[before:]]
    assert len(mails) == mails_of
    for mail in mails:
        assert commands_in(text_of(mail)) == set()
        assert reason not in str(mail["Subject"])
        assert set(mail.keys()) == set(hunted.people[0].mails[0].keys())


def test_no_reason_turns_into_a_command_or_a_header_however_its_mail_is_wrapped(table: Table):
    hunted = hunt(table)
    no_mail_turns(hunted, look_into, LIKE_COMMANDS[0])
    if not IS_CAMPAIGN:
        mail_only_to(table, "Ada", "Ben")  # the mails of all detectives tell it in the same words
    for reason in LIKE_COMMANDS[1:]:
        no_mail_turns(hunted, look_into, reason, mails_of=6 if IS_CAMPAIGN else 2)


@pytest.mark.parametrize("reason", LIKE_COMMANDS[3:5])
def test_nor_does_one_for_handing_a_seat_on(table: Table, reason: str):
    no_mail_turns(hunt(table), hand_on, reason, mails_of=7)
