"""Mails as people write them: a plain move is played, one with a second reading is asked about, none is left alone."""

import pytest

from tests.mail.people import ASKED, HELD, PLAYED, REFUSED
from tests.mail.samples import WRITER
from tests.mail.test_samples import Desk, desk, shared_desk

__all__ = ["desk", "shared_desk"]  # fixtures
MANY = 3
CASES = [
    pytest.param(title, text, became, id=f"{became}: {title}", marks=() if number < MANY else pytest.mark.campaign)
    for became, mails in (("played", PLAYED), ("asked", {**ASKED, **HELD}), ("refused", REFUSED))
    for number, (title, text) in enumerate(mails.items())
]  # what all of them mean is in tests/mail/examination/test_examine.py


@pytest.mark.parametrize(("title", "text", "became"), CASES)
def test_a_mail_is_played_asked_about_or_refused(desk: Desk, title: str, text: str, became: str):
    head = f"From: {WRITER}\nMessage-ID: <people@mail>\nContent-Type: text/plain; charset=utf-8\n\n"
    desk.take((head + text + "\n").replace("\n", "\r\n").encode(), WRITER, "now")
    (said,) = (" ".join(answer.get_content().split()) for answer in desk.answers)
    assert desk.ahead == (["red taxi 46"] if became == "played" else []), said
    assert ("Nothing was done yet" in said) == (became == "asked"), said
