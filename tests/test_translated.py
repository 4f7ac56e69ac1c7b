"""Every sentence for players can be translated: in a language of wide letters, no others are left.

What is not translated is named here: what people typed, names, and the lines that programs read.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.vocabulary.translation import speaking
from tests import pseudo
from tests.mail.album import SITE, album
from tests.scenes import html_of, text_of

# To the operator, and forwarded for them, mails are English.
OF_THE_OPERATOR = ("alert", "forwarded", "webhook")
# Names, what people wrote, commands, and addresses.
LEFT = re.compile(r'"[^"]*"|mailto:\S+|https?://\S+|[\w.+-]+@[\w.-]+|Seal[^:]*:.*')


@pytest.fixture(autouse=True)
def _offered() -> Iterator[None]:
    with pseudo.offered():
        yield


@pytest.mark.parametrize("site", [None, SITE])
def test_no_word_of_a_mail_is_left_in_english(tmp_path: Path, site: str | None):
    with speaking("en"):
        mails: dict[str, Any] = album(tmp_path, site, pseudo.CODE)
    found = {
        title: words
        for title, mail in mails.items()
        if title.partition("-")[0] not in OF_THE_OPERATOR
        and (
            words := pseudo.untranslated(f"{mail['Subject']}\n{text_of(mail)}") + pseudo.untranslated_in(html_of(mail))
        )
    }
    assert found == {}
