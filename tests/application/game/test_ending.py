"""The end of a game in figures: when a detective was closest, and when Mr. X was hidden best."""

from server.application.game import replay
from server.application.game.look import look_at_any
from server.application.game.replay import Closest
from server.engine import Board
from server.wording import ending as words
from tests.positions import position
from tests.rows import for_each
from tests.table import Playing, Table

LONDON = Board.named("london")


def played(table: Table, mr_x: int, moves: str, **pawns: int) -> list[replay.Step]:
    """Return the steps of a game from a position in which Mr. X is shown after his first move."""
    game: Playing = table.game(table.people(1 + len(pawns)), position=position(mr_x, **pawns),
                               options={"surfacing": [1]})  # fmt: skip
    seats = {"mr_x": 0} | {pawn: number for number, pawn in enumerate(pawns, 1)}
    for notation in moves.split(", "):
        mover = seats.get(notation.split()[0], 0)
        assert game.move(game.people[mover], notation).status_code == 201, notation
    with table.app.app_context():
        return replay.steps(look_at_any(game.id))


def test_it_was_closest_where_a_detective_stood_one_ride_away(table: Table):
    steps = played(table, 116, "taxi 104, red taxi 85, taxi 86, red taxi 103, black 104, red taxi 85", red=103)
    found = replay.closest(LONDON, steps)
    assert found is not None
    assert (found.round, found.pawn, found.rides, found.lines) == (2, "red", 1, ["taxi"])


def test_of_moments_as_close_it_is_the_one_at_which_they_knew_most_and_the_last_of_these(table: Table):
    steps = played(table, 116, "taxi 104, red taxi 85, taxi 86, red taxi 103, taxi 104, red taxi 86", red=103)
    found = replay.closest(LONDON, steps)
    assert found is not None
    fewest = min(len(step.possible) for step in steps[1:] if step.places["red"] in (86, 103) and step.number > 3)
    assert found.stations == fewest


def test_the_moment_of_the_capture_is_not_how_close_it_was(table: Table):
    steps = played(table, 116, "taxi 104, red taxi 86, taxi 116, red bus 116", red=103)
    found = replay.closest(LONDON, steps)
    assert (steps[-1].places["red"], found and found.rides) == (116, 1)


def test_he_was_hidden_best_when_he_could_be_on_the_most_stations(table: Table):
    steps = played(table, 116, "taxi 104, red taxi 85, taxi 86, red taxi 103, black 104, red taxi 85", red=103)
    found = replay.best_hidden(steps)
    assert found is not None
    assert (found.round, found.stations) == (3, max(len(step.possible) for step in steps[1:]))


def test_a_game_without_moves_has_neither(table: Table):
    game = table.game(table.people(2), position=position(116, red=103))
    with table.app.app_context():
        steps = replay.steps(look_at_any(game.id))
    assert (replay.closest(LONDON, steps), replay.best_hidden(steps)) == (None, None)


@for_each(
    "moment, sentence",
    [
        (Closest(11, "red", 1, ["taxi"], 14), "Red stood one ride by taxi from Mr. X, who could be on 14 stations."),
        (Closest(11, "red", 1, ["taxi", "bus"], 2), "Red stood one ride by taxi or bus from Mr. X, who could be"),
        (Closest(11, "blue", 3, [], 5), "Blue stood three rides from Mr. X, who could be on 5 stations."),
        (Closest(11, "red", 1, ["bus"], 1), "one ride by bus from Mr. X, and everybody knew where he was."),
    ],
)
def test_how_close_it_was_is_a_sentence(moment: Closest, sentence: str):
    assert words.closest(moment).startswith("It was closest in round 11: ")
    assert sentence in words.closest(moment)
