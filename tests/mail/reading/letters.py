"""Answers as people write them, in any program, language and encoding; each has one right reading."""

import base64
import quopri
import random
import textwrap
from dataclasses import dataclass
from html import escape
from zlib import crc32

from server.language.grammar import parse
from server.mail.reading.message import read
from tests.mail.reading.introductions import APPLE, GMAIL, ORIGINAL, OTHERS, OUTLOOK, PHONES, THUNDERBIRD
from tests.mail.reading.pages import PAGES, PAGES_BELOW

NAME, ADDRESS = "Black Ticket", "red.g7.t9.q4m8k2x7wd@play.example.org"
SENDER = {"s": f"{NAME} <{ADDRESS}>", "n": NAME, "a": ADDRESS}
HEAD = (SENDER["s"], "Monday, November 2, 2026 6:22 PM", "Bob Red <bob@example.net>", "[SY g7] Turn 9: your move")
# What a notification could look like at its worst: with lines that are commands, and no line that gives it away.
OURS = """Game "Night Ferry" - turn 9 - you are Detective RED at 74.

Your options:
taxi 58
taxi 92
bus 94

To move, reply with one line such as
MOVE bus 94

Last moves: Mr X took a bus. Blue: taxi 104. Green: underground 89.""".splitlines()
DECOYS = [line for line in OURS if line]
INTRODUCTIONS = {
    f"{table} {name}": text
    for table, known in (("gmail", GMAIL), ("apple", APPLE), ("thunderbird", THUNDERBIRD), ("", OTHERS))
    for name, text in known.items()
}
# What the player wrote, and the moves in it.
ANSWERS = (
    ("taxi 46", ["taxi 46"]),
    ("Taxi 46.", ["taxi 46"]),
    ("taxi to 46 please", ["taxi 46"]),
    ("  *Taxi 46*", ["taxi 46"]),
    ("taxi\N{NO-BREAK SPACE}46", ["taxi 46"]),
    ("ta\N{SOFT HYPHEN}xi 46", ["taxi 46"]),
    ("Hi,\n\ntaxi 46\n\nBob", ["taxi 46"]),
    ("red taxi 46\nblue bus 34", ["red taxi 46", "blue bus 34"]),
    ("- red taxi 46\n- blue: bus to 34", ["red taxi 46", "blue bus 34"]),
    ("I shall look at it tonight, promise.", []),
    ("", []),
)
ABOVE = (
    "",
    "",
    "[EXTERNAL]\n\n",
    "CAUTION: This email originated from outside of the organization. Do not click links or open attachments.\n\n",
    "*** Achtung: Externe E-Mail ***\n\n",
)
BELOW = (
    "",
    "",
    *(f"\n\n{text}" for text in PHONES.values()),
    "\n\n-- \nBob Red\nbus 94",
    "\n\n--\nBob",
    "\n\nMit freundlichen Grüßen\nBob Rot\nTel. 030 94",
    "\n\nThis message is intended only for the addressee.",
)
CHARSETS = (
    "utf-8", "utf-8", "utf-8", "utf-16", "iso-8859-1", "windows-1252", "iso-8859-2", "windows-1250", "koi8-r",
    "windows-1251", "iso-2022-jp", "shift_jis", "euc-jp", "gb2312", "gb18030", "big5", "euc-kr", "windows-1253",
    "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-874", "iso-8859-15",
)  # fmt: skip
NAMED = {"windows-874": "cp874"}  # what Python calls it


@dataclass(frozen=True)
class Letter:
    """A mail, the moves in it, and how it was made."""

    raw: bytes
    moves: list[str]
    made: str


def letter(rng: random.Random) -> Letter:
    """A mail of any kind."""
    answer, moves = rng.choice(ANSWERS)
    if rng.random() < 0.4:
        program = rng.choice(sorted(PAGES))
        above = "" if answer else rng.choice(ABOVE)
        return Letter(whole(rng, page(PAGES[program], above + answer, rng), "html"), moves, f"{program} {answer!r}")
    if rng.random() < 0.1:
        program = rng.choice(sorted(PAGES_BELOW))
        return Letter(whole(rng, page(PAGES_BELOW[program], answer, rng), "html"), moves, f"{program} {answer!r}")
    kind, text = written(rng, answer)
    return Letter(whole(rng, text, "plain"), moves, f"{kind} {answer!r}")


def page(layout: str, answer: str, rng: random.Random) -> str:
    labels = rng.choice(sorted(OUTLOOK.values())).split("|")
    return layout.format(
        answer=in_html(answer),
        ours=in_html("\n".join(OURS)),
        marked=in_html("\n".join(f"> {line}" for line in OURS)),
        paragraphs="".join(f'<p class="MsoNormal">{escape(line) or "&nbsp;"}<o:p></o:p></p>' for line in OURS),
        head="<br>".join(f"<b>{escape(label)}:</b> {escape(text)}" for label, text in zip(labels, HEAD, strict=True)),
        introduction="<br>".join(map(escape, introduced(rng.choice(sorted(GMAIL.values()))))),
        sender=escape(SENDER["s"]),
    )


def in_html(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def written(rng: random.Random, answer: str) -> tuple[str, str]:
    """A text with our mail in it, and the kind of it."""
    mark = rng.choice(("> ", "> ", "> ", ">", "| ", "BT> ", "» "))
    marked = [f"{mark}{line}".rstrip() for line in OURS]
    above, below = rng.choice(ABOVE), rng.choice(BELOW)
    name = rng.choice(sorted(INTRODUCTIONS))
    width = rng.choice((None, 78, 60, 44)) if "groupwise" not in name else None
    lines = introduced(INTRODUCTIONS[name], width)
    kinds = {
        "marked": [above + answer + below, "", *lines, *marked],
        "marked, introduction too": [above + answer + below, "", *(f"> {line}" for line in lines), "> ", *marked],
        "not marked": [above + answer + below, "", *lines, "", *OURS],
        "head": [above + answer + below, "", *head(rng), "", *OURS],
        "original": [above + answer + below, "", f"-----{rng.choice(sorted(ORIGINAL.values()))}-----", "", *OURS],
        "below": [*lines, *marked, "", answer + below],
        "between": [*lines, *marked[:4], "", answer, "", *marked[4:]],
    }
    kind = rng.choice(sorted(kinds))
    if kind in ("below", "between") and name.strip() in ("groupwise", "orange"):  # these never mark what they quote
        kind = "not marked"
    return f"{kind}, {name} at {width}", "\n".join(kinds[kind]) + "\n"


def introduced(introduction: str, width: int | None = None) -> list[str]:
    lines = introduction.format(**SENDER).split("|")
    return [piece for line in lines for piece in textwrap.wrap(line, width or 1_000, break_on_hyphens=False)]


def head(rng: random.Random) -> list[str]:
    """The head of our mail as Outlook has it."""
    form = rng.choice(("{}: {}", "*{}:* {}", "{} : {}", "{}： {}"))
    labels = rng.choice(sorted(OUTLOOK.values())).split("|")
    return [form.format(label, text) for label, text in zip(labels, HEAD, strict=True)]


# The mail around it ---------------------------------------------------------------------------------


def whole(rng: random.Random, text: str, kind: str) -> bytes:
    """The mail whose text that is, which may have other parts."""
    body = part(rng, text, kind)
    attached = "Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment; filename=a.txt\n\nbus 94\n"
    picture = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
    footer = f"Content-Type: text/plain\n\n{'_' * 47}\nPlayers mailing list\nbus 94\n"
    signature = "Content-Type: application/pgp-signature\n\n-----BEGIN PGP SIGNATURE-----\n"
    empty = "Content-Type: text/plain\n\n\n"
    kinds = {
        "alone": body,
        "attached": multipart("mixed", body, attached),
        "attached above": multipart("mixed", attached, body),
        "picture": multipart("related", body, picture),
        "list": multipart("mixed", body, footer) if text.strip() else body,
        "signed": multipart("signed", body, signature),
        "both": multipart("alternative", part(rng, text, "plain"), part(rng, in_html(text), "html"))
        if kind == "plain"
        else multipart("alternative", empty, body),
    }
    named = kinds[rng.choice(sorted(kinds))]
    raw = f"From: Bob Red <bob@example.net>\nTo: {ADDRESS}\nSubject: Re: {HEAD[3]}\nMessage-ID: <1@x>\n{named}"
    return raw.encode("utf-8", "surrogateescape").replace(b"\n", b"\r\n")


def multipart(kind: str, *parts: str) -> str:
    boundary = f"b{crc32(''.join(parts).encode('utf-8', 'surrogateescape'))}"
    inside = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f'MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="{boundary}"\n\n{inside}--{boundary}--\n'


def part(rng: random.Random, text: str, kind: str) -> str:
    """One part, in some charset that has its letters; bytes that are no ASCII as surrogates."""
    charset = next(name for name in (*rng.sample(CHARSETS, 5), "utf-8") if fits(text, name))
    data = text.encode(NAMED.get(charset, charset))
    coding = rng.choice(("base64", "quoted-printable", "8bit")) if not charset.startswith("utf-16") else "base64"
    if coding == "base64":
        data = base64.encodebytes(data)
    elif coding == "quoted-printable":
        data = quopri.encodestring(data)
    return (
        f"Content-Type: text/{kind}; charset={charset}\nContent-Transfer-Encoding: {coding}\n\n"
        f"{data.decode('utf-8', 'surrogateescape')}"
    )


def fits(text: str, charset: str) -> bool:
    try:
        return text.encode(NAMED.get(charset, charset)).decode(NAMED.get(charset, charset)) == text
    except UnicodeError:
        return False


# The reading ----------------------------------------------------------------------------------------


def misread(given: Letter) -> str | None:
    """Return the fault in the reading of a letter, or None."""
    reading = read(given.raw, envelope_sender="bob@example.net")
    found = [command.move.canonical() if command.move else command.line for command in parse(reading.lines).commands]
    decoys = [line for line in reading.lines if any(decoy in line for decoy in DECOYS)]
    if found == given.moves and not decoys and reading.problem is None:
        return None
    return f"{given.made}: {found}, {decoys[:2]}, {reading.problem}"
