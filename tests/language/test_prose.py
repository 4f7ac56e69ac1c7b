"""Lines beside a move: which take it back, doubt or state a condition, and which are talk; in all languages."""

from pathlib import Path

from server.language.prose import free_lines, objection
from server.language.talk import Weight

DATA = Path(__file__).parent / "data"
AGAINST = (DATA / "speaks_against.txt").read_text(encoding="utf-8").splitlines()
TALK = (DATA / "talk.txt").read_text(encoding="utf-8").splitlines()
NEITHER = (DATA / "neither.txt").read_text(encoding="utf-8").splitlines()


def weight(line: str) -> Weight:
    (free,) = free_lines((), [line])
    return free.weight


def test_a_line_that_takes_back_doubts_or_states_a_condition_speaks_against_a_move():
    assert [line for line in AGAINST if weight(line) is not Weight.AGAINST] == []


def test_talk_that_the_files_know_says_nothing():
    assert [line for line in TALK if weight(line) is not Weight.HARMLESS] == []


def test_what_the_files_do_not_know_is_neither():
    assert [line for line in NEITHER if weight(line) is not Weight.UNKNOWN] == []


def legs(*lines: str) -> list[tuple[str | None, int]]:
    return [leg for free in free_lines((), lines) for leg in free.legs]


def test_a_number_in_words_is_a_station():
    for line in ("I want sixty-two", "rather sixty two", "soixante-deux", "to62", "-> 62", "=> 62"):
        assert legs(line) == [(None, 62)], line
    assert legs("Taxi zweiundsechzig") == [("taxi", 62)]
    assert legs("taxi one hundred ten") == [("taxi", 110)]
    assert legs("taxi one") == [("taxi", 1)]


def test_words_that_count_are_no_stations():
    for line in ("see you in six hours", "one and all", "the two of you", "Twenty-two rounds", "in three weeks"):
        assert legs(line) == [], line


def test_below_a_closing_a_postscript_and_where_to_go_name_stations():
    for line in ("PS: go to 62", "PS 62!", "P.S. nach 62", "go to 62", "-> 62"):
        assert legs("Best,", "Bob", line) == [(None, 62)], line
    assert legs("Best,", "Bob", "12 Baker Street", "+44 20 7946 0958", "Unit 62") == []


COUNTED = """
only 4 taxis and 9 buses left
3 taxi tickets, 5 bus tickets
sent from gate 13
my daughter is 13
my grandson, who is 13, helps me
13 degrees and sunny
he was last seen on 13
Mr. X left 13 by bus
13 mails to answer
""".strip().splitlines()


def test_what_is_counted_and_where_mr_x_was_are_no_stations():
    assert [line for line in COUNTED if legs(line)] == []
    assert legs("He was on 13, so I go there") == [(None, 13)]
    assert legs("13 by taxi") == [("taxi", 13)]


DISCLAIMERS = """
This message and any attachments are confidential.
If you are not the intended recipient, please delete it.
If you received this e-mail in error, ignore it.
Diese E-Mail enthält vertrauliche Informationen.
Ce message est confidentiel.
Este correo es confidencial.
Dit bericht is vertrouwelijk.
""".strip().splitlines()


def test_a_disclaimer_says_nothing_up_to_the_end_of_its_paragraph():
    for line in DISCLAIMERS:
        assert free_lines((), [line, "please ignore and delete it"]) == (), line
        assert len(free_lines((), [line, "", "ignore my move"])) == 1


def test_another_ticket_alone_speaks_against_a_move():
    for line in ("by bus", "with the bus please", "mit dem Bus", "en bus", "bus!"):
        (free,) = free_lines((), [line])
        assert objection([free], ["red taxi 46"], ()) is not None, line
        assert objection([free], ["red bus 46"], ()) is None, line
    assert [free.ticket for free in free_lines((), ["Black Ticket", "Who has a bus left", "taxi"])] == [
        None,
        None,
        "taxi",
    ]
