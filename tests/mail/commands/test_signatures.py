"""Lines that end one mail after the other are a signature: from the third mail on they leave no doubt about a move."""

from typing import Any

import pytest
from sqlalchemy import select

from server.models import Player, session
from tests.mail.commands.test_holding import answer, hunted, wait
from tests.table import Playing

__all__ = ["hunted"]  # a fixture
SIGNED = ["Bahnhofstr. 58, second floor, ring twice", "This mailbox is scanned by MailGuard"]


def ended(game: Playing, *mails: str) -> str:
    """Send these mails of Ben's, and return the answer to the last; nothing of his waits in between."""
    ben = game.people[1]
    turn = ben.mails[-2]
    answer(ben, "SET hold doubtful", to=turn)
    said = ""
    for mail in mails:
        said = answer(ben, mail, to=turn)
    return said


def kept(game: Playing) -> Any:
    with game.table.app.app_context():
        return session.scalar(select(Player.closing_lines).where(Player.id == game.people[1].id))


def signed(text: str, *lines: str) -> str:
    return "\n".join([text, "", *(lines or SIGNED)])


def test_the_third_time_lines_are_a_signature(hunted: Playing):
    assert "I play it at" in ended(hunted, signed("taxi 115"))
    answer(hunted.people[1], "NO")
    said = ended(hunted, signed("LOG"), signed("taxi 115"))
    assert "Understood and played" in said


def test_twice_is_not_enough(hunted: Playing):
    assert "I play it at" in ended(hunted, signed("LOG"), signed("taxi 115"))


@pytest.mark.parametrize(
    "line",
    ["bus 102", "or taxi 126", "NO", "CANCEL", "no wait, not yet", "only if Cleo stays", "blorp 126 by taxi"],
)
def test_a_move_a_command_an_answer_and_a_word_against_are_none(hunted: Playing, line: str):
    said = ended(hunted, *[signed("STATUS", line)] * 3, signed("taxi 115", line))
    assert "Understood and played" not in said
    wait(hunted, minutes=20)


def test_the_only_line_of_a_mail_is_none(hunted: Playing):
    line = "blorp fnord quux on the Thames"
    said = ended(hunted, *[f"HELP\n{line}"] * 3, line)
    assert f'"{line}"' in said or "no move or command" in said


def test_one_other_letter_is_another_line(hunted: Playing):
    said = ended(hunted, *[signed("LOG")] * 2, signed("taxi 115", f"{SIGNED[0]}!", SIGNED[1]))
    assert "I play it at" in said


def test_only_hashes_of_a_few_lines_are_kept_and_each_player_has_others(hunted: Playing):
    ended(hunted, *(signed("LOG", f"line {n} of many words") for n in "abcdefghijklmnop"))
    marks = kept(hunted)
    assert len(marks) == 12
    assert all(len(mark) == 16 and set(mark) <= set("0123456789abcdef") for mark in marks)


def test_what_clients_add_and_addresses_of_pages_are_never_read(hunted: Playing):
    text = "taxi 115\n\nOttieni Outlook per iOS <https://aka.ms/o0ukef>\nhttps://example.org/why?not=maybe"
    assert "Understood and played" in ended(hunted, text)
