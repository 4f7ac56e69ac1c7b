"""Game records on the command line: shown, replayed, and refused with the line and the fault."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from server.cli.replay import walk
from server.engine import Edition, Game
from tests import databases
from tests.injected import for_command
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.table import Table

KEY = "the key of this test, which is long enough"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, given: str | bytes | None = None) -> Result:
        runner = CliRunner(env=databases.environ(tmp_path / "var") | {"BLACKTICKET_SECRET_KEY": KEY})
        return runner.invoke(main, arguments, prog_name="blackticket", input=given, obj=for_command())

    return run


def refused(result: Result) -> str:
    """The sentence on stderr of a command that failed as expected."""
    assert result.exit_code == 1, (result.output, result.exception)
    assert result.stdout == ""
    sentence = result.stderr.removesuffix("\n")
    assert "\n" not in sentence
    return sentence


def table() -> Game:
    """A game of five moves: Mr. X from 117 to 108, and by ferry to 115."""
    starts = {"mr_x": 117, "purple": 141, "red": 155, "green": 91}
    game = Game(Edition.named("ravensburger-2000").with_options(cut_off=True), players=4, starts=starts)
    for move in ("taxi 108", "purple taxi 158", "red taxi 156", "green taxi 105", "black 115"):
        game.play(move)
    return game


@pytest.fixture
def whole(tmp_path: Path) -> str:
    Path(tmp_path, "whole.txt").write_text(table().record())
    return "whole.txt"


@pytest.fixture
def redacted(tmp_path: Path) -> str:
    Path(tmp_path, "redacted.txt").write_text(table().record("spectator"))
    return "redacted.txt"


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_a_record_is_shown_with_pawns_log_and_rounds(run, whole):
    shown = run("game", "show", whole).stdout
    assert 'Ravensburger 2000, 4 players, {"cut_off": true}' in shown
    assert "purple to move" in shown
    assert ["mr_x", "115", "6", "3", "3", "2", "2"] in rows(shown)
    assert ["red", "156", "9", "8", "4"] in rows(shown)
    assert ["2", "black", "115", "by", "ferry"] in rows(shown)
    assert " 1. taxi 108; purple taxi 158; red taxi 156; green taxi 105\n 2. black 115\n" in shown


def test_a_redacted_record_is_shown_without_what_it_leaves_out(run, redacted):
    shown = run("game", "show", redacted).stdout
    assert ["mr_x", "?", "6", "3", "3", "2", "2"] in rows(shown)
    assert ["2", "black", "?"] in rows(shown)
    assert " 1. taxi ?; purple taxi 158; red taxi 156; green taxi 105\n 2. black ?\n" in shown


def test_a_record_is_replayed_as_far_as_asked(run, whole):
    shown = run("game", "replay", whole, "--ply", "2").stdout
    assert "2 moves, the last in round 1: purple taxi 158\nred to move\n" in shown
    assert ["mr_x", "108", "4", "3", "3", "3", "2"] in rows(shown)
    assert ["red", "155", "10", "8", "4"] in rows(shown)
    assert "before the first move" in run("game", "replay", whole, "--ply", "0").stdout


def test_a_record_has_no_more_moves_than_it_has(run, whole):
    assert refused(run("game", "replay", whole, "--ply", "6")) == "This record has 5 moves; --ply goes from 0 to that."


def test_a_record_is_replayed_step_by_step(run, whole, redacted):
    shown = rows(run("game", "replay", whole, "--step").stdout)
    assert shown[0] == ["ply", "round", "move", "mr_x", "purple", "red", "green"]
    assert shown[1] == ["0", "1", "117", "141", "155", "91"]
    assert shown[4] == ["3", "1", "red", "taxi", "156", "108", "158", "156", "91"]
    assert shown[6] == ["5", "2", "black", "115", "115", "158", "156", "105"]
    hidden = rows(run("game", "replay", redacted, "--step", "--ply", "4").stdout)
    assert hidden[-1] == ["4", "1", "green", "taxi", "105", "?", "158", "156", "105"]


def test_a_record_is_given_as_json(run, whole, redacted):
    step = json.loads(run("game", "replay", whole, "--ply", "1", "--json").stdout)
    assert (step["ply"], step["round"], step["move"]) == (1, 1, "taxi 108")
    assert step["view"]["pawns"]["mr_x"]["station"] == 108
    steps = json.loads(run("game", "replay", redacted, "--step", "--json").stdout)
    assert [step["move"] for step in steps] == [
        None, "taxi ?", "purple taxi 158", "red taxi 156", "green taxi 105", "black ?",
    ]  # fmt: skip
    assert json.loads(run("game", "show", redacted, "--json").stdout) == steps[-1]["view"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_record_may_be_json_and_come_from_standard_input(run, indent):
    text = json.dumps(table().record_json(), indent=indent)
    assert "5 moves, the last in round 2: black 115" in run("game", "replay", "-", given=text).stdout
    marked = b"\xef\xbb\xbf" + table().record().replace("\n", "\r\n").encode()
    assert "5 moves, the last in round 2: black 115" in run("game", "replay", "-", given=marked).stdout


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", "record.txt is no text, so it is no game record."),
        (b"", 'record.txt: Line 1: A record begins with the line "Black Ticket game record".'),
        (b"{", "record.txt: Line 1: This record is no JSON: Expecting property name enclosed in double quotes."),
        (b"{}", "record.txt: The record has no engine."),
        (b'{"a": ' + b"[" * 100_000, "record.txt: This record is no JSON anybody could have written."),
    ],
)
def test_a_file_that_is_no_record_is_refused_in_one_sentence(run, content, sentence):
    Path("record.txt").write_bytes(content)
    assert refused(run("game", "replay", "record.txt")) == sentence


def test_a_file_that_is_not_there_is_named(run):
    assert refused(run("game", "replay", "none.txt")) == "none.txt cannot be read: No such file or directory."
    assert refused(run("game", "show", ".")) == ". cannot be read: Is a directory."
    run("db", "upgrade")
    assert refused(run("game", "replay", "nothing")) == "There is no game nothing, and no file of that name."


def test_a_running_game_is_replayed_as_everybody_saw_it(run, tmp_path):
    host = Table(tmp_path / "var", sandbox="1", secret_key=KEY)
    game = host.game(host.people(3), position=position(104, purple=91, red=26))
    for person, move in zip(game.people, ("taxi 86", "purple taxi 105", "red taxi 15"), strict=True):
        game.move(person, move)
    shown = run("game", "replay", game.id).stdout
    assert "3 moves, the last in round 1: red taxi 15\nmr_x to move\n" in shown
    assert "red           15" in shown
    assert rows(run("game", "replay", game.id, "--step").stdout)[2] == ["1", "1", "taxi", "?", "?", "91", "26"]
    for words in (["replay", game.id], ["replay", game.id, "--step"], ["replay", game.id, "--step", "--json"]):
        assert "86" not in run("game", *words).stdout


def test_a_finished_game_is_replayed_with_all_its_stations(run, tmp_path):
    host = Table(tmp_path / "var", sandbox="1", secret_key=KEY)
    game = host.game(host.people(2), position=position(46, red=(117, {"taxi": 1})))
    game.move(game.people[0], "black 79")
    game.move(game.people[1], "taxi 88")
    shown = run("game", "replay", game.id, "--step").stdout
    assert ["1", "1", "black", "79", "79", "117"] in rows(shown)
    assert shown.endswith("\nmr_x won (detectives_stranded)\n")


def test_a_game_that_lateness_ended_is_replayed_to_that_end_and_keeps_its_secret_while_it_may_be_undone(run, tmp_path):
    host = Table(tmp_path / "var", sandbox="1", secret_key=KEY)
    game = host.game(host.people(2), position=position(46, red=117))
    game.move(game.people[0], "black 79")
    game.move(game.people[1], "taxi 88")
    for _ in range(2):  # the first time he is given as long again
        host.clock.turn(days=2, minutes=1)
        host.tick()
    outcome = game.view()["outcome"]
    assert not outcome["final"]
    shown = run("game", "replay", game.id).stdout
    assert f"{outcome['winner']} won ({outcome['reason']})" in shown
    assert ["1", "black", "?"] in rows(shown)


def test_a_game_that_has_not_begun_has_no_record(run, tmp_path):
    ada = Table(tmp_path / "var", secret_key=KEY).person("Ada")
    made = ada.post("/games", {"edition": "condensed", "players": 3}).json
    assert refused(run("game", "replay", made["id"])) == "This game has not begun; there is no record of it."


@pytest.mark.parametrize("name", Edition.names())
def test_a_redacted_record_gives_at_every_move_what_a_spectator_saw(name):
    rng = random.Random(name)
    edition = Edition.named(name)
    numbers = range(*edition.options["players"])
    for players in numbers if IS_CAMPAIGN else sorted({numbers[0], numbers[-1]}):
        game = Game.deal(edition, players, rng)
        seen = [game.view("spectator")]
        while game.outcome is None:
            game.play(rng.choice(game.legal_moves()))
            seen.append(game.view("spectator"))
        assert [step.view for step in walk(game.record("spectator"))] == seen
        assert walk(game.record())[-1].view == game.view("mr_x", opened=True)


def test_a_capture_shows_its_station_only_when_it_came_to_it():
    place = {
        "mr_x": {"station": 18, "tickets": {"taxi": 4}},
        "detectives": [{"pawn": "purple", "station": 57, "tickets": {"taxi": 5}}],
        "log_used": 4,
    }
    game = Game.at(Edition.named("ravensburger-2000"), place)
    for move in ("taxi 43", "purple taxi 43"):
        game.play(move)
    steps = walk(game.record("spectator"))
    assert [step.view["pawns"]["mr_x"]["station"] for step in steps] == [None, None, 43]
    assert steps[-1].view["outcome"] == {"winner": "detectives", "reason": "captured"}
