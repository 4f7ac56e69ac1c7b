"""Stations that are written in words."""

import pytest

from server.language.numbers import in_digits


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("forty six", "46"), ("fourty six", "46"), ("one hundred and sixteen", "116"), ("one hundred eighty", "180"),
        ("sechsundvierzig", "46"), ("hundertsechzehn", "116"), ("einundzwanzig", "21"),
        ("quarante six", "46"), ("soixante et onze", "71"), ("quatre vingt dix sept", "97"), ("cent vingt deux", "122"),
        ("cuarenta y seis", "46"), ("ciento dos", "102"), ("veintidos", "22"),
        ("zesenveertig", "46"), ("tweeentwintig", "22"), ("honderdvijf", "105"),
        ("red to ten and green to nine", "red to 10 and green to 9"), ("sixty two or three", "62 or 3"),
        ("and taxi", "and taxi"), ("", ""),
    ],
)  # fmt: skip
def test_numbers_in_words_become_digits(words: str, digits: str):
    assert " ".join(in_digits(words.split())) == digits
