"""Looking back: the board after a move of the travel log, as a spectator knew it then."""

from server import engine
from server.application.game import replay
from server.application.game.look import look
from tests.scenes import chase
from tests.table import Playing, Table


def after(game: Playing, window: int) -> replay.Lookback | None:
    with game.table.app.app_context():
        return replay.look_back(look(game.id, None), window)


def test_the_first_leg_of_a_double_move_is_looked_at_as_if_the_second_had_not_been_made(table: Table):
    game = chase(table)
    game.move(game.people[0], "double bus 100 taxi 101")
    first, second = after(game, 9), after(game, 10)
    assert first is not None
    assert second is not None
    buses = engine.Board.named("london").reach["bus"][111]
    assert first.possible == set(buses)
    assert len(second.possible) > len(first.possible)
    assert [entry["window"] for entry in first.view["log"]] == [9]
    assert first.view["pawns"]["mr_x"]["last_seen"] == {"window": 8, "station": 111}


def test_a_move_that_was_not_made_cannot_be_looked_at(table: Table):
    game = chase(table)
    assert after(game, 9) is None
    game.move(game.people[0])
    assert after(game, 9) is not None
    assert after(game, 10) is None
    assert after(game, 8) is None, "before the position from which the game began"


def test_detectives_stand_where_they_stood_then(table: Table):
    game = chase(table)
    game.play_round()
    game.move(game.people[0])
    then, now = after(game, 9), after(game, 10)
    assert then is not None
    assert now is not None
    assert then.view["pawns"]["purple"]["station"] == 127
    assert now.view["pawns"]["purple"]["station"] != 127
