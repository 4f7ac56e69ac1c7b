"""The steps of a replay: what was done in each, where everybody stands, and where Mr. X could be."""

from server.application.game import replay
from server.application.game.look import look_at_any
from tests.positions import position
from tests.table import Playing, Table


def steps_of(game: Playing) -> list[replay.Step]:
    with game.table.app.app_context():
        return replay.steps(look_at_any(game.id))


def test_a_double_move_has_two_trips_and_a_black_ticket_the_line_it_was_for(table: Table):
    game = table.game(table.people(2), position=position(116, red=103), options={"surfacing": [2]})
    game.move(game.people[0], "double taxi 104 black 86")
    start, his = steps_of(game)
    assert (start.pawn, start.trips, start.way, start.places) == ("", (), (116,), {"mr_x": 116, "red": 103})
    assert his.trips == [replay.Trip("taxi", 104), replay.Trip("black", 86, "taxi", surfaced=True)]
    assert (his.way, his.places["mr_x"], his.possible) == ((116, 104, 86), 86, {86})


def test_a_double_move_that_ended_with_its_first_trip_has_one(table: Table):
    game = table.game(table.people(2), "milton-bradley-1985", position=position(116, red=104),
                      options={"mr_x_onto_detective": "loses"})  # fmt: skip
    game.move(game.people[0], "double taxi 104 taxi 86")
    assert [step.trips for step in steps_of(game)[1:]] == [[replay.Trip("taxi", 104)]]


def test_where_he_could_be_is_what_the_detectives_could_have_known(table: Table):
    game = table.game(table.people(2), position=position(116, red=103, last_seen=(1, 116), log_used=1))
    for mover, notation in ((0, "taxi 104"), (1, "red taxi 86"), (0, "taxi 116")):
        game.move(game.people[mover], notation)
    assert [sorted(step.possible) for step in steps_of(game)[:3]] == [[116], [104, 117, 118, 127], [104, 117, 118, 127]]
    assert steps_of(game)[3].places["mr_x"] in steps_of(game)[3].possible
