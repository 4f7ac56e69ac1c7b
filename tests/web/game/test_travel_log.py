"""The travel log on the page of a game: the round, and the round that is the last one."""

from typing import Any

import pytest

from server.engine import Edition, Game
from server.web.game.travel_log import last_round
from tests.positions import position

EDITION = Edition.named("ravensburger-2000")  # 24 windows, and no more than 22 rounds
STARTS = {"mr_x": 50, "purple": 29, "red": 103, "green": 26, "yellow": 94}


def placed(log_used: int, edition: Edition = EDITION, **more: Any) -> Game:
    return Game.at(edition, position(91, red=155, green=141, log_used=log_used, **more))


def test_the_last_round_is_that_of_the_edition_where_the_log_has_windows_enough():
    game = Game(EDITION, 3, STARTS)
    assert last_round(game.view("spectator")) == 22
    game.play("taxi 38")
    assert last_round(game.view("spectator")) == 22


@pytest.mark.parametrize(("log_used", "last"), [(0, 22), (2, 22), (3, 21), (8, 16), (23, 1)])
def test_windows_that_a_position_has_used_are_rounds_that_will_not_come(log_used: int, last: int):
    assert last_round(placed(log_used).view("spectator")) == last


def test_the_round_that_is_played_counts_until_it_is_over():
    game = placed(20)
    for move, last in (("taxi 105", 4), ("red taxi 156", 4), ("green taxi 142", 4), ("double taxi 106 taxi 105", 3)):
        game.play(move)
        assert last_round(game.view("spectator")) == last, move


def test_detectives_who_begin_have_a_round_of_their_own():
    assert last_round(placed(20, to_move="red", last_seen=(18, 91)).view("spectator")) == 5


def test_without_a_limit_of_rounds_the_log_alone_is_the_limit():
    assert last_round(placed(0, EDITION.with_options(max_rounds=None)).view("spectator")) == 24


@pytest.mark.parametrize(
    ("full_log_wins", "reason"), [("no", "mr_x_trapped"), ("at_once", "log_full"), ("after_reply", "log_full")]
)
def test_a_full_log_ends_the_game_under_every_option(full_log_wins: str, reason: str):
    game = placed(23, EDITION.with_options(full_log_wins=full_log_wins))
    assert last_round(game.view("spectator")) == 1
    for move in ("taxi 105", "red taxi 156", "green taxi 142"):
        if game.outcome is None:
            game.play(move)
    assert game.outcome is not None
    assert (game.outcome.reason, game.round, last_round(game.view("spectator"))) == (reason, 1, None)
