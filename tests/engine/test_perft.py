"""Counts of legal sequences in named positions, the oracle of the move generator.

They were counted by the naive rules too. The first plies of each are counted again here.
"""

import json
from pathlib import Path

import pytest

from server.engine import Edition, Game, perft

from . import naive
from .playing import naive_twin

POSITIONS = json.loads(Path(__file__).with_name("perft.json").read_text())


def set_up(entry):
    edition = Edition.named(entry["edition"]).with_options(**entry["options"])
    return Game.at(edition, entry["position"])


def naive_perft(state, depth):
    if depth == 0:
        return 1
    return sum(naive_perft(naive.play(state, move), depth - 1) for move in naive.moves(state))


def test_there_are_a_dozen_positions():
    assert len({entry["name"] for entry in POSITIONS}) >= 12


@pytest.mark.parametrize("entry", POSITIONS, ids=lambda entry: entry["name"])
def test_perft_counts_what_the_oracle_says(entry):
    game = set_up(entry)
    assert [perft(game, depth) for depth in range(1, len(entry["counts"]) + 1)] == entry["counts"]
    assert game.history == ()


@pytest.mark.parametrize("entry", POSITIONS, ids=lambda entry: entry["name"])
def test_the_oracle_agrees_with_the_naive_rules(entry):
    for depth, count in enumerate(entry["counts"], 1):
        if count < 3000:
            assert naive_perft(naive_twin(set_up(entry)), depth) == count


def test_one_empty_sequence_is_counted_at_depth_nothing():
    assert perft(set_up(POSITIONS[0]), 0) == 1


def test_the_list_of_a_busy_stop_counted_by_hand():
    # 67: taxis to 51, 66, 68, 84; buses to 23, 52, 65, 82, 102; the underground to 13, 79, 89, 111. All
    # thirteen again by black ticket; the log has one window left, so no double.
    entry = next(entry for entry in POSITIONS if entry["name"].startswith("the last window: no"))
    assert entry["counts"][0] == 26
