"""The reader finds what a player wrote, for every mail program and any bytes."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.language.grammar import parse
from server.mail.reading.message import MOST_OWN_LINES, Kind, Problem, Reading, read
from server.mail.reading.quoting import FORMER_MARKER, MARKER, own_lines, wrapped_off
from tests.mail.samples import samples

HEAD = "From: Vera <vera@example.net>\r\nTo: turn@play.example.org\r\nSubject: Re: your move\r\n"


def mail(body: str | bytes, content_type: str = "text/plain; charset=utf-8", more: str = "") -> bytes:
    data = body if isinstance(body, bytes) else body.encode()
    return f"{HEAD}{more}Content-Type: {content_type}\r\n\r\n".encode() + data.replace(b"\n", b"\r\n")


def lines_of(*arguments: str | bytes) -> list[str]:
    return [line for line in read(mail(*arguments), marker=MARKER).lines if line]  # type: ignore[arg-type]


def commands_of(raw: bytes, sender: str | None = None) -> list[str]:
    reading = read(raw, marker=MARKER, envelope_sender=sender)
    return [command.line for command in parse(reading.lines, reading.subject).commands]


def test_a_reading_tells_who_wrote_what_to_whom() -> None:
    raw = next(sample.raw for sample in samples() if sample.name == "replies/apple-mail-of-our-own-mail")
    assert read(raw, marker=MARKER) == Reading(
        kind=Kind.HUMAN,
        from_addresses=("vera@example.net",),
        from_name="Vera Lind",
        message_id="<apple.1@mail.example.net>",
        in_reply_to="<event-20.seat-3@play.example.org>",
        to=("turn+k7m2q6xw4dlrt3pa@play.example.org",),
        subject="Re: [Foggy Thames] Turn 20: Red, your move by Tue 24 Nov 18:00 London",
        lines=("taxi 84", "", "— Vera"),
    )


# Text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("taxi 46\nGrüße".encode("cp1252"), "text/plain; charset=iso-8859-1"),
        ("taxi 46\nGrüße".encode(), "text/plain"),
        ("taxi 46\nGrüße".encode("cp1252"), "text/plain"),
        ("taxi 46\nGrüße".encode(), "text/plain; charset=x-unheard-of"),
        ("taxi 46\nGrüße".encode(), 'text/plain; charset=""'),
    ],
)
def test_the_charset_is_taken_as_people_mean_it(body: bytes, content_type: str) -> None:
    assert lines_of(body, content_type) == ["taxi 46", "Grüße"]


def test_flowed_lines_are_put_together_and_del_sp_drops_the_blank() -> None:
    flowed = "text/plain; charset=utf-8; format=flowed"
    assert lines_of("SAY one \ntwo\n-- \nVera", flowed) == ["SAY one two"]
    assert lines_of("SAY on \ne", flowed + "; delsp=yes") == ["SAY one"]
    assert lines_of(" From here \non", flowed) == ["From here on"]


@pytest.mark.parametrize("encoding", ["base64", "BASE64 (in lines)", "(of a text) base64"])
def test_the_encoding_of_a_text_may_have_a_comment(encoding: str) -> None:
    raw = mail(base64.encodebytes(b"taxi 46\n"), more=f"Content-Transfer-Encoding: {encoding}\r\n")
    assert read(raw, marker=MARKER).lines == ("taxi 46",)


def test_a_field_that_stands_there_twice_and_says_the_same_is_as_good_as_one() -> None:
    assert read(mail("taxi 46", more="Content-Type: text/plain;\r\n charset=utf-8\r\n")).lines == ("taxi 46",)


def test_html_is_read_where_there_is_no_plain_text() -> None:
    html = '<style>bus 58</style><p>taxi&nbsp;46<p hidden>bus 58</p><div style="display: none">bus 58</div>'
    assert lines_of(html, "text/html") == ["taxi 46"]


def test_html_gets_the_lines_that_are_seen_and_a_row_of_a_table_is_one() -> None:
    html = "<table><tr><td>taxi</td><td>46</td></tr></table><ul><li>bus<br>58</li></ul>"
    assert lines_of(html, "text/html") == ["taxi 46", "bus", "58"]


def test_attachments_and_mails_inside_the_mail_are_passed_over() -> None:
    parts = (
        "--b\nContent-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\nbus 58\n"
        "--b\nContent-Type: message/rfc822\n\nSubject: x\n\nbus 58\n"
        "--b\nContent-Type: text/plain\n\ntaxi 46\n--b\nContent-Type: text/plain\n\nlist footer\n--b--\n"
    )
    assert lines_of(parts, "multipart/mixed; boundary=b") == ["taxi 46"]


def test_an_answer_of_a_calendar_is_no_persons() -> None:
    parts = "--b\nContent-Type: text/plain\n\ntaxi 46\n--b\nContent-Type: text/calendar; method=REPLY\n\nX\n--b--\n"
    reading = read(mail(parts, "multipart/alternative; boundary=b"))
    assert (reading.kind, reading.lines) == (Kind.CALENDAR, ())


def nested(depth: int) -> str:
    parts = [f"--{i}\nContent-Type: multipart/mixed; boundary={i + 1}\n" for i in range(depth)]
    return "\n".join(parts) + f"\n--{depth}\n\ntaxi 46\n"


TWICE = "--b\nContent-Disposition: inline\nContent-Disposition: attachment\n\ntaxi 46\n--b--\n"


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (mail("taxi 46" + " " * 1_000_000), Problem.TOO_LARGE),
        (mail("taxi 46", more=f"X: {'x' * 70_000}\r\n"), Problem.HEADERS_TOO_LARGE),
        (mail("taxi 46\n" + "\n" * 30_000), Problem.TOO_MANY_LINES),
        (mail("taxi 46\n" * (MOST_OWN_LINES + 1)), Problem.TOO_MUCH_TEXT),
        (mail("taxi 46\n" + "a long letter\n" * 3 + ("a long letter " * 100 + "\n") * 30), Problem.TOO_MUCH_TEXT),
        (mail("--b\n\ntaxi 46\n" * 600, "multipart/mixed; boundary=b"), Problem.TOO_MANY_PARTS),
        (mail(nested(15), "multipart/mixed; boundary=0"), Problem.TOO_DEEP),
        (mail(nested(2_000), "multipart/mixed; boundary=0"), Problem.TOO_DEEP),
        (mail("taxi 46", "multipart/mixed"), Problem.BROKEN),
        (mail("--b\n\ntaxi 4", "multipart/mixed; boundary=b"), Problem.BROKEN),
        (mail("taxi 46", more="no colon in this\r\n"), Problem.BROKEN),
        (mail("taxi 46").replace(b"\r\n", b"\r"), Problem.BROKEN),
        (mail("taxi 46") + b"\n.\nMAIL FROM:<a@evil.example>\n", Problem.BROKEN),
        (mail("taxi 46", more="Cc: <<a@b.example>>\r\n"), Problem.BROKEN),
        (mail("taxi 46", "text/plain; " + "x=1; " * 1_000), Problem.BROKEN),
        (mail("<p hidden>taxi 46</p>", more="Content-Type: text/html\r\n"), Problem.BROKEN),
        (
            mail("taxi 46", more="Content-Transfer-Encoding: 7bit\r\ncontent-transfer-encoding: base64\r\n"),
            Problem.BROKEN,
        ),
        (mail(TWICE, "multipart/mixed; boundary=b"), Problem.BROKEN),
        (mail("taxi 46", "text/plain; charset=utf-7"), Problem.BAD_CHARSET),
        (mail("--b\n\nVersion: 1\n--b--\n", "multipart/encrypted; boundary=b"), Problem.ENCRYPTED),
        (mail("MIIB", "application/pkcs7-mime"), Problem.ENCRYPTED),
        (mail("taxi 46").replace(b"From: Vera <vera@example.net>\r\n", b""), Problem.NO_SENDER),
        (mail("taxi 46", more="From: m@evil.example\r\n"), Problem.SEVERAL_SENDERS),
        (mail("taxi 46").replace(b"Vera <", b"m@evil.example, <"), Problem.SEVERAL_SENDERS),
    ],
)
def test_a_mail_with_a_problem_says_so_and_gives_no_lines(raw: bytes, problem: Problem) -> None:
    reading = read(raw)
    assert (reading.problem, reading.lines) == (problem, ())


def test_quotes_of_any_length_are_no_text_of_a_mail_of_its_own() -> None:
    quoted = "".join(f"> {'a long letter ' * 5}{number}\n" for number in range(2 * MOST_OWN_LINES))
    assert read(mail(f"taxi 46\n\nAnn wrote:\n{quoted}")).lines == ("taxi 46",)


def test_of_a_mail_with_large_photos_the_text_before_them_is_read() -> None:
    photo = "\r\n".join(["x" * 70] * 300_000)
    raw = (
        b"From: ben@example.org\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
        b"taxi 46\r\n--b\r\nContent-Type: image/jpeg\r\n\r\n" + photo.encode() + b"\r\n--b--\r\n"
    )
    assert len(raw) > 20_000_000
    reading = read(raw)
    assert (reading.lines, reading.problem) == (("taxi 46",), None)


def test_where_the_text_itself_is_cut_off_nothing_of_it_is_read() -> None:
    raw = (
        b"From: ben@example.org\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
        b"taxi 46\r\n" + b"and more\r\n" * 200_000 + b"no, taxi 58\r\n--b--\r\n"
    )
    assert (read(raw).lines, read(raw).problem) == ((), Problem.TOO_LARGE)


def test_the_header_of_a_mail_too_large_is_still_read() -> None:
    reading = read(mail("x" * 5_000_000))
    assert (reading.from_addresses, reading.subject) == (("vera@example.net",), "Re: your move")


def test_a_cut_at_the_end_of_a_line_does_no_harm() -> None:
    assert lines_of("--b\n\ntaxi 46\n", "multipart/mixed; boundary=b") == ["taxi 46"]


@pytest.mark.parametrize("value", ["", "<>", "x", "< a@b >"])
def test_an_id_that_is_none_collides_with_no_other(value: str) -> None:
    assert read(mail("x", more=f"Message-ID: {value}\r\n")).message_id is None


@given(st.binary(max_size=2_000))
def test_no_bytes_make_reading_raise(raw: bytes) -> None:
    assert isinstance(read(raw, marker=MARKER), Reading)


# The cut --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "introduction",
    [
        "________________________________",
        "22 нояб. 2026 г. 18:00 пользователь Black Ticket написал:",
        "---- On Sun, 22 Nov 2026 18:00:00 +0000 Black Ticket wrote ----",
        MARKER,
        "Turn 20, Red. Answer above\nthis line.",
        FORMER_MARKER,
        "Turn 20, Red. Please write your\nanswer above this line.",
    ],
)
def test_everything_below_an_unquoted_original_is_dropped(introduction: str) -> None:
    lines = ["taxi 46", *introduction.split("\n"), "", "bus 58", "RESIGN"]
    assert own_lines(lines, MARKER) == ("taxi 46",)


@pytest.mark.parametrize("labels", ["Saatja|Saatmisaeg|Adressaat|Teema", "จาก|ส่ง|ถึง|เรื่อง", "Nuo|Išsiųsta|Kam|Tema"])
@pytest.mark.parametrize("form", ["{}: {}", "*{}:* {}", "{} : {}"])
def test_the_header_of_a_quoted_mail_is_known_in_languages_that_are_not(labels: str, form: str) -> None:
    values = ("Black Ticket <play@play.example.org>", "2. november 2026 18:22", "Ben <ben@example.org>", "Turn 5")
    block = [form.format(*pair) for pair in zip(labels.split("|"), values, strict=True)]
    assert own_lines(["taxi 46", "", *block, "", "bus 34"]) == ("taxi 46",)


def test_moves_with_a_colon_are_no_header() -> None:
    lines = ("Red: taxi 46", "Blue: bus 34", "Green: by taxi to 12", "SAY: see you at 18:30")
    assert own_lines(lines) == lines


@pytest.mark.parametrize(
    "html",
    [
        "<p><span>ta</span><span>xi</span>&nbsp;<b>4</b><i>6</i></p>",
        "<p><s>bus 34</s></p><p>taxi 46</p>",
        '<p style="text-decoration: line-through">bus 34</p>taxi 46',
        '<div style="display:none; max-height:0">bus 34</div><p>taxi 46</p>',
        'taxi 46<br><div class="x_yahoo_quoted" id="yahoo_quoted_1"><div>bus 34</div></div>',
        'taxi 46<div id="Signature"><p>bus 34</p></div>',
        'taxi 46<hr><div id="divRplyFwdMsg"><b>De:</b> BT<br><b>Envoyé:</b> lundi<br></div>bus 34',
        "<!-- bus 34 --><title>bus 34</title><p>taxi 46</p>",
    ],
)
def test_of_html_only_what_is_meant_is_read(html: str) -> None:
    assert read(mail(html, "text/html; charset=utf-8")).lines == ("taxi 46",)


def test_a_piece_that_was_wrapped_out_of_a_quote_introduces_nothing() -> None:
    # It has a year in it, and the quote goes on with a colon at the end of a line.
    piece = ["On 11/22/26 18:00, Black Ticket wrote:", f"}}{MARKER}", "}The rules are those of", "ravensburger-2000."]
    goes_on = ["}It is your turn, with 2 days from Sunday 18:00. How that came about:", "and", "}so on.", "}"]
    assert commands_of(mail("\n".join([*piece, *goes_on, "", "taxi 46"]))) == ["taxi 46"]


@pytest.mark.parametrize(
    "introduction",
    ["On 11/22/26, BT <t@b.example\n> wrote:", "On 11/22/26, BT <t@\nb.example> wrote:", "2/11/26, BT a écrit\n:"],
)
def test_the_end_of_an_introduction_may_look_like_a_quote(introduction: str) -> None:
    assert own_lines(["taxi 46", "", *introduction.split("\n"), "", "bus 58"]) == ("taxi 46",)


def test_what_a_program_wrapped_off_a_quote_is_told_from_an_answer_in_its_middle() -> None:
    wrapped = f"> {FORMER_MARKER} And then, or"
    quote = [wrapped, "or off.", "> You can go by taxi.", "no, wait", "> Bye.", "or off"]
    assert wrapped_off(["taxi 46", "", *quote], MARKER) == ("or off.",)


@pytest.mark.parametrize(
    "mark", ["=> ", "=>", "-> ", "~> ", "* > ", "*> ", "] ", "]", "}", "= ", "; ", "# ", ": ", ". "]
)
def test_a_line_behind_a_mark_is_no_command_where_the_player_wrote_nothing_above_it(mark: str) -> None:
    assert parse(own_lines([f"{mark}taxi 46", f"{mark}LEGAL", f"{mark}yes"], MARKER)).commands == ()


@pytest.mark.parametrize("mark", ["+ ", "+", "~ ", "* ", "- ", "^", "BT| ", "Ben) ", "$ "])
def test_a_mark_that_no_program_is_known_for_is_told_by_our_first_line_behind_it(mark: str) -> None:
    ours = [f"Turn 20, Red. {MARKER}", "", "You stand at 91. The choices:", "taxi 58", "", "RESIGN"]
    quote = ["On 11/22/26 18:00, Black Ticket wrote:", *(f"{mark}{line}".strip() for line in ours)]
    for lines in (["taxi 46", "", *quote], [*quote, "", "taxi 46"], [*quote[:4], "taxi 46", *quote[4:]]):
        assert own_lines(lines, MARKER) == ("taxi 46",)


@pytest.mark.parametrize("first", [f"*Turn 20, Red. {MARKER}*", f"- Turn 20, Red. {MARKER}"])
def test_what_stands_before_our_first_line_alone_is_no_mark_of_a_quote(first: str) -> None:
    assert own_lines(["taxi 46", first, "", "* taxi 58", "*", "bus 58", "- bus 58"], MARKER) == ("taxi 46",)


def test_a_postscript_below_a_signature_is_read() -> None:
    assert own_lines(["taxi 46", "-- ", "Vera", "P.S. rather 58", "12 Baker Street"]) == ("taxi 46", "P.S. rather 58")


@pytest.mark.parametrize(
    "line",
    ["On the one hand it is foggy.", "I wrote to Green: cover 100", "Note: 46 is free", "From: nowhere", "a - b - c"],
)
def test_what_only_resembles_a_quote_is_kept(line: str) -> None:
    assert own_lines([line, "taxi 46"]) == (line, "taxi 46")


def test_nothing_written_is_no_lines() -> None:
    assert own_lines(["", "  ", "\ufeff"]) == ()
    assert own_lines([]) == ()
