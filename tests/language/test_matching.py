"""Which of the legal moves a player means, in games of the engine."""

from server import engine
from server.language.grammar import parse
from server.language.matching import Ambiguous, Play, chosen, resolve, suggest_several
from server.language.talk import speaks_against
from tests.positions import position
from tests.rows import for_each

RULES = engine.Edition.named("ravensburger-2000")


def after(mr_x: int, move: str, **pawns: int) -> engine.Game:
    """Return a game in which Mr. X has moved."""
    game = engine.Game.at(RULES, position(mr_x, **pawns))
    game.play(move)
    return game


PURPLE = after(111, "taxi 112", purple=127, red=67, green=133, yellow=153, blue=185).legal_moves("purple")
MR_X = engine.Game.at(RULES, position(111, purple=127, red=67, green=133, yellow=153, blue=185)).legal_moves()
PAIRS = after(103, "taxi 86", purple=26, red=29, green=34, yellow=50)
BOTH = [*PAIRS.legal_moves("purple"), *PAIRS.moves_ahead("red")]


def meant(text: str, legal: list[engine.Move]) -> list[object]:
    """Return what the moves of Ben's mail mean."""
    return [resolve(command.move, legal) for command in parse(text.splitlines(), author="Ben").commands if command.move]


def test_a_move_in_a_loose_form_is_the_legal_one():
    for words in (
        "bus 102", "Bus to 102.", "b 102", "102 by bus", "102", "Purple: bus, 102!", "Hello all,\n\n*bus 102*\n\nBen",
        "bus 102 -- Ben", "bus 102, Ben",
    ):  # fmt: skip
        assert meant(words, PURPLE) == [Play("purple", "purple bus 102")], words


def test_a_move_of_mr_x_in_a_loose_form_is_the_legal_one():
    for words, notation in (
        ("t 110", "taxi 110"), ("tube 79", "underground 79"), ("metro to 79", "underground 79"),
        ("x 100", "black 100"), ("2x t 112 x 100", "double taxi 112 black 100"),
        ("double taxi 112, then taxi 99", "double taxi 112 taxi 99"),
    ):  # fmt: skip
        assert meant(words, MR_X) == [Play("mr_x", notation)], words


def test_a_station_that_two_tickets_lead_to_is_not_guessed():
    assert meant("116", PURPLE) == [Ambiguous(("purple taxi 116", "purple bus 116"))]


def test_sentences_name_a_move_for_each_of_two_pawns():
    for text in (
        "Morning!\n\nPurple takes the cab to 15 and Red hops on the bus to 41.\n\nTalk later,\nB.",
        "Lila mit dem Taxi nach 15, Rot mit dem Bus nach 41. Viele Grüße aus dem Zug",
        "First purple by taxi to fifteen, then red by bus to forty-one", "Let Purple go to 15; Red to 41 by bus",
        "Morado en taxi a la 15; rojo en autobús a la 41. ¡Saludos a todos!",
    ):  # fmt: skip
        assert suggest_several(text.splitlines(), BOTH) == ("purple taxi 15", "red bus 41"), text
        assert not any(map(speaks_against, text.splitlines())), text


def test_moves_that_are_doubted_or_not_clear_are_not_named():
    for text in (
        "Purple could take the taxi to 15, Red perhaps the bus to 41", "Purple by taxi to 15, red a bus to 41 or 42",
        "purple by some taxi to 15, if red by the bus to 41", "swap that: purple bus 41, red taxi 15",
        "Purple by taxi to 15, red by bus to 41 at 7",
    ):  # fmt: skip
        assert speaks_against(text) or suggest_several([text], BOTH) == (), text


@for_each(
    "text, meant",
    [
        ("Sorry, second thought: 53 is better.", ("red taxi 53",)), ("53", ("red taxi 53",)),
        ("I prefer 41", ("red bus 41",)), ("53 rather than 41", ()), ("the first one", ()), ("12 is better", ()),
    ],
)  # fmt: skip
def test_a_sentence_chooses_one_of_two_moves_by_its_station_alone(text: str, meant: tuple[str, ...]):
    legal = ["red taxi 12", "red taxi 41", "red bus 41", "red taxi 53"]
    assert chosen([text], ["red bus 41", "red taxi 53"], legal) == meant
