"""Names that are safe in a header, and addresses that can be written to."""

import unicodedata

import pytest

from server.application.people.players import check_email, check_name
from server.vocabulary.errors import Problem


@pytest.mark.parametrize("name", ["Ada", "Åsa Öberg", "O'Neil, Jr.", "李雷", "x" * 40, "Zoë"])
def test_names_of_people_are_taken_as_they_are(name: str):
    assert check_name(name) == name


def test_a_name_is_tidied():
    assert check_name("  Ada   King ") == "Ada King"
    assert check_name("Zoe\u0308") == "Zoë"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("Ada\nBcc: all@example.org", "one line"),
        ("Ada\r", "one line"),
        ("Ada\x00", "one line"),
        ("Ada\x85Byron", "one line"),
        ("Ada\u2028Byron", "one line"),
        ("Ada\u202eByron", "invisible characters"),
        ("Ada\ud800", "one line"),
        ("=?UTF-8?Q?=0A?=", "=?"),
        ("Ada =?utf-8?b?Cg==?=", "=?"),
        ("Ada <ada@example.org>", "contain the character <"),
        ('Ada "the"', '"'),
        ("Ada\\", "\\"),
        ("", "1 to 40"),
        ("   ", "1 to 40"),
        ("x" * 41, "1 to 40"),
    ],
)
def test_a_name_that_could_break_a_header_is_refused(name: str, wrong: str):
    with pytest.raises(Problem) as refused:
        check_name(name)
    assert refused.value.code == "form"
    assert wrong in refused.value.sentence


@pytest.mark.parametrize(
    "name",
    [
        "Nguyễn Thị Ngọc Yến", "Nguyê\u0303n Thi\u0323",  # Vietnamese, composed and not
        "लक्ष्मी शर्मा", "बड़ी फ़ैज़ाँ", "ज़ूँ",  # Hindi, with a nukta under letters that have two other marks
        "שָׁלוֹם", "יִשָּׂשכָר", "שַּׁבְּתַי",  # Hebrew with points
        "น้ำทิพย์", "နေမြို့", "محمّد", "Ｊｏｅ",
    ],
)  # fmt: skip
def test_names_of_many_scripts_are_taken(name: str):
    assert check_name(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize("name", ["q\u0301\u0302\u0303oe", "กิ" + "็" * 2, "a" + "\u20dd" * 3, "ज" + "\u093c" * 4])
def test_a_name_with_three_marks_on_a_letter_is_refused(name: str):
    with pytest.raises(Problem, match="at most 2 accents") as refused:
        check_name(name)
    assert refused.value.code == "form"


@pytest.mark.parametrize(
    ("name", "letters"),
    [("\ufb01nn", "fi"), ("Sta\ufb00", "ff"), ("\u01c6em", "dž"), ("Ada\u2122", "TM"), ("\ufefb", "لا")],
)
def test_a_ligature_in_a_name_is_refused_with_the_letters_to_write(name: str, letters: str):
    with pytest.raises(Problem, match=f"write '{letters}' and not") as refused:
        check_name(name)
    assert refused.value.code == "form"


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "@example.org", "ada@example.org\nBcc: x@y.org", "a b@c.org", "ädä@example.org",
              "ada@" + "x" * 250 + ".org", "a@b@c.org", "ada@example.org\x00"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(email: str):
    with pytest.raises(Problem) as refused:
        check_email(email)
    assert refused.value.code == "form"
    assert "is no mail address" in refused.value.sentence
