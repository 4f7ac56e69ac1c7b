"""Forgiving in form, strict in meaning: what is a command, which move is meant, and what is prose."""

import cProfile
import random
import textwrap
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.language import embedded, grammar
from server.language.forms import COMMANDS
from server.language.grammar import commands_of, is_command_line, parse, parse_line
from server.language.matching import Ambiguous, NotLegal, Play, resolve, suggest
from server.language.moves import PAWNS, TICKETS, MoveWords, parse_move, parse_moves
from tests.profiles import HALF


@dataclass(frozen=True)
class Legal:
    """A move as the engine lists it."""

    pawn: str
    notation: str

    @property
    def double(self) -> bool:
        return self.notation.startswith("double")

    def __str__(self) -> str:
        return self.notation


def red(*moves: str) -> list[Legal]:
    return [Legal("red", f"red {move}") for move in moves]


def mr_x(*moves: str) -> list[Legal]:
    return [Legal("mr_x", move) for move in moves]


def words(text: str) -> MoveWords:
    found = parse_move(text)
    assert found is not None
    return found


def said(line: str) -> tuple[str, str]:
    command = parse_line(line)
    assert command is not None
    return command.name, command.text


# Moves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        ("taxi 46", "taxi 46"),
        ("Taxi to 46.", "taxi 46"),
        ("TAXI, 46", "taxi 46"),
        ("t 46", "taxi 46"),
        ("T46", "taxi 46"),
        ("taxi:46", "taxi 46"),
        ("taxi -> 46", "taxi 46"),
        ("taxi #46", "taxi 46"),
        ("cab 46", "taxi 46"),
        ("take taxi to 46", "taxi 46"),
        ("move taxi 46", "taxi 46"),
        ("go by taxi to 46", "taxi 46"),
        ("go to 46 by taxi", "taxi 46"),
        ("46 by taxi", "taxi 46"),
        ("to 46, by taxi", "taxi 46"),
        ("b58", "bus 58"),
        ("u 13", "underground 13"),
        ("tube to 13", "underground 13"),
        ("Metro 13!", "underground 13"),
        ("x 108", "black 108"),
        ("black ticket to 108", "black 108"),
        ("ferry 108", "black 108"),
        ("boat to 108", "black 108"),
        ("red taxi 46", "red taxi 46"),
        ("Red: taxi to 46", "red taxi 46"),
        ("RED - t46", "red taxi 46"),
        ("Mr. X: black 108", "black 108"),
        ("double taxi 46 bus 58", "double taxi 46 bus 58"),
        ("2x taxi 46, bus 58", "double taxi 46 bus 58"),
        ("2× taxi 46, bus 58", "double taxi 46 bus 58"),
        ("double t46 b58", "double taxi 46 bus 58"),
        ("Double: taxi to 46, then bus to 58.", "double taxi 46 bus 58"),
        ("double 46 by taxi, 58 by bus", "double taxi 46 bus 58"),
        ("taxi 46 surface", "taxi 46 surface"),
        ("taxi 46, surface Red: t, green: bus", "taxi 46 surface red:taxi green:bus"),
        ("double x 46 x 58 surface red:taxi", "double black 46 black 58 surface red:taxi"),
        ("ｔａｘｉ\N{IDEOGRAPHIC SPACE}４６", "taxi 46"),
        ("taxi\N{NO-BREAK SPACE}46", "taxi 46"),
        ("ta\N{ZERO WIDTH SPACE}xi 46\N{ZERO WIDTH NO-BREAK SPACE}", "taxi 46"),
        ("taxi ٤٦", "taxi 46"),
        ("*taxi 46*", "taxi 46"),
        ("  • taxi 46", "taxi 46"),
        ("1. taxi 46", "taxi 46"),
        ("taxi – 46", "taxi 46"),
        ("taxi to 46 please!", "taxi 46"),
        ("Please, red taxi 46", "red taxi 46"),
        ("taxi 46, thanks.", "taxi 46"),
        ("🚕 taxi 46 👍🏽", "taxi 46"),
        ("`taxi 46`", "taxi 46"),
        ("[taxi 46]", "taxi 46"),
    ],
)
def test_a_move_is_understood_in_any_form(line: str, canonical: str) -> None:
    assert words(line).canonical() == canonical


@pytest.mark.parametrize("line", ["46", "46.", "go 46", "go to 46", "move to 46"])
def test_a_station_alone_leaves_the_ticket_open(line: str) -> None:
    assert words(line) == MoveWords(((None, 46),))
    assert words(line).canonical() is None


@pytest.mark.parametrize(
    "line",
    [
        "taxii 46",
        "taxi 4 6",
        "taxi 4.6",
        "46,58",
        "46. 58",
        "taxi 46²",
        "taxi ④⑥",
        "taxi 1046",
        "taxi",
        "by 46",
        "to 46",
        "taxi 46 bus 58",
        "double taxi 46",
        "2x 46",
        "taxi 46 or bus 58",
        "taxi 46?",
        "taxi?",
        "not taxi 46",
        "red taxi 46, yellow bus 58",
        "taxi 46 surface red",
        "taxi 46 surface red:taxi red:bus",
        "taxi 46 surface mr_x:taxi",
        '"taxi 46"',
        "> taxi 46",
    ],
)
def test_what_is_left_over_makes_it_no_move(line: str) -> None:
    assert parse_move(line) is None


TICKET = st.sampled_from(["taxi", "bus", "underground", "black"])
STATION = st.integers(1, 200)
LEG = st.builds("{} {}".format, TICKET, STATION)
CANONICAL = st.one_of(
    LEG,
    st.builds("double {} {}".format, LEG, LEG),
    st.builds("{} {}".format, st.sampled_from(PAWNS[1:]), LEG),
    st.builds("{} surface red:{}".format, LEG, st.sampled_from(["taxi", "bus", "underground"])),
)


@given(CANONICAL)
def test_the_canonical_notation_reads_back_as_itself(notation: str) -> None:
    assert words(notation).canonical() == notation


@given(CANONICAL, st.data())
def test_case_and_spacing_change_nothing(notation: str, data: st.DataObject) -> None:
    gap = st.sampled_from([" ", "  ", "\t", "\N{NO-BREAK SPACE}"])
    case = st.sampled_from([str.lower, str.upper, str.title])
    loose = "".join(data.draw(gap) if character == " " else data.draw(case)(character) for character in notation)
    assert words(data.draw(gap) + loose + data.draw(st.sampled_from(["", ".", " !", ","]))).canonical() == notation


@given(st.sampled_from(sorted(TICKETS)), STATION, st.data())
def test_every_word_for_a_ticket_stands_for_it_in_every_order(word: str, station: int, data: st.DataObject) -> None:
    forms = ["{t} {s}", "{t} to {s}", "by {t} to {s}", "{s} by {t}", "take {t} to {s}", "go to {s} by {t}", "{t}: {s}"]
    form = data.draw(st.sampled_from(forms))
    assert words(form.format(t=word, s=station)).canonical() == f"{TICKETS[word]} {station}"


@HALF
@given(st.text(max_size=80))
def test_no_line_makes_the_grammar_raise(line: str) -> None:
    parsed = parse([line], line)
    assert len(parsed.commands) <= 1


# Which move is meant --------------------------------------------------------------------------


def test_the_one_legal_move_is_played_in_the_engines_words() -> None:
    legal = red("taxi 46", "bus 58")
    assert resolve(words("t46"), legal) == Play("red", "red taxi 46")
    assert resolve(words("46"), legal) == Play("red", "red taxi 46")


def test_two_tickets_to_one_station_are_never_guessed_between() -> None:
    assert resolve(words("46"), red("taxi 46", "bus 46")) == Ambiguous(("red taxi 46", "red bus 46"))


def test_two_pawns_that_can_make_the_move_are_never_guessed_between() -> None:
    legal = [Legal("red", "red taxi 46"), Legal("yellow", "yellow taxi 46")]
    assert resolve(words("taxi 46"), legal) == Ambiguous(("red taxi 46", "yellow taxi 46"))
    assert resolve(words("yellow taxi 46"), legal) == Play("yellow", "yellow taxi 46")


def test_the_pawn_may_be_left_out_where_one_can_move_so() -> None:
    legal = [Legal("red", "red taxi 46"), Legal("yellow", "yellow bus 58")]
    assert resolve(words("bus 58"), legal) == Play("yellow", "yellow bus 58")


def test_mr_x_may_name_himself_or_not() -> None:
    legal = mr_x("taxi 46", "black 46", "double taxi 46 bus 58", "double black 46 bus 58")
    assert resolve(words("Mr. X taxi 46"), legal) == Play("mr_x", "taxi 46")
    assert resolve(words("46"), legal) == Ambiguous(("taxi 46", "black 46"))
    assert resolve(words("2x t46 58"), legal) == Play("mr_x", "double taxi 46 bus 58")
    assert resolve(words("double 46 58"), legal) == Ambiguous(("double taxi 46 bus 58", "double black 46 bus 58"))


def test_surfacing_is_added_to_the_legal_move() -> None:
    assert resolve(words("t46 surface red:t"), mr_x("taxi 46")) == Play("mr_x", "taxi 46 surface red:taxi")


@pytest.mark.parametrize(
    ("line", "notation"),
    [
        ("taxi 47", "red taxi 47"),
        ("yellow taxi 46", "yellow taxi 46"),
        ("47", None),
        ("double taxi 46 bus 58", "red double taxi 46 bus 58"),
    ],
)
def test_a_move_that_is_not_legal_is_named_for_the_engine_to_say_why(line: str, notation: str | None) -> None:
    assert resolve(words(line), red("taxi 46")) == NotLegal(notation)


def test_nobodys_turn_is_no_legal_move() -> None:
    assert resolve(words("taxi 46"), []) == NotLegal("taxi 46")


@pytest.mark.parametrize(
    "line",
    [
        "taxii 46",
        "taxi 4 6",
        "I take the taxi to 46 please",
        "46 with a taxi I'd say",
        "let red go to 46",
        "to 46",
        "TXAI 46, tixi 46",
    ],
)
def test_words_that_name_one_legal_move_are_asked_about(line: str) -> None:
    assert suggest([line], red("taxi 46", "bus 58", "taxi 60")) == "red taxi 46"


@pytest.mark.parametrize(
    "line",
    [
        "taxi 46 or bus 58",
        "taxi 60 or taxi 46",
        "bus 46",
        "I am late because 46 cats sat in my way",
        "hello",
        "yellow taxi 46",
        "",
    ],
)
def test_words_that_name_no_move_or_two_are_not(line: str) -> None:
    assert suggest([line], red("taxi 46", "bus 58", "taxi 60")) is None


def test_two_lines_that_name_two_moves_are_not_asked_about() -> None:
    assert suggest(["the taxi to 46", "no, the bus to 58"], red("taxi 46", "bus 58")) is None


def test_a_double_move_is_suggested_only_to_who_speaks_of_one() -> None:
    legal = mr_x("taxi 46", "double taxi 46 bus 58")
    assert suggest(["a double with the taxi to 46 and the bus to 58"], legal) == "double taxi 46 bus 58"
    assert suggest(["the taxi to 46 now"], legal) == "taxi 46"


# Commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("STATUS", ("status", "")),
        ("status?", ("status", "")),
        ("Legal.", ("legal", "")),
        ("LOG", ("log", "")),
        ("help!", ("help", "")),
        ("Yes", ("yes", "")),
        ("YES.", ("yes", "")),
        ("no", ("no", "")),
        ("resign", ("resign", "")),
        ("START", ("start", "")),
        ("leave", ("leave", "")),
        ("Stop", ("stop", "")),
        ("pause", ("pause", "")),
        ("resume", ("resume", "")),
        ("cancel", ("cancel", "")),
        ("CANCEL red", ("cancel", "red")),
        ("JOIN k7m2-q6xw", ("join", "k7m2-q6xw")),
        ("EXTEND 2 days", ("extend", "P2D")),
        ("extend 12h", ("extend", "PT12H")),
        ("AWAY 24 Dec to 2 Jan", ("away", "24 Dec to 2 Jan")),
        ("away from 2026-12-24 until 2027-01-02", ("away", "from 2026-12-24 until 2027-01-02")),
        ("away 24.12. - 2.1", ("away", "24.12. - 2.1")),
        ("SET zone Europe/London", ("set", "zone Europe/London")),
        ("set mail daily 18:00", ("set_mail", "mail daily 18:00")),
        ("NEW", ("new", "")),
        ("NEW milton-bradley-1985 4 players", ("new", "milton-bradley-1985 4 players")),
        ("NEW 3 with ada@example.org cy@example.org", ("new", "3 with ada@example.org cy@example.org")),
        ("SAY Who can cover 100?", ("say", "Who can cover 100?")),
        ("say: (quietly) yes.", ("say", "(quietly) yes.")),
        ("SAY ALL good game!", ("say_all", "good game!")),
        ("say all: good game", ("say_all", "good game")),
    ],
)
def test_a_command_and_what_it_was_given(line: str, expected: tuple[str, str]) -> None:
    assert said(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("EXTEND 2 days please, we are moving house", ("extend", "P2D")),
        ("extend 2 days - my mother is ill", ("extend", "P2D")),
        ("PAUSE 1 week; holidays", ("pause", "P1W")),
        ("AWAY 24 Dec to 2 Jan, skiing", ("away", "24 Dec to 2 Jan")),
    ],
)
def test_a_reason_may_stand_behind_a_comma(line: str, expected: tuple[str, str]) -> None:
    assert said(line) == expected


@pytest.mark.parametrize(
    "line",
    ["EXTEND 2 days, or taxi 46", "EXTEND 2 days, no wait", "EXTEND 2 days, PAUSE", "red taxi 46, why not ask him"],
)
def test_what_is_no_reason_may_not(line: str) -> None:
    command = parse_line(line)
    assert command is None or command.name == "move"


def test_say_all_is_to_all_in_small_letters_too() -> None:
    assert said("say all hello") == said("Say all hello") == ("say_all", "hello")
    assert said("say alley cats") == ("say", "alley cats")


@pytest.mark.parametrize(
    ("line", "stations"), [("BOARD", ()), ("board 46", (46,)), ("Board 91 46", (91, 46)), ("board 91 to 46", (91, 46))]
)
def test_board_takes_up_to_two_stations(line: str, stations: tuple[int, ...]) -> None:
    command = parse_line(line)
    assert command is not None
    assert (command.name, command.stations) == ("board", stations)


def test_try_takes_a_move() -> None:
    command = parse_line("TRY red t46")
    assert command is not None
    assert (command.name, command.move) == ("try", words("red taxi 46"))


PROSE = """\
yes, if nobody minds
no idea
no wait
stop it
start with the river
leave it to Green
status quo
board 46 and 58 and 60
board meeting
log in
say
try harder
join us
away from the river
away game
extend the net
set out early
set mail
new message from Green
new game, new luck
cancel that
resign yourself
pause here
taxi NN (or bus, or underground), where NN is your station.
 - with a taxi (8 left) to 51, 66, 68 or 84
to 51, 66, 68 or 84
66, 68 or 84
 left) to 51
Purple went to 102 with a bus.
Turn 20, Red. Please write your answer above this line.
You have until Tuesday 24 November 2026, 18:00 in London (18:00 UTC).
Mr. X holds 10/8/5, four black and two doubles.
Purple at 102 (8/6/4), Green at 133 (9/6/4), Yellow at 153 (8/8/3)
Seal, event 20, after move 4: k7m2 q6xw 4dlr t3pa vh2e
18:00
2026
"""


@pytest.mark.parametrize("line", PROSE.splitlines())
def test_prose_is_no_command(line: str) -> None:
    assert not is_command_line(line)


PIECES = (
    *(form.keyword for form in COMMANDS), *TICKETS, *PAWNS, "please", "thanks", "move",
    "take", "go", "double", "then", "and", "by", "to", "station",
    "surface", "red:bus", "46", "2x", "2026", "Mr. X", "all:", "it", "ben@example.org", "Ben", "off", "mail",
    "-", "*", "1.", "[", "]", "`", "?", ";", "\t", "\x00", "４６", "·", "\u200b", "ＨＥＬＰ", "×",
)  # fmt: skip
LINES = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=7)


@given(LINES, st.sampled_from(("", " ", "  ")), st.randoms(use_true_random=False))
def test_no_command_is_passed_over_for_its_letters(pieces: list[str], between: str, dice: random.Random) -> None:
    line = between.join(piece.upper() if dice.random() < 0.3 else piece for piece in pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "_forms_for", lambda _line: COMMANDS)
        patch.setattr(embedded, "moves_of", parse_moves)
        tried = commands_of(line)
    assert commands_of(line) == tried


TURN_MAIL = """\
Since your last move Mr. X vanished from 111 with a black ticket, and Purple went to 102 with a bus. Green asks \
the team: "Who can cover 100?"
You stand at 67. With a taxi (8 left) you can go to 51, 66, 68 or 84, with a bus (8 left) to 23, 52, 65 or 82, \
and with the underground (3 left) to 13, 79, 89 or 111 from here.
The log allows him six places: 79, 100, 110, 112, 124 and 163. He must show himself on window 8 at the latest.
To move, send one line: taxi NN (or bus, or underground), where NN is your station. The word HELP on a line of \
its own tells the rest."""


@pytest.mark.parametrize("width", range(40, 101))
def test_no_piece_of_a_turn_mail_or_of_help_is_a_command(width: int) -> None:
    helps = [f'"{form.syntax}" {form.help}.' for form in COMMANDS]
    text = [*TURN_MAIL.splitlines(), *helps, " ".join(helps)]
    pieces = [piece for line in text for piece in textwrap.wrap(line, width)]
    assert [piece for piece in pieces if is_command_line(piece)] == []


def test_help_tells_every_command_and_its_example_is_one() -> None:
    assert [form.syntax.lower().startswith(form.keyword) for form in COMMANDS] == [True] * len(COMMANDS)
    assert [parse_line(form.syntax).name for form in COMMANDS] == [form.name for form in COMMANDS]  # type: ignore[union-attr]


DISCLAIMER = [
    f"Clause {number}: whoever gets this message by a mistake has to tell us by telephone." for number in range(1, 41)
]


def test_each_line_of_a_long_mail_is_asked_once_whether_it_is_a_command():
    profile = cProfile.Profile()
    parsed = profile.runcall(parse, ["taxi 46", "", *DISCLAIMER])
    assert [command.name for command in parsed.commands] == ["move"]
    asked = sum(entry.callcount for entry in profile.getstats() if entry.code is commands_of.__code__)
    assert asked == 1 + 1 + len(DISCLAIMER)
