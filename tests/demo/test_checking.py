"""The demo's final checks find each fault."""

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import pytest

from blackticket.demo import choices
from blackticket.demo.checking import Checked, check
from blackticket.demo.letters import Letter
from blackticket.demo.people import EDITION
from blackticket.demo.trouble import DemoFailed
from server.engine import Game

LETTER = Letter(
    "ben@example.org", "turn@localhost", "[Foggy Thames] Round 2: Purple, your move", "No log, and no seeing of him."
)


@dataclass
class Told:
    """A finished game, and what detectives were told of it on the way."""

    record: dict[str, Any]
    log: list[dict[str, Any]]
    letters: list[Letter]
    views: list[dict[str, Any]]

    def check(self) -> Checked:
        return check(EDITION, self.record, self.log, self.letters, self.views)


@pytest.fixture(scope="module")
def played() -> Told:
    rng = random.Random(5)
    game = Game.deal(EDITION, 6, rng)
    views = []
    while game.outcome is None:
        stations = [game.station(pawn) for pawn in game.pawns]
        moves = [move.to_json() for move in game.legal_moves()]
        is_his = game.to_move == ("mr_x",)
        chosen = choices.mr_x(EDITION.board, moves, stations, rng) if is_his else rng.choice(moves)
        game.play(chosen["notation"])
        if is_his:
            views.append(game.view("purple"))
    opened = game.view("spectator", opened=True)
    return Told(game.record_json(opened=True), opened["log"], [LETTER], views[:-1])


@pytest.fixture
def told(played: Told) -> Told:
    return deepcopy(played)


def hidden(told: Told) -> dict[str, Any]:
    """A window on which he did not show himself."""
    return next(entry for entry in told.log if not entry.get("surfaced"))


def test_a_sound_game_passes(told: Told):
    assert told.check() == (len(told.log), 0, len(told.views))


def write_a_hidden_station(told: Told) -> None:
    shown = {entry["station"] for entry in told.log if entry.get("surfaced")}
    entry = next(entry for entry in told.log if entry["station"] not in shown)
    text = f"Mr. X took a {entry['ticket']} to {entry['station']}, where nobody saw him."
    told.letters.append(replace(LETTER, text=text))


def write_a_log_with_a_hidden_station(told: Told) -> None:
    entry = told.log[0]
    text = f"Travel log since {entry['station']} (move {entry['window']}): T."
    told.letters.append(replace(LETTER, text=text))


def write_a_log_in_which_he_showed_himself_too_early(told: Told) -> None:
    entry = hidden(told)
    text = f"Travel log: seen at {entry['station']} on move {entry['window']}, just now."
    told.letters.append(replace(LETTER, text=text))


def write_a_log_of_more_moves_than_there_were(told: Told) -> None:
    text = f"Travel log from move {len(told.log) + 1}: T."
    told.letters.append(replace(LETTER, text=text))


def write_a_log_with_another_ticket(told: Told) -> None:
    other = "B" if told.log[0]["ticket"] != "bus" else "T"
    text = f"Travel log: {other}."
    told.letters.append(replace(LETTER, text=text))


def show_where_he_stands(told: Told) -> None:
    view = next(view for view in told.views if view["pawns"]["mr_x"]["station"] is None)
    view["pawns"]["mr_x"]["station"] = 46


def show_his_start_card(told: Told) -> None:
    told.views[0]["starts"]["mr_x"] = told.record["starts"]["mr_x"]


def open_a_window(told: Told) -> None:
    view = told.views[-1]
    view["log"][0]["station"] = told.log[0]["station"]


def move_a_window(told: Told) -> None:
    entry = hidden(told)
    entry["station"] = 1 if entry["station"] != 1 else 2


def change_a_transport(told: Told) -> None:
    hidden(told)["transport"] = "ferry"


def hide_a_surfacing(told: Told) -> None:
    next(entry for entry in told.log if entry.get("surfaced")).pop("surfaced")


def forge_the_record(told: Told) -> None:
    told.record["moves"][-1] = ["black 200"]


@pytest.mark.parametrize(
    "fault",
    [
        write_a_hidden_station, write_a_log_with_a_hidden_station, write_a_log_in_which_he_showed_himself_too_early,
        write_a_log_of_more_moves_than_there_were, write_a_log_with_another_ticket, show_where_he_stands,
        show_his_start_card, open_a_window, move_a_window, change_a_transport, hide_a_surfacing, forge_the_record,
    ],
)  # fmt: skip
def test_a_fault_is_found(told: Told, fault: Callable[[Told], None]):
    fault(told)
    with pytest.raises(DemoFailed):
        told.check()
