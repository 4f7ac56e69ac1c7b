"""The situation of a game in sentences."""

import pytest

from server.engine import Edition, Game, Move
from server.wording.situation import prospect, stranding
from tests.positions import position


def his(at: int, move: str, **more: object) -> str:
    """Return what Mr. X reads of a move from a station that everybody knows."""
    options = more.pop("options", {})
    wanted = {"log_used": 3, "last_seen": (3, at), **more}
    game = Game.at(Edition.named("ravensburger-2000").with_options(**options), position(at, purple=199, **wanted))
    game.check(Move.parse(move))
    return prospect(game.view("spectator"), Move.parse(move))


@pytest.mark.parametrize(
    ("move", "told"),
    [
        ("taxi 8", "You could then be on 3 stations."),  # taxis lead from 18 to 8, 31 and 43
        ("double taxi 8 taxi 19", "You could then be on 7 stations."),
    ],
)
def test_he_reads_on_how_many_stations_he_could_be_by_his_tickets(move: str, told: str):
    assert his(18, move) == told


def test_a_move_after_which_there_is_one_station_only_and_one_that_shows_him_are_told_as_that():
    assert his(2, "taxi 10", green=20, options={"mr_x_onto_detective": "forbidden"}) == (
        "The others would know that you are there."
    )
    assert his(18, "taxi 8", log_used=7, last_seen=(7, 18)) == "Everybody would see you there."
    assert his(18, "double taxi 8 taxi 19", log_used=6, last_seen=(6, 18)) == "Everybody would see you there."


def test_a_first_leg_that_shows_him_leaves_what_leads_on_from_there():
    assert his(18, "double taxi 8 taxi 19", log_used=7, last_seen=(7, 18)) == "You could then be on 3 stations."


def test_nothing_is_told_where_players_find_that_out_themselves():
    assert his(18, "taxi 8", options={"deduction": False}) == ""


@pytest.mark.parametrize(
    ("held", "move", "told"),
    [
        ((1, 2, 1), "purple taxi 91", "At 91 only taxis stop: you could not move again."),
        ((1, 0, 1), "purple taxi 72", "At 72 only taxis and buses stop: you could not move again."),
        ((1, 0, 0), "purple taxi 72", "It is the last ticket: you could not move again."),
        ((2, 0, 0), "purple taxi 91", ""),
        ((1, 1, 0), "purple taxi 72", ""),
    ],
)
def test_a_move_that_leaves_a_pawn_without_a_fitting_ticket_is_told_as_its_last(
    held: tuple[int, int, int], move: str, told: str
):
    purple = (90, dict(zip(("taxi", "bus", "underground"), held, strict=True)))
    state = Game.at(Edition.named("ravensburger-2000"), position(1, to_move="purple", purple=purple, red=50))
    assert stranding(state.view("spectator"), Move.parse(move), is_only=True) == told
    assert stranding(state.view("spectator"), Move.parse(move), is_only=False) == told.replace("you", "Purple")
    state.play(Move.parse(move))
    assert (state.view("spectator")["pawns"]["purple"]["state"] == "stranded") == bool(told)
