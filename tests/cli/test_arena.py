"""`blackticket arena`: games between any two players, counted."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from blackticket.standalone.client import Answer, Client
from server.bots import arena
from server.cli import arena_on_server, main
from server.cli.arena_on_server import Opponents
from tests.table import Table

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


# On a server ----------------------------------------------------------------------------------------------


def on_server(table: Table, level: str = "good") -> Opponents:
    """Return the bots of a level at the table; the worker works while the player here waits for news."""
    (ada,) = table.people(1)

    def transport(method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        if "/me/events" in url:
            table.tick()
        return table.transport(method, url, headers, body)

    return Opponents(level, Client("http://localhost", ada.token, sleep=table.sleep, transport=transport))


@pytest.mark.parametrize(
    ("role", "edition", "people"), [("mr_x", "ravensburger-2000", 6), ("detective", "condensed", 2)]
)
def test_a_player_here_plays_the_bots_of_a_server_through_the_api(table: Table, role: str, edition: str, people: int):
    there = on_server(table)
    score = arena_on_server.match(edition, people, range(2), role, arena.player("fair", role), there, table.sleep)
    assert (score.games, score.detectives + score.mr_x) == (2, 2)
    assert len(score.thought[role]) > 4
    games = [there.client.game(game["id"]) for game in there.client.games(mine=True)]
    assert [game["status"] for game in games] == ["over", "over"]
    bots = [seat["level"] for game in games for seat in game["seats"] if seat["bot"]]
    assert bots == ["good"] * (2 * (people - 1))
    assert len({json.dumps(game["starts"]) for game in games}) == 2


def test_games_with_the_same_seed_are_the_same_on_one_server(table: Table):
    there = on_server(table, "easy")
    player = arena.player("fair", "mr_x")
    for _ in range(2):
        arena_on_server.match("milton-bradley-1985", 4, [5], "mr_x", player, there, table.sleep)
    first, again = (there.client.game(game["id"]) for game in there.client.games(mine=True))
    assert first["history"] == again["history"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["good@http://127.0.0.1:1", "easy@http://127.0.0.1:1"], "Only one of the two can play on a server."),
        (["fair", "good@http://127.0.0.1:1"], "try --edition condensed --people 2"),
        (["hard@http://127.0.0.1:1", "easy"], "Bots have no level 'hard'; the levels are easy, fair, good."),
        (["good@127.0.0.1:1", "easy"], "No module named"),
        (["good@http://127.0.0.1:1", "easy"], "Put your token, which begins with bt_, into BLACKTICKET_TOKEN."),
        (["good@ftp://nowhere", "easy", "--token", "bt_a"], "nowhere"),
        (["good@nowhere", "easy", "--token", "bt_a"], "or the bots of a server, as good@http://127.0.0.1:8000"),
    ],
)
def test_games_on_a_server_that_cannot_be_are_refused(arguments: list[str], why: str):
    refused = CliRunner(env={"BLACKTICKET_TOKEN": None}).invoke(main, ["arena", *arguments])
    assert refused.exit_code != 0
    assert why in " ".join((refused.output + str(refused.exception)).split())
