"""Days of an absence: a span goes on over the turn of the year, may have begun, and ends before the day back."""

from datetime import date

import pytest

from server.language.dates import span

TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("20.12. to 6.1.", date(2026, 12, 20), date(2027, 1, 6)),
        ("24 Dec to 2 Jan", date(2026, 12, 24), date(2027, 1, 2)),
        ("23.11. to 7.12.", TODAY, date(2026, 12, 7)),
        ("20.11. to 25.11.", date(2027, 11, 20), date(2027, 11, 25)),
        ("today back 7 Dec", TODAY, date(2026, 12, 6)),
        ("today back on 7.12.", TODAY, date(2026, 12, 6)),
        ("24 Dec back 2 Jan", date(2026, 12, 24), date(2027, 1, 1)),
        ("today back tomorrow", TODAY, TODAY),
    ],
)
def test_a_span_is_read(text: str, begin: date, end: date):
    assert span(text, TODAY) == (begin, end)
