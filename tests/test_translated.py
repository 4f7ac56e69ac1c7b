"""Every sentence for players can be translated: in a language of wide letters, no others are left.

What is not translated is named here: what people typed, names, and the lines that programs read.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import pseudo
from tests.mail.album import SITE, album
from tests.pseudo import untranslated, words_in
from tests.scenes import text_of

# The operator's mails, and those to addresses of no player, whose language is not known.
IN_ENGLISH = (
    "address", "advice-invitation", "advice-list", "advice-signup", "advice-stranger", "advice-unknown-mail", "alert",
    "answer-practice", "answer-stranger", "cleared", "code", "forwarded", "invitation-stranger", "sign_in", "stranger",
    "tried", "webhook", "welcome",
)  # fmt: skip
# What people said and are called; addresses, codes and zones; what is typed behind SET; the seal, and the travel log.
LEFT = re.compile(
    r'"[^"]*"|mailto:\S+|https?://\S+|[\w.+-]+@[\w.-]+|\b[TBUX]{2,}\b|'
    r"\bSeal(?: of \[[^]]+\])?, event [\w, ]+:(?:\s[a-z2-7]{4}){5}|"
    r"zone, name, language, hold,|picture,|station, night|vacation|usual, moves,|daily, reminders|off|"
    r"\b(?:Foggy Thames|Rainy Soho|Murky Strand|Silent Pimlico|Midnight Soho|Ravensburger|London|New York|UTC)\b|"
    r"\b(?:Ada|Ben|Cleo|Dan|Eve|Finn|Gwen)\b"
)


@pytest.fixture(autouse=True)
def _offered() -> Iterator[None]:
    with pseudo.offered():
        yield


@pytest.mark.parametrize("site", [None, SITE])
def test_no_word_of_a_mail_to_a_player_is_left_in_english(tmp_path: Path, site: str | None):
    mails = album(tmp_path, site, pseudo.CODE)
    translated = {title: mail for title, mail in mails.items() if not title.startswith(IN_ENGLISH)}
    said = {title: f"{mail['Subject']}\n{text_of(mail)}\n{_in_html(mail)}" for title, mail in translated.items()}
    texts = {title: LEFT.sub("", text) for title, text in said.items()}
    assert "\n".join(f"{title}: {words}" for title, text in texts.items() if (words := untranslated(text))) == ""
    assert len(texts) > 100


def _in_html(mail: Any) -> str:
    html = mail.get_body(("html",))
    return words_in(html.get_content()) if html else ""
