"""`blackticket play`: it asks as a player, over REST, and shows what he may see."""

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner, Result

from blackticket.standalone.client import Answer, Wire
from server.cli import main
from tests.rows import for_each
from tests.scenes import hunt
from tests.table import Person, Playing, Table

URL = "http://black.example"
Play = Callable[..., Result]


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


@pytest.fixture
def play(table: Table) -> Play:
    """Runs the command as a person; what it sends over the wire reaches the application of the test."""

    def wire(_: Wire, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        found = table.client.open(url.removeprefix(URL), method=method, headers=dict(headers), data=body)
        return Answer(found.status_code, {name.lower(): value for name, value in found.headers}, found.data)

    def play(person: Person, *arguments: str) -> Result:
        environ = {"BLACKTICKET_URL": URL, "BLACKTICKET_TOKEN": person.token}
        with mock.patch.object(Wire, "__call__", wire):
            return CliRunner().invoke(main, ["play", *arguments], prog_name="blackticket", env=environ)

    return play


def test_games_are_listed_with_those_that_wait_first(hunted: Playing, play: Play):
    ada, ben = hunted.people[:2]
    seats = [{"role": "mr_x", "player": ben.id}, {"role": "detective"}]
    opened = ben.post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    assert [line.split()[0] for line in play(ben).stdout.splitlines()] == ["id", hunted.id, opened]
    listed = json.loads(play(ben, "--json").stdout)["games"]
    assert [(game["id"], game["waits"]) for game in listed] == [(hunted.id, True), (opened, False)]
    assert [game["waits"] for game in json.loads(play(ada, "--json").stdout)["games"]] == [False]


def test_a_game_is_found_by_its_name_and_shown_with_what_may_be_sent(hunted: Playing, play: Play):
    ben = hunted.people[1]
    name = hunted.view()["name"]
    shown = play(ben, name[:4].lower()).stdout
    assert shown == play(ben, hunted.id).stdout
    assert name in shown
    assert "You play purple." in shown
    told = {f"{words[0]} {words[1]} {station.strip(',')}" for words in sent(shown) for station in words[2:]}
    assert told == set(hunted.legal(ben))


def test_who_holds_several_pawns_is_told_all_of_them(table: Table, play: Play):
    game = table.dealt(2, "condensed")
    assert "You play purple, red, green and yellow." in play(game.people[1], game.id).stdout


def sent(shown: str) -> list[list[str]]:
    lines = shown.partition("You may send:\n")[2].splitlines()
    return [line.split() for line in lines]


def test_mr_x_is_told_how_many_double_moves_he_has(second: Playing, play: Play):
    mr_x = second.people[0]
    doubles = [notation for notation in second.legal(mr_x) if notation.startswith("double")]
    assert f"and {len(doubles)} double moves" in play(mr_x, second.id).stdout


@pytest.fixture
def second(hunted: Playing) -> Playing:
    """Mr. X is to move again."""
    for person in hunted.people[1:]:
        hunted.move(person)
    return hunted


def test_a_move_is_tried_and_then_made_or_kept(hunted: Playing, play: Play):
    ben, cleo = hunted.people[1:3]
    own, ahead = hunted.legal(ben)[0], hunted.legal(cleo)[0]
    tried = play(ben, hunted.id, *own.split(), "--try").stdout
    assert f'"{own}" could be sent' in tried
    assert json.loads(play(cleo, hunted.id, ahead, "--json").stdout)["kept"] is True
    assert f"Queued moves of your team: {ahead}" in play(ben, hunted.id).stdout
    assert play(ben, hunted.id, *own.split()).stdout.startswith("The move is played.")
    assert hunted.view()["history"][-2:] == [own, ahead]


@for_each(
    "arguments, told",
    [
        (["no-such-game"], 'No game of yours begins with "no-such-game", and that is no id of a game; '),
        (["../games"], 'No game of yours begins with "../games"'),
        (["aaaaaaaaaaaaaaaa"], "There is no such game, or it is not yours to see."),
        (["\u001b]0;x\u202e"], r'begins with "\x1b]0;x\u202e"'),
        (["{game}", "taxi", "199"], "The move is not legal"),
        (["{game}", "fly", "to", "the", "moon"], "The request has the wrong form"),
        (["--url", "here"], "'here' is not the address of a server"),
    ],
)
def test_a_refusal_is_one_sentence_on_standard_error(hunted: Playing, play: Play, arguments: list[str], told: str):
    result = play(hunted.people[1], *(argument.format(game=hunted.id) for argument in arguments))
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert told in result.stderr


def against_bots(person: Person) -> dict[str, Any]:
    """A game of one person, as Mr. X."""
    seats = [{"role": "mr_x", "player": person.id}, {"role": "detective", "bot": "constable"}]
    opened: dict[str, Any] = person.post("/games", {"edition": "condensed", "seats": seats}).json
    person.post(f"/games/{opened['id']}/start")
    return opened


def test_after_a_move_that_bots_answer_it_is_said_how_to_see_their_answers(table: Table, play: Play):
    ada = table.person("Ada")
    game = Playing(table, (opened := against_bots(ada))["id"], [ada])
    shown = play(ada, *opened["name"].split(), *game.legal(ada)[0].split()).stdout
    told = re.match(r"The move is played. Bots move next; to see what they did: (\S*blackticket) play (.*)\n", shown)
    assert told is not None
    assert play(ada, *told[2].split()).stdout.startswith(f"{opened['name']} ({game.id})")


def test_of_games_with_the_same_beginning_the_one_that_is_not_over_is_meant(table: Table, play: Play):
    ada = table.person("Ada")
    with mock.patch("server.application.lobby.game_names.FIRST", ["Foggy"]):
        first, second = against_bots(ada), against_bots(ada)
    assert 'Several games of yours begin with "Foggy": ' in play(ada, "Foggy").stderr
    ada.post(f"/games/{first['id']}/resign")
    assert play(ada, "foggy").stdout.startswith(f"{second['name']} ({second['id']})")


def test_a_whole_name_goes_before_a_longer_one_that_begins_with_it(table: Table, play: Play):
    ada = table.person("Ada")
    with mock.patch.multiple(
        "server.application.lobby.game_names", FIRST=["Foggy"], SECOND=["Thames"], TIME=["at Noon"]
    ):
        short, longer = against_bots(ada), against_bots(ada)
    assert (short["name"], longer["name"]) == ("Foggy Thames", "Foggy Thames at Noon")
    assert play(ada, "foggy", "thames").stdout.startswith(f"Foggy Thames ({short['id']})")
    assert play(ada, "Foggy", "Thames", "at").stdout.startswith(f"Foggy Thames at Noon ({longer['id']})")


@for_each(
    "settings, in_file, asked",
    [
        ({}, "", "http://127.0.0.1:8000"),
        ({}, "127.0.0.1:8123", "http://127.0.0.1:8123"),
        ({"BLACKTICKET_HTTP_LISTEN": "0.0.0.0:8124"}, "127.0.0.1:8123", "http://127.0.0.1:8124"),
        ({"BLACKTICKET_HTTP_LISTEN": "[::]:8123"}, "", "http://[::1]:8123"),
        ({"BLACKTICKET_URL": URL}, "127.0.0.1:8123", URL),
    ],
)
def test_without_a_url_the_server_of_the_folder_is_asked(
    tmp_path: Path, settings: dict[str, str], in_file: str, asked: str
):
    if in_file:
        (tmp_path / "blackticket.env").write_text(f"BLACKTICKET_HTTP_LISTEN={in_file}\n")

    def silent(_: Wire, *_request: object) -> Answer:
        raise ConnectionRefusedError(111, "Connection refused")

    environ = {"BLACKTICKET_TOKEN": "bt_unknown", **settings}
    with mock.patch.object(Wire, "__call__", silent), mock.patch("time.sleep"), contextlib.chdir(tmp_path):
        result = CliRunner().invoke(main, ["play"], prog_name="blackticket", env=environ)
    assert result.stderr == (
        f"There is no answer: {asked}: Connection refused. "
        "Is a server running there? BLACKTICKET_URL or --url names another.\n"
    )


def test_who_has_no_token_or_a_wrong_one_is_told_where_it_goes_and_how_to_get_another(hunted: Playing, play: Play):
    for wrong in ("", "bt_wrong"):
        told = play(hunted.people[1], "--token", wrong).stderr
        assert "BLACKTICKET_TOKEN" in told
        assert "blackticket player token add" in told


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((), {"games": [{}]}),
        ((), {"games": [7]}),
        (("x",), {"games": [{"id": 1, "name": 5, "status": "x", "turn": 1}]}),
        (("a" * 16,), {"games": []}),
    ],
)
def test_json_of_another_program_is_named_as_such(arguments: tuple[str, ...], answer: Any):
    def other(_: Wire, *_request: object) -> Answer:
        return Answer(200, {"content-type": "application/json"}, json.dumps(answer).encode())

    environ = {"BLACKTICKET_TOKEN": "bt_unknown", "BLACKTICKET_URL": URL}
    with mock.patch.object(Wire, "__call__", other):
        result = CliRunner().invoke(main, ["play", *arguments], prog_name="blackticket", env=environ)
    assert "not as Black Ticket does" in result.stderr
    assert result.exit_code == 1
