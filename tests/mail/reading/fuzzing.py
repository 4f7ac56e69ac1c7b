"""Mails that nobody would write: real ones damaged by chance, and what must hold of the reading of each."""

import random
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache

from server.language.grammar import parse
from server.language.matching import suggest
from server.language.normalise import plain
from server.mail.reading.message import MAX_SIZE, Kind, Reading, read
from server.mail.reading.mime import UnreadableMailError, text_of
from server.mail.reading.quoting import MARKER
from server.mail.trust.authentication import authenticate
from server.mail.trust.mail import Handover
from server.vocabulary.dns import DnsClient
from tests.mail.samples import samples

NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
DNS = DnsClient(lambda name, kind, _: [b"v=DMARC1; p=reject"] if name.startswith("_dmarc.") and kind == "TXT" else [])

Mutator = Callable[[random.Random, bytes], bytes]


class LegalMove:
    """A move as the list of legal ones has it."""

    double = False

    def __init__(self, pawn: str, notation: str) -> None:
        self.pawn, self.notation = pawn, notation

    def __str__(self) -> str:
        return self.notation


LEGAL = [LegalMove("red", f"red {ticket} {station}") for ticket, station in (("taxi", 46), ("bus", 34), ("taxi", 73))]


def check(raw: bytes) -> None:
    """Check what holds of every mail: no error, no quoted line obeyed."""
    reading = read(raw, marker=MARKER, envelope_sender="bob@example.net")
    parsed = parse(reading.lines, reading.subject)
    suggest(reading.lines, LEGAL)
    if reading.kind is Kind.HUMAN and len(reading.from_addresses) == 1:
        _check_sender(raw, reading)
    if parsed.commands and not parsed.from_subject:
        obeyed = {command.line for command in parsed.commands if command.move}
        # A second reading of the lines, by the plainest rules there are.
        assert obeyed <= {plain(line) for line in written_by_hand(_lines(raw))}, obeyed


def _check_sender(raw: bytes, reading: Reading) -> None:
    handover = Handover("bob@example.net", "turn@play.example.org")
    ask = DNS.for_mail_from("example.net", NOW, lambda: 0)
    found = authenticate(raw, reading.from_addresses[0], handover, "mx.play.example.org", ask)
    assert len(str(found)) <= 80


def written_by_hand(lines: Sequence[str]) -> list[str]:
    """The lines not quoted by a bar, brace or ">" (letters or signs before it or not), above our line or a whole mail.

    Of a line that is longer than any that a program writes only its beginning is looked at.
    """
    found = []
    for number, line in enumerate(lines):
        shown = re.sub(r"[^\x21-\x7e]", "", line[:300])
        if re.match(r"[>|}]|[a-z]{1,4}>|[^\w<]{1,3}>", shown, re.IGNORECASE):
            continue
        if re.sub(r"\W", "", MARKER).lower() in re.sub(r"\W", "", shown).lower() or _begins_original(lines[number:]):
            break
        found.append(line)
    return found


def _begins_original(lines: Sequence[str]) -> bool:
    labels = [line.partition(": ")[0] for line in lines[:4]]
    return lines[0] == "-----Original Message-----" or labels == ["From", "Sent", "To", "Subject"]


def _lines(raw: bytes) -> tuple[str, ...]:
    try:
        return text_of(raw).lines if len(raw) <= MAX_SIZE else ()
    except UnreadableMailError:
        return ()


# Damage -----------------------------------------------------------------------------------------


def mutant(rng: random.Random) -> bytes:
    """A mail that was damaged one to eight times."""
    raw = rng.choice(seeds())
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8))):
        raw = rng.choice(MUTATORS)(rng, raw)[: MAX_SIZE + 1_000]
    return raw


@cache
def seeds() -> list[bytes]:
    """Mails as programs and attackers write them, those that are not huge."""
    return [sample.raw for sample in samples() if len(sample.raw) < 50_000] + [HEAD + body for body in BODIES]


HEAD = b"From: Bob <bob@example.net>\r\nTo: turn@play.example.org\r\nSubject: Re: Turn 5\r\nMessage-ID: <1@x>\r\n"
BODIES = [
    b"Content-Type: text/html; charset=utf-8\r\n\r\n<div>taxi 46</div><blockquote>bus 34</blockquote>\r\n",
    b"Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\ntaxi \r\n46\r\n> bus \r\n> 34\r\n",
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntaxi 46\r\n--b\r\n\r\n<p>taxi 46</p>\r\n--b--\r\n",
    b"Content-Transfer-Encoding: base64\r\n\r\ndGF4aSA0Ng0KPiBidXMgMzQNCg==\r\n",
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\nta=\r\nxi=2046\r\n=3E bus 34\r\n",
    b"\r\ntaxi 46\r\n\r\n" + MARKER.encode() + b"\r\nbus 34\r\n",
    b"\r\ntaxi 46\r\nOn Mon, 2 Nov 2026 at 18:22, BT <p@x.example> wrote:\r\n> bus 34\r\n-- \r\ntaxi 73\r\n",
    b"\r\n-----Original Message-----\r\ntaxi 46\r\n",
    b"\r\nHello\r\n\r\nFrom: BT <p@x.example>\r\nSent: 2 Nov 2026\r\nTo: Bob\r\nSubject: Turn 5\r\n\r\nbus 34\r\n",
    b"Authentication-Results: mx.play.example.org; dkim=pass (x) header.d=example.net; dmarc=fail\r\n\r\ntaxi 46\r\n",
    b"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.net; s=s; h=from; bh=YQ==; b=YQ==\r\n\r\ntaxi 46",
]
WORDS = [
    b"\r\n", b"\n", b"\r", b"\0", b">", b"> ", b"| ", b" ", b"\t", b"--", b"-- \r\n", b"\r\n.\r\n", b";", b":", b"=",
    b'"', b"(", b")", b"<", b"@", b"<p@x.example>", b"=?utf-8?q?taxi_46?=", b"=?utf-7?b?", b"=0D=0A", b"\xff\xfe",
    b"\xe2\x80\xaa", b"\xc2\xa0", b"\xe2\x80\x8b", b"\xef\xbb\xbf", b"\xe3\x80\x80", b"\xd9\xa4\xd9\xa6", b"wrote:",
    b"schrieb", b"On ", b"From: ", b"Sent: ", b"2 Nov 2026 18:22", b"-----Original Message-----",
    b"________________________________", b"*", b"_", b"taxi 46", b"bus 34", b"46", b"double taxi 46 bus 34",
    b"SAY hello", b"AWAY 24 Dec to 2 Jan", b"NEW 4 with Ben, Cleo", b"BOARD 91 46", b"HOST red",
    b"SET zone Europe/London", b"YES", b"PIN 0000", MARKER.encode(), b"Content-Type: ",
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n", b"--b--\r\n", b"text/html", b"message/rfc822",
    b"charset=utf-7", b"charset=iso-2022-jp", b"charset=utf-16", b"Content-Transfer-Encoding: base64\r\n",
    b"<table><tr><td>", b"<blockquote>", b"</div>", b"<pre>", b"&nbsp;", b"&#x202e;", b"<style>", b"<!--", b"]]>",
    b"begin 644 x\r\n", b"Authentication-Results: mx.play.example.org; dmarc=pass\r\n",
    b"Received: from a by b; now\r\n", b"Auto-Submitted: no\r\n",
    b"DKIM-Signature: v=1; a=rsa-sha256; d=example.net; s=s; h=from; bh=YQ==; b=YQ==\r\n",
]  # fmt: skip


def _flip(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]


def _cut(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + raw[at + rng.choice((1, 3, 10, 100, 10_000)) :]


def _insert(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + rng.choice(WORDS) + raw[at:]


def _insert_line(rng: random.Random, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(WORDS) + rng.choice(WORDS) + b"\r")
    return b"\n".join(lines)


def _repeat(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw) + 1)
    piece = rng.choice((rng.choice(WORDS), raw[at : at + rng.randrange(1, 80)])) or b" "
    return raw[:at] + piece * (2 ** rng.randrange(1, 18)) + raw[at:]


def _shuffle(rng: random.Random, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def _splice(rng: random.Random, raw: bytes) -> bytes:
    other = rng.choice(seeds())
    return raw[: rng.randrange(len(raw) + 1)] + other[rng.randrange(len(other)) :]


def _quote(rng: random.Random, raw: bytes) -> bytes:
    """Everything from some line on is quoted."""
    lines = raw.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join(lines[:at] + [rng.choice((b"> ", b">", b">> ")) + line for line in lines[at:]])


def _line_ends(_rng: random.Random, raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n")


MUTATORS: tuple[Mutator, ...] = (
    _flip, _flip, _cut, _insert, _insert, _insert_line, _insert_line, _repeat, _shuffle, _splice, _quote, _line_ends,
)  # fmt: skip
