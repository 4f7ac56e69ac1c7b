"""Deadlines as iCalendar."""

from datetime import UTC, datetime

from server.wording.calendar import Entry, feed

AT = datetime(2026, 11, 24, 18, tzinfo=UTC)


def entry(title: str = "Your move in Foggy Thames") -> Entry:
    return Entry("game-3@example.org", title, AT, AT.replace(day=22))


def test_an_entry_has_its_time_in_utc_and_an_id_of_its_own():
    lines = feed("Black Ticket", [entry()]).split("\r\n")
    begin, end = lines.index("BEGIN:VEVENT"), lines.index("END:VEVENT")
    assert lines[begin + 1 : end] == [
        "UID:game-3@example.org",
        "DTSTAMP:20261122T180000Z",
        "DTSTART:20261124T180000Z",
        "SUMMARY:Your move in Foggy Thames",
        "TRANSP:TRANSPARENT",
    ]


def test_a_calendar_without_entries_is_one_all_the_same():
    lines = feed("Black Ticket", []).split("\r\n")
    assert lines[:3] == ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Black Ticket//Deadlines//EN"]
    assert lines[-2:] == ["END:VCALENDAR", ""]


def test_letters_with_a_meaning_of_their_own_are_escaped_and_lines_stay_lines():
    assert "SUMMARY:a\\, b\\; c\\\\ d\\ne" in feed("x", [entry("a, b; c\\ d\ne")])


def test_a_long_line_is_folded_between_letters_and_reads_back_as_it_was():
    title = "Zoë’s game 🚕 " * 20
    made = feed("x", [entry(title)])
    pieces = made.split("\r\n")
    assert max(len(piece.encode()) for piece in pieces) <= 75
    assert f"SUMMARY:{title}" in made.replace("\r\n ", "")


def test_no_line_ends_in_anything_but_cr_and_lf():
    made = feed("x\ry\u2028z", [entry("one\r\ntwo")])
    assert made.count("\r") == made.count("\n") == made.count("\r\n")
