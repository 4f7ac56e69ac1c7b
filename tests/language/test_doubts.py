"""Lines that speak against the moves of their mail: Ben (Purple) is at 127, and Cleo, Dan, Eve and Finn play, too."""

import pytest

from server.language.doubts import People, doubt
from server.language.grammar import parse
from server.language.matching import Play, resolve
from tests.language.test_grammar import Legal

BEN = People("Ben", {"ada": "mr_x", "cleo": "red", "dan": "green", "eve": "yellow", "finn": "blue"})
LEGAL = [Legal("purple", f"purple {move}") for move in (
    "taxi 115", "taxi 116", "taxi 126", "taxi 134", "bus 102", "bus 116",
)]  # fmt: skip
OF_ANOTHER_PAWN = (
    "Red should take\ntaxi 115", "For Red:\n\ntaxi 115", "Red:\ntaxi 115", "This is Red's move:\ntaxi 115",
    "taxi 115\nfor Red", "taxi 115\n(Red)", "Rot soll nehmen\ntaxi 115", "pour le rouge :\ntaxi 115",
    "Mr. X can take\ntaxi 115", "Rojo debe tomar el\ntaxi 115", "Rood moet gaan naar\ntaxi 115",
    "Cleo, you should take\ntaxi 115", "Cleo should play\ntaxi 115", "Cleo: please\ntaxi 115", "taxi 115\n@Cleo",
    "taxi 115\nthat's what Red would do", "taxi 115\nThat is Cleo's idea for red",
    "Hello all,\n\nand for Red\n\ntaxi 115", "on behalf of Red\ntaxi 115", "I am Red\ntaxi 115",
)  # fmt: skip
TALK = (
    "Blue, please go to 116\n\ntaxi 115", "Blau, bitte fahr zur 116\n\ntaxi 115",
    "taxi 115\n\nBlue should take the bus to 102",
    "Purple should take\ntaxi 115", "Red should take\npurple taxi 115", "Hi Red,\n\ntaxi 115",
    "Red should cover the west.\ntaxi 115",
    "taxi 115\n\nBlau soll bitte nach 116 gehen", "taxi 115\n\nThanks, Blue!\nBen", "taxi 115\n\nCheers\nRed",
    "Bleu, s'il te plaît va au 116\n\ntaxi 115", "taxi 115\n\nBlue plays next.", "taxi 115\n\nThen Blue can go.",
    "taxi 115\n\nNext: Red", "Hi Cleo,\n\ntaxi 115", "taxi 115\n\nCleo plays next.", "taxi 115\n\nBen",
    # praise of another player
    "taxi 115\n\nGood for you, Cleo!", "taxi 115\n\nEve is clever", "taxi 115\n\nno need to answer, Dan",
    "taxi 115\n\nwell played Finn",
)  # fmt: skip
OF_THE_OWN_MOVE = ("Blue, I want to be at 116\n\ntaxi 115", "taxi 115\n\nBlue, maybe 116?")
CONDITIONS = (
    "when Cleo has moved", "once Dan is there", "sobald Cleo gezogen hat", "should Eve go south, wait for me",
    "Cleo, should I take 116?",
)  # fmt: skip
SUBJECTS = ("cancel that", "Re: forget it", "doch nicht", "NO", "RESIGN", "STOP", "abmelden")
ORDINARY_SUBJECTS = ("", "my move", "Zug", "(kein Betreff)", "AW: [No, wait] Round 1: Purple, yours")


def doubted(text: str, subject: str = "") -> tuple[str, bool] | None:
    """Return the line of Ben's mail that speaks against its move to 115, and whether it names another station."""
    parsed = parse(text.splitlines(), subject)
    moves = [command.move for command in parsed.commands if command.move]
    assert [resolve(move, LEGAL) for move in moves] == [Play("purple", "purple taxi 115")], text
    names_all = all(move.pawn is not None for move in moves)
    found = doubt(parsed.free, ["purple taxi 115"], LEGAL, BEN, can_move={"purple"}, names_all=names_all)
    return (found.line.text, found.names_another) if found and not found.is_unknown else None


def test_a_line_beside_the_move_that_gives_it_to_another_pawn_is_doubted():
    for text in OF_ANOTHER_PAWN:
        aside = next(line for line in reversed(text.splitlines()) if line and "115" not in line)
        assert doubted(text) == (aside, False), text


def test_talk_to_another_player_is_not():
    assert {text: found for text in TALK if (found := doubted(text))} == {}


def test_a_line_to_another_player_that_speaks_of_the_own_move_is_doubted():
    assert [doubted(text) is not None for text in OF_THE_OWN_MOVE] == [True, True]


def test_a_condition_on_another_player_is_doubted():
    for words in CONDITIONS:
        found = doubted(f"taxi 115\n\n{words}")
        assert found is not None, words
        assert found[0] == words


def test_what_no_file_knows_is_never_taken_for_talk():
    for words in ("Zeitsprung", "Holding pattern, chaps", "Ей-богу", "Kommando retour", "the dog ate it"):
        parsed = parse(["taxi 115", "", words])
        found = doubt(parsed.free, ["purple taxi 115"], LEGAL, BEN, can_move={"purple"})
        assert found is not None, words
        assert found.is_unknown or found.line.speaks_against, words


def test_small_talk_names_and_a_signature_are_known():
    for text in (
        "Hello all,\n\ntaxi 115\n\nGood luck, Cleo!\n\nBest regards\nBen Baker\nHead of Sales\n+44 20 7946 0958",
        "taxi 115\nB.", "Hi Dan,\nhere is my move:\ntaxi 115\nsee you soon, Ben", "taxi 115 🚕\n\nDanke euch!",
    ):  # fmt: skip
        parsed = parse(text.splitlines())
        assert doubt(parsed.free, ["purple taxi 115"], LEGAL, BEN, can_move={"purple"}) is None, text


def test_a_name_of_nobody_at_the_table_is_no_pawn():
    assert doubted("taxi 115\n@Otto") is None


def test_a_subject_that_takes_back_doubts_or_ends_is_doubted_and_an_ordinary_one_is_not():
    for subject in SUBJECTS:
        assert doubted("taxi 115", subject) == (subject.removeprefix("Re: "), False), subject
    assert {subject: found for subject in ORDINARY_SUBJECTS if (found := doubted("taxi 115", subject))} == {}


@pytest.mark.parametrize(("pawns", "is_doubted"), [(("purple", "red"), True), (("purple",), False)])
def test_a_pawn_of_the_player_that_can_move_does_not_stay(pawns: tuple[str, ...], is_doubted: bool):
    parsed = parse(["taxi 115", "Red stays"])
    found = doubt(parsed.free, ["purple taxi 115"], LEGAL, BEN, can_move=pawns)
    assert (found is not None) == is_doubted


def test_the_name_of_a_pawn_is_a_signature_if_it_is_that_of_the_author():
    free = parse(["taxi 115", "Red"]).free
    for author, is_doubted in (("Red Baker", False), ("Ben", True)):
        found = doubt(free, ["purple taxi 115"], LEGAL, People(author), can_move={"purple"})
        assert (found is not None) == is_doubted, author
