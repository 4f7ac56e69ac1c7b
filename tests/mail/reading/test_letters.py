"""Answers of all programs and languages, made from tables: what was written is found, and no decoy.

`make campaign` draws many more of them by chance.
"""

import random

import pytest

from server.language.grammar import parse
from server.mail.reading.charsets import decode
from server.mail.reading.message import Problem, read
from server.mail.reading.quoting import own_lines
from tests.mail.reading.introductions import FORWARDED, ORIGINAL, OUTLOOK, PHONES
from tests.mail.reading.letters import DECOYS, HEAD, INTRODUCTIONS, OURS, in_html, introduced, letter, misread, page
from tests.mail.reading.pages import PAGES, PAGES_BELOW
from tests.profiles import IS_CAMPAIGN

MARKED = [f"> {line}".rstrip() for line in OURS]


def own(*lines: str) -> tuple[str, ...]:
    return own_lines(lines)


@pytest.mark.parametrize("width", [None, 78, 64])
def test_every_introduction_is_known_above_a_mail_with_marks_and_without(width: int | None):
    for name, text in INTRODUCTIONS.items():
        if width == 64 and "groupwise" in name:  # it does not wrap
            continue
        lines = introduced(text, width)
        for below in ([*lines, "", *MARKED], [*lines, *MARKED], [*(f"> {line}" for line in lines), *MARKED]):
            assert own("taxi 46", "", *below) == ("taxi 46",), name
        assert own("taxi 46", *lines, *OURS) == ("taxi 46",), name
        assert own(*lines, "", *OURS) == (), name


# The beginning of each looks a little like that of an introduction.
ABOVE = (
    "purple taxi 7", "le violet en taxi 63", "la amarilla en taxi 7", "el rojo en bus 68", "am besten taxi 46",
    "den roten mit dem Bus nach 68", "on to taxi 46", "at last: taxi 46", "SAY see you at 10:30", "a 46",
)  # fmt: skip
SHORT = ("Black Ticket wrote:", "Black Ticket wrote on 23/11/2026 10:20:", "On Monday X wrote:", "Le lundi X a écrit :")


@pytest.mark.parametrize("width", [None, 78])
def test_a_line_of_the_player_s_directly_above_an_introduction_is_no_part_of_it(width: int | None):
    assert [
        (line, name)
        for line in ABOVE
        for name, text in (*INTRODUCTIONS.items(), *((text, text) for text in SHORT))
        if own(line, *introduced(text, width), *MARKED) != (line,)
    ] == []


def test_below_and_between_marked_lines_the_player_is_heard_again():
    for name, text in INTRODUCTIONS.items():
        if "groupwise" in name or "orange" in name:  # their answers never stand there
            continue
        lines = introduced(text)
        assert own(*lines, *MARKED, "taxi 46") == ("taxi 46",), name
        assert own(*lines, *MARKED[:4], "", "taxi 46", "", *MARKED[4:]) == ("taxi 46",), name


@pytest.mark.parametrize("form", ["{}: {}", "*{}:* {}", "{} : {}", "{}： {}"])
def test_every_head_of_a_mail_is_known(form: str):
    for name, labels in OUTLOOK.items():
        lines = [form.format(label, text) for label, text in zip(labels.split("|"), HEAD, strict=True)]
        for answer in ((), ("taxi 46",), ("I shall look at it tonight.",)):
            assert own(*answer, "", *lines, "", *OURS) == answer, name
    warned = ("*** Achtung: Externe E-Mail ***", "", "taxi 46")
    assert own(*warned, "", *lines, *OURS) == warned


@pytest.mark.parametrize("rule", ["-----{}-----", "-------- {} --------", "------------------ {} ------------------"])
def test_every_rule_above_a_mail_is_known(rule: str):
    for name, words in ORIGINAL.items():
        assert own("taxi 46", rule.format(words), *OURS) == ("taxi 46",), name


def test_a_forwarded_mail_is_never_obeyed():
    for name, line in FORWARDED.items():
        assert own("FYI", "", line, "", *OURS) == ("FYI",), name


def test_the_signatures_of_phones_are_dropped_in_every_language():
    for name, line in PHONES.items():
        if name not in ("docomo",):
            assert own("taxi 46", "", line) == ("taxi 46",), name


@pytest.mark.parametrize("mark", [">", "> ", "| ", "BT>", "BT> ", "Black Ticket> ", "» ", "＞", "% ", ": ", "# "])
def test_every_mark_of_a_quoted_line_is_known(mark: str):
    marked = [mark + line for line in OURS]
    assert own(*marked) == ()
    assert own(*marked, "", "taxi 46") == ("taxi 46",)


def test_no_mark_is_seen_in_what_a_player_writes():
    lines = ("taxi > 46", "taxi -> 46", "#46", "Red: taxi to 46", "bus>58", "50% sure")
    assert own(*lines) == lines


def read_html(html: str) -> tuple[str, ...]:
    return read(b"From: bob@example.net\nContent-Type: text/html; charset=utf-8\n\n" + html.encode()).lines


@pytest.mark.parametrize("answer", ["taxi 46", "I shall look at it tonight, promise."])
@pytest.mark.parametrize("program", PAGES)
def test_the_layout_of_every_program_is_known(program: str, answer: str):
    lines = read_html(page(PAGES[program], answer, random.Random(program)))
    assert [line for line in lines if line in DECOYS or "94" in line] == []
    assert [command.line for command in parse(lines).commands] == [answer] * answer.startswith("taxi")


@pytest.mark.parametrize("program", PAGES_BELOW)
def test_an_answer_below_or_between_quotations_in_html_is_found(program: str):
    assert read_html(page(PAGES_BELOW[program], "taxi 46", random.Random(program))) == ("taxi 46",)


def test_a_table_above_an_answer_does_not_run_into_it():
    warning = "You don't often get email from bob@example.net. Learn why this is important"
    lines = read_html(
        f"<table><tr><td>{warning}</td></tr></table><div>taxi 46</div><blockquote>{in_html('bus 94')}</blockquote>"
    )
    assert [command.line for command in parse(lines).commands] == ["taxi 46"]


MANY = 800 if IS_CAMPAIGN else 400


def test_letters_of_all_kinds_are_read_as_they_are_meant():
    wrong = [found for number in range(MANY) if (found := misread(letter(random.Random(f"letter {number}"))))]
    assert wrong == []


# Particular mails -----------------------------------------------------------------------------------


def lines_of(body: str, content_type: str = "text/plain; charset=utf-8", more: str = "") -> tuple[str, ...]:
    head = f"From: bob@example.net\n{more}Content-Type: {content_type}\n\n"
    return read((head + body).encode()).lines


def test_inside_a_pgp_signature_stands_what_was_written():
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\ntaxi 46\n- -- \nBob\n"
        "-----BEGIN PGP SIGNATURE-----\n\nbus 94\n-----END PGP SIGNATURE-----\n"
    )
    assert lines_of(signed) == ("taxi 46",)
    encrypted = read(b"From: bob@example.net\n\n-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n")
    assert encrypted.problem is Problem.ENCRYPTED


def test_a_text_that_apple_mail_cut_in_two_around_a_picture_is_one():
    parts = "--{0}\nContent-Type: text/plain\n\nLook:\n--{0}\nContent-Type: image/png\n\nx\n--{0}\n\ntaxi 46\n--{0}--\n"
    assert lines_of(parts.format("Apple-Mail-1"), "multipart/mixed; boundary=Apple-Mail-1") == ("Look:", "taxi 46")
    # Elsewhere a second text is what a list has put below.
    assert lines_of(parts.format("b"), "multipart/mixed; boundary=b") == ("Look:",)


def test_base64_that_was_cut_in_a_line_is_not_guessed_at():
    more = "Content-Transfer-Encoding: base64\n"
    assert lines_of("aGkNCnRheGkgNDY=\n", more=more) == ("hi", "taxi 46")
    cut = read(f"From: bob@example.net\n{more}\naGkNCnRheGkgND\n".encode())
    assert (cut.lines, cut.problem) == ((), Problem.BROKEN)


@pytest.mark.parametrize(
    ("data", "charset"),
    [("taxi 46", "utf-16"), ("taxi 46", "utf-16-le"), ("taxi 46", "utf-16-be"), ("\ufefftaxi 46", "utf-16-be")],
)
def test_utf_16_is_read_with_and_without_its_mark(data: str, charset: str):
    assert (decode(data.encode(charset), "utf-16") or "").strip("\ufeff") == "taxi 46"


def test_what_only_says_that_it_is_utf_16_is_read_as_it_is():
    assert decode("taxi 46 Grüße".encode(), "utf-16") == "taxi 46 Grüße"


def test_a_station_that_is_turned_round_on_the_screen_is_none():
    assert parse(["taxi \N{RIGHT-TO-LEFT OVERRIDE}64\N{POP DIRECTIONAL FORMATTING}"]).commands == ()
