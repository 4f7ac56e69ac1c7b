"""The bytes of a mail say what it was made from, whatever that is, or there are none."""

import email
from email.policy import default
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.mail.reading.headers import addresses
from server.mail.writing import mime
from server.mail.writing.mime import LONGEST_LINE, Attachment, Draft, UnsafeMail, encode, mailbox
from tests.profiles import HALF

NAMES = [
    "Ben",
    "46",
    "Ben, the 2nd",
    'O"Brien',
    "Zoë",
    "=?UTF-8?Q?=0A?=",
    "=?UTF-8?Q?=0D=0ABcc:_eve@example.org?=",
    "日本語",
]


def mail(name: str = "Ben", subject: str = "Turn 20", text: str = "Hello.\n", **more: Any) -> Any:
    """A mail to somebody of this name, read from its bytes."""
    return email.message_from_bytes(encode(draft(name, subject, text, **more)), policy=default)


def draft(name: str, subject: str, text: str, html: str | None = "<p>Hello.</p>", **more: Any) -> Draft:
    fields = [("From", "play@example.org"), ("To", mailbox(name, "ben@example.org")), ("Subject", subject)]
    return Draft("abc", [*fields, *more.pop("fields", [])], text, html, **more)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_as_it_was_written_and_adds_no_field(name: str):
    made = mail(name)
    assert made.keys() == ["From", "To", "Subject", "Content-Type", "MIME-Version"]
    assert [address.addr_spec for address in made["To"].addresses] == ["ben@example.org"]
    if "=0" not in name:  # what Python reads into that is why it is not left to Python
        assert made["To"].addresses[0].display_name == name


@pytest.mark.parametrize("name", ["a\nb", "a\r\nBcc: eve@example.org", "a\0b", "a\u2028b", "a\x85b"])
def test_a_name_of_more_than_one_line_is_refused_without_being_quoted(name: str):
    with pytest.raises(UnsafeMail) as refused:
        mail(name)
    assert name not in str(refused.value)


@HALF
@given(st.text(max_size=80), st.text(max_size=200), st.text(max_size=2_000))
def test_whatever_goes_in_comes_out_again_or_is_refused(name: str, subject: str, text: str):
    try:
        raw = encode(draft(name, subject, text))
    except (UnsafeMail, UnicodeEncodeError):  # half a letter is none
        return
    assert max(map(len, raw.split(b"\r\n"))) <= LONGEST_LINE
    assert email.message_from_bytes(raw, policy=default).keys()[:3] == ["From", "To", "Subject"]


@HALF
@given(st.from_regex(mime._PLAIN_ADDRESS, fullmatch=True))
def test_an_address_that_is_not_read_in_full_is_one(value: str):
    assert len(addresses(value)) == 1


def test_an_address_of_a_page_is_never_broken():
    page = f"<https://play.example.org/stop/{'x' * 700}>"
    fields = [("List-Unsubscribe", f"{page}, <mailto:turn+abc@example.org>"), ("References", f"<{'a' * 90}@b> <c@d>")]
    raw = encode(draft("Ben", "Turn 20", f"See https://example.org/{'y' * 2_000}\n", fields=fields))
    assert page.encode() in raw
    assert b"=?" not in raw
    assert "y" * 2_000 in email.message_from_bytes(raw, policy=default).get_body(("plain",)).get_content()


def test_a_field_that_would_be_too_long_is_refused():
    with pytest.raises(UnsafeMail):
        mail(fields=[("List-Unsubscribe", f"<https://example.org/{'x' * 1_000}>")])


def test_a_long_field_is_broken_at_blanks_and_a_subject_is_not():
    raw = encode(
        draft("Ben", "word " * 40 + "end", "x\n", fields=[("References", " ".join(f"<{n}@b>" for n in range(40)))])
    )
    lines = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert max(len(line) for line in lines if not line.startswith(b"Subject")) <= 78
    assert any(line.startswith(b"Subject: word") and line.endswith(b"end") for line in lines)


def test_text_html_picture_and_attachment_are_where_programs_look_for_them():
    board = Attachment("board.png", "image/png", b"PNG", cid="board")
    made = mail(attachments=[board, Attachment("transcript.json", "application/json", b"{}")])
    assert made.get_content_type() == "multipart/mixed"
    assert made.get_body(("plain",)).get_content() == "Hello.\r\n"
    assert made.get_body(("related",)).get_content_type() == "multipart/related"
    assert [part["Content-ID"] for part in made.walk() if part["Content-ID"]] == ["<board>"]
    assert [part.get_filename() for part in made.iter_attachments()] == ["transcript.json"]


def test_a_file_has_a_name_in_any_letters():
    made = mail(attachments=[Attachment(name, "text/plain", b"") for name in ("plan.pdf", "Schluß, «ł».pdf")])
    assert [part.get_filename() for part in made.iter_attachments()] == ["plan.pdf", "Schluß, «ł».pdf"]


def test_the_same_draft_gives_the_same_bytes():
    board = Attachment("board.png", "image/png", b"PNG", cid="board")
    assert len({encode(draft("Zoë", "Turn", "Zoë\n", attachments=[board])) for _ in range(3)}) == 1
