"""`blackticket arena`: games between any two players, counted."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.bots import arena
from server.cli import main

OWN = str(Path(__file__).parents[2] / "examples" / "own_bot.py")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["arena", *arguments])


def test_it_counts_the_games_that_each_side_wins():
    facts = json.loads(run("easy", "chance", "--games", "3", "--people", "4", "--json").stdout)
    assert facts["games"] == 3
    assert facts["detectives_won"] + facts["mr_x_won"] == 3
    assert facts["interval"][0] <= facts["detectives_share"] <= facts["interval"][1]
    assert facts["detective_ms"]["mean"] > 0
    again = json.loads(run("easy", "chance", "--games", "3", "--people", "4", "--json").stdout)
    assert again["detectives_won"] == facts["detectives_won"]


def test_it_says_so_in_sentences():
    told = run("chance", "easy", "--games", "1").stdout
    assert "The detectives (chance) won 0 of 1 games against Mr. X (easy): 0%" in told
    assert "A detective thought" in told


def test_functions_of_your_own_play(tmp_path: Path):
    bot = tmp_path / "mine.py"
    bot.write_text("def choose(view, moves, rng):\n    return str(moves[0])\n")
    assert run(f"{bot}:choose", f"{bot}:choose", "--games", "1").exit_code == 0


@pytest.mark.parametrize(
    ("player", "why"),
    [
        ("hard", "There is no player 'hard'; there are easy, fair, good, chance, or a function"),
        ("nothing.py:choose", "The player nothing.py:choose cannot be loaded"),
        (f"{OWN}:nobody", "cannot be loaded"),
        (f"{OWN}:Board.named.nothing", "cannot be loaded"),
        (f"{OWN}:random", "is no function"),
    ],
)
def test_a_player_that_there_is_not_is_named(player: str, why: str):
    refused = run(player, "easy")
    assert refused.exit_code == 2
    assert why in refused.output


def test_too_few_people_for_an_edition_are_refused():
    assert "3 to 6" in run("easy", "easy", "--people", "2").output


@pytest.mark.long
@pytest.mark.parametrize(
    ("sides", "side"), [((f"{OWN}:detective", "easy"), "detectives"), (("easy", f"{OWN}:mr_x"), "mr_x")]
)
def test_the_bot_of_the_examples_beats_the_easy_ones(sides: tuple[str, str], side: str):
    assert len(Path(OWN).read_text().splitlines()) <= 60
    players = arena.player(sides[0], "detective"), arena.player(sides[1], "mr_x")
    score = arena.match("ravensburger-2000", 6, range(12), *players)
    assert getattr(score, side) > 6


@pytest.mark.parametrize(
    ("won", "games", "low", "high"), [(0, 10, 0.0, 0.278), (5, 10, 0.237, 0.763), (60, 60, 0.94, 1.0)]
)
def test_the_interval_is_wilsons(won: int, games: int, low: float, high: float):
    assert [round(share, 3) for share in arena.wilson(won, games)] == [low, high]
