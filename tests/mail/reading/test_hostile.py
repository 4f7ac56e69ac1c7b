"""Mails that are made to be misread: each is read in one way by everybody, or not at all, and in no time."""

import base64

import pytest

from server.language.grammar import parse
from server.mail.reading.message import Kind, Problem, read

FROM = "From: Bob Red <bob@example.net>"
BODY = "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\ntaxi 46\n"


def mail(sender: str = FROM, more: str = "", body: str = BODY) -> bytes:
    head = f"{sender}\nTo: turn@play.example.org\nSubject: Re: Turn 5\nMessage-ID: <1@x>\n{more}"
    return (head + body).encode("utf-8", "surrogateescape").replace(b"\n", b"\r\n")


def obeyed(raw: bytes) -> list[str]:
    """The commands in a mail, if it is one that is read for commands."""
    reading = read(raw, envelope_sender="bob@example.net")
    found = parse(reading.lines, reading.subject).commands
    assert not found or (reading.kind is Kind.HUMAN and reading.problem is None)
    return [command.line for command in found]


# Who wrote it ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sender",
    [
        "From: bob@example.net",
        "From: <bob@example.net>",
        "FROM: BOB <bob@example.net>",
        "From:\tBob\n <bob@example.net>",
        "From: bob@example.net (Bob (at home) Red)",
        "From: (a comment) bob@example.net",
        'From: "mallory@evil.example" <bob@example.net>',
        "From: =?utf-8?B?bWFsbG9yeUBldmlsLmV4YW1wbGU=?= <bob@example.net>",
        "From: B\udcf6b <bob@example.net>",
        f"From: {'x' * 3_000} <bob@example.net>",
        f"{FROM}\nSender: mallory@evil.example\nReply-To: mallory@evil.example\nResent-From: mallory@evil.example",
    ],
)
def test_the_one_address_in_from_is_the_writers_whatever_stands_around_it(sender: str):
    assert read(mail(sender)).from_addresses == ("bob@example.net",)
    assert obeyed(mail(sender)) == ["taxi 46"]


@pytest.mark.parametrize(
    "sender",
    [
        '"bob@example.net" <mallory@evil.example>',
        "bob@example.net <mallory@evil.example>",
        "=?utf-8?q?=22bob=40example=2Enet=22?= <mallory@evil.example>",
        "mallory@evil.example (bob@example.net)",
        '"Bob <bob@example.net>" <mallory@evil.example>',
    ],
)
def test_an_address_in_a_name_is_nobodys(sender: str):
    assert read(mail(f"From: {sender}")).from_addresses == ("mallory@evil.example",)


@pytest.mark.parametrize(
    "sender",
    [
        "From: bob@example.net, mallory@evil.example",
        "From: Players: bob@example.net, mallory@evil.example;",
        f"{FROM}\nfrom: mallory@evil.example",
        f"{FROM}\n{FROM}",
        "From: <bob@example.net> <mallory@evil.example>",
        "From: bob@example.net; mallory@evil.example",
        'From: "Bob <bob@example.net>',
        "From: Bob <bob@example.net",
        "From: <>",
        "From: ",
        "From: =?utf-8?q?Bob_=3Cbob=40example=2Enet=3E?=",
        "From: Bob\0 <bob@example.net>",
        "From: <bob@example.net\0.evil.example>",
        "X-From: bob@example.net",
    ],
)
def test_a_mail_with_no_writer_or_with_two_is_not_obeyed(sender: str):
    assert obeyed(mail(sender)) == []
    assert read(mail(sender)).problem in (Problem.BROKEN, Problem.NO_SENDER, Problem.SEVERAL_SENDERS)


# The form of it -------------------------------------------------------------------------------------


def encoded(text: str, coding: str) -> str:
    return f"Content-Transfer-Encoding: {coding}\n\n{text}\n"


@pytest.mark.parametrize(
    "body",
    [
        "Content-Type: text/plain; charset=../../etc/passwd\n\ntaxi 46\n",
        f"Content-Type: text/plain; charset={'x' * 3_000}\n\ntaxi 46\n",
        "Content-Type: text/plain; charset*=utf-8''utf-8; x*0*=a%zz''%ff; x*1=b\n\ntaxi 46\n",
        'Content-Type: multipart/mixed; boundary="(.*)+$"\n\n--(.*)+$\n\ntaxi 46\n--(.*)+$--\n',
        "Content-Type: text/plain; charset=zlib\n\ntaxi 46\n",
        "Content-Type: text/html\n\n<script>document.write('bus 34')</script><p>taxi 46</p>\n",
        "Content-Type: text/html\n\n<base href=file:///etc/><img src=passwd alt='bus 34'><p>taxi 46</p>\n",
        f"Content-Type: text/html\n\n<p title='bus 34' {'a=b ' * 20_000}>taxi 46</p>\n",
        encoded("taxi 46\n" + "=" * 300_000, "quoted-printable"),
        encoded("taxi 46", "x-unheard-of"),
        "\nta\0xi 46\n",
    ],
)
def test_what_is_only_strange_is_read(body: str):
    assert obeyed(mail(body=body)) == ["taxi 46"]


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"Content-Type: multipart/mixed; boundary={i}\n\n--{i}\n" for i in range(60)) + "\ntaxi 46\n",
        "Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n\ntaxi 46\n" * 10_000,
        f"Content-Type: multipart/mixed; boundary={'b' * 5_000}\n\n--{'b' * 5_000}\n\ntaxi 46\n",
        "Content-Type: multipart/mixed; boundary=b\n\ntaxi 46\n",
        f"Content-Type: text/plain; {'; '.join(f'a{i}=b' for i in range(3_000))}\n\ntaxi 46\n",
        "Content-Type: text/html\n\n" + "<div>" * 50_000 + "taxi 46\n",
        "Content-Type: text/html\n\n" + "<table><tr><td>" * 5_000 + "taxi 46\n",
        "Content-Type: message/rfc822\n\nFrom: bob@example.net\n\ntaxi 46\n",
        "Content-Type: message/partial; id=x; number=1; total=2\n\ntaxi 46\n",
        "Content-Type: message/external-body; access-type=local-file; name=/etc/passwd\n\nA: b\n\ntaxi 46\n",
        "Content-Type: text/plain; charset=unicode_escape\n\n\\u0074axi 46\n",
        encoded(base64.b64encode(b"hi\ntaxi 46").decode()[:14], "base64"),
        "Content-Type: text/calendar; method=REQUEST\n\nMETHOD:REPLY\ntaxi 46\n",
        "".join(f"X-{i}: y\n" for i in range(20_000)) + "\ntaxi 46\n",
        ": x\n\ntaxi 46\n",
        "X Y: x\n\ntaxi 46\n",
        "X: a\rb\n\ntaxi 46\n",
        "To: " + "(" * 3_000 + "x\n\ntaxi 46\n",
    ],
)
def test_what_no_two_programs_read_alike_or_would_take_for_ever_is_not_obeyed(body: str):
    assert obeyed(mail(body=body)) == []


@pytest.mark.parametrize(
    "bait",
    [
        "On " + "at " * 8_000 + "wrote:", "On 2 Nov 2026 (" * 1_000, "Aa Bb " * 9_000, "A.b-c\'d_" * 4_000 + ">",
        "<" * 30_000, "a@" * 15_000, "-" * 30_000 + "x", "*_" * 15_000, "[" * 30_000, "`" * 30_000 + "x",
        " " * 60_000 + "x", ": " * 20_000, "On 2 Nov 2026 18:22\n" * 450, "😀" * 15_000, "From: x\nabc: y\n" * 225,
    ],
)  # fmt: skip
def test_no_line_takes_long(bait: str):
    assert obeyed(mail(body=f"\ntaxi 46\n\n{bait}\n")) == ["taxi 46"]
    assert obeyed(mail(more=f"X-Note: {bait[:20_000].replace(chr(10), ' ')}\n")) == ["taxi 46"]


@pytest.mark.parametrize("bait", ["On 2 Nov 2026 18:22\n" * 1_500, "From: x\nabc: y\n" * 800, "hello\n" * 20_000])
def test_more_lines_than_a_person_writes_are_not_read(bait: str):
    assert obeyed(mail(body=f"\ntaxi 46\n\n{bait}\n")) == []


@pytest.mark.parametrize("bait", ["Re: " * 15_000, "[" * 15_000, "a b " * 5_000, "=?utf-8?q?a?= " * 1_500])
def test_no_subject_takes_long(bait: str):
    assert obeyed(mail().replace(b"Re: Turn 5", bait.encode())) == ["taxi 46"]


def test_an_answer_that_a_calendar_attached_is_a_calendars():
    part = (
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntaxi 46\n--b\nContent-Type: application/ics\n\n{}\n--b--\n"
    )
    assert read(mail(body=part.format("METHOD:REPLY"))).kind is Kind.CALENDAR
    assert obeyed(mail(body=part.format("METHOD:REQUEST"))) == ["taxi 46"]
