"""The mails of the corpus: read from its files, and written as the program of each writer does."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from pathlib import Path
from typing import Any

from tests.scenes import PASSED, html_of, text_of
from tests.table import Person

FOLDER = Path(__file__).parent
SIX = ("en", "de", "fr", "es", "nl", "it")
WROTE = {
    "de": "Am So., 22. Nov. 2026 um 18:00 Uhr schrieb Black Ticket <play@localhost>:",
    "fr": "Le dim. 22 nov. 2026 à 18:00, Black Ticket <play@localhost> a écrit :",
    "es": "El dom, 22 nov 2026 a las 18:00, Black Ticket (<play@localhost>) escribió:",
    "nl": "Op zo 22 nov 2026 om 18:00 schreef Black Ticket <play@localhost>:",
    "it": "Il giorno dom 22 nov 2026 alle ore 18:00 Black Ticket <play@localhost> ha scritto:",
}  # elsewhere as in English: many write with an English program
ENGLISH = "On Sun, 22 Nov 2026 at 18:00, Black Ticket <play@localhost> wrote:"
HEADS = {  # of Outlook, by the language of the mail that is answered
    "en": "From: {site}\nSent: Sunday, November 22, 2026 6:00 PM\nTo: {who}\nSubject: {subject}",
    "de": "Von: {site}\nGesendet: Sonntag, 22. November 2026 18:00\nAn: {who}\nBetreff: {subject}",
}
HEADER = re.compile(r"@(!?) ([\w-]+)((?: \w+)*): (.+?)(?: ~ (.+))?")


@dataclass(frozen=True)
class Sample:
    """A mail of the corpus, and what must become of it; `known` says why it is a fault that is known."""

    place: str
    language: str
    kind: str
    scene: str
    dress: str
    expected: str
    text: str
    closing: str
    known: str | None


def corpus() -> Iterator[Sample]:
    """Yield the mails of all files, in the order in which they stand there."""
    for file in sorted(FOLDER.glob("*.txt")):
        kind, line_number = "", 1
        for block in re.split(r"^(?=@|==)", file.read_text("utf-8"), flags=re.MULTILINE):
            head, _, body = block.partition("\n")
            if head.startswith("=="):
                kind = head.removeprefix("==").strip()
            elif head:
                found = HEADER.fullmatch(head)
                assert found, f"{file.name}:{line_number}: {head}"
                text, _, closing = body.partition("\n~~\n")
                dress = "alone" if kind == "machine" else found[3].strip()
                expected, known = found[4].strip(), found[5] if found[1] else None
                place = f"{file.name}:{line_number}"
                yield Sample(place, file.stem, kind, found[2], dress, expected, text.strip(), closing.strip(), known)
            line_number += block.count("\n")


def written(sample: Sample, person: Person, to: Any, quoted: str = "en") -> EmailMessage:
    """Return the mail as the program of its writer makes it, in answer to another, in the language `quoted`."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = (
        f"{person.name} <{person.address}>",
        to["Reply-To"],
        f"Re: {to['Subject']}",
    )
    mail["Message-ID"] = f"<{person.table.count()}@mail.example.org>"
    mail["Authentication-Results"] = PASSED
    text = f"{sample.text}\n\n{sample.closing}".strip()
    program = sample.language if quoted == "en" else quoted
    wrote, said, dress = WROTE.get(program, ENGLISH), text_of(to), sample.dress
    marked = f"{wrote}\n" + "\n".join(f"> {line}".rstrip() for line in said.splitlines())
    if dress == "html":
        lines = "<br>".join(map(escape, text.splitlines()))
        quote = f'<div class="gmail_attr">{escape(wrote)}</div><blockquote>{html_of(to)}</blockquote>'
        html = f'<div dir="auto">{lines}</div><br><div class="gmail_quote">{quote}</div>'
        mail.set_content(html, subtype="html")
    elif dress == "outlook":
        head = HEADS[quoted].format(site="Black Ticket <play@localhost>", who=person.name, subject=to["Subject"])
        mail.set_content(f"{text}\n\n{'_' * 32}\n{head}\n\n{said}")
    elif dress.startswith("unmarked"):
        width = int(dress.split()[1])
        wrapped = "\n".join(textwrap.fill(" ".join(part.split()), width) + "\n" for part in said.split("\n\n"))
        mail.set_content(f"{text}\n\n{wrote}\n\n{wrapped}")
    else:
        mail.set_content({"": f"{text}\n\n{marked}\n", "below": f"{marked}\n\n{text}\n", "alone": f"{text}\n"}[dress])
    return mail
