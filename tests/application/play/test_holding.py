"""Nobody but its player can tell that a move is held: one table where one is, and one where none is, look the same."""

import re
from datetime import timedelta
from pathlib import Path

from click.testing import CliRunner

from server.application.game.situations import act
from server.cli import main
from server.house_rules.holding import put_on_hold, stop_held
from server.house_rules.submission import RequestedMove
from server.models import Player, session
from tests.injected import for_command
from tests.scenes import hunt, text_of
from tests.table import Playing, Table
from tests.web.game.test_page import Browser
from tests.worlds.schedule import COMMANDS, OUTLETS, SERVER

MOVE = "purple taxi 115"
TOKEN = "the token of the operator, of 32 letters"
HOLDING = timedelta(minutes=15)


def begun(folder: Path) -> Playing:
    table = Table(folder, sandbox="1", min_turn="PT1S", metrics_token=TOKEN)
    return hunt(table)


def hold(game: Playing) -> None:
    with game.table.app.app_context():
        ben = session.get_one(Player, game.people[1].id)
        act(game.id, ben, put_on_hold, [RequestedMove(MOVE)], HOLDING)


def seen(game: Playing) -> dict[str, str]:
    """Everything that others than Ben see, with the headers of the answers."""
    table, found = game.table, {}
    ada, _ben, cleo, *_ = game.people
    for person in (ada, cleo):
        for path in (*(f"{game.path}{outlet}" for outlet in OUTLETS), *(each[7:] for each in SERVER if "v1" in each)):
            answer = person.get(path)
            found[f"{person.name} {path}"] = f"{answer.status} {answer.headers.get('ETag')} {answer.text}"
        for path in (f"/games/{game.id}", f"/games/{game.id}/news", "/me", "/"):
            found[f"{person.name} {path}"] = Browser(table, person).get(path).text
        for text in ("STATUS", "TRY taxi 66", "LOG"):
            person.reply(text)
            table.tick()
            found[f"{person.name} {text}"] = text_of(person.mails[-1])
    return found | operators(game)


def operators(game: Playing) -> dict[str, str]:
    """What the operator sees, without the folder and figures of the machine."""
    table, found = game.table, {}
    for arguments in (*COMMANDS, ("deadline", "list"), ("deadline", "list", "--due"), ("doctor",), ("inbox", "list")):
        named = [argument.format(game=game.id) for argument in arguments]
        found[" ".join(arguments)] = CliRunner().invoke(main, named, obj=for_command(table.app)).output
    metrics = table.client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    found["metrics"] = "\n".join(line for line in metrics.splitlines() if "bytes" not in line and "seconds" not in line)
    return {name: re.sub(r"/\S*/pytest\S*", "VAR", text) for name, text in found.items()}


def test_all_that_others_see_is_the_same_whether_a_move_is_held_or_not(tmp_path: Path):
    here, there = begun(tmp_path / "one"), begun(tmp_path / "other")
    hold(here)
    one, other = seen(here), seen(there)
    assert len(one) > 60
    assert {name: text for name, text in one.items() if text != other[name]} == {}


def test_the_operator_does_not_see_one_that_is_overdue(tmp_path: Path):
    game = begun(tmp_path)
    hold(game)
    game.table.clock.turn(minutes=30)
    before = operators(game)
    with game.table.app.app_context():
        act(game.id, session.get_one(Player, game.people[1].id), stop_held)
    assert operators(game) == before


def test_its_player_alone_gets_it_by_rest_with_the_time_and_takes_it_back(tmp_path: Path):
    game = begun(tmp_path)
    hold(game)
    ben, cleo = game.people[1:3]
    waiting = {"pawn": "purple", "notation": MOVE, "plays_at": "2026-11-22T18:15:00Z"}
    assert ben.get(f"{game.path}/ahead").json == {"moves": [waiting]}
    assert cleo.get(f"{game.path}/ahead").json == {"moves": []}
    assert cleo.request("DELETE", f"{game.path}/ahead").status_code == 200
    assert ben.get(f"{game.path}/ahead").json == {"moves": [waiting]}
    export = ben.get("/me/export").json
    assert [kept["held"] for kept in export["games"]] == [[waiting]]
    assert ben.request("DELETE", f"{game.path}/ahead").json == {"moves": []}
    assert ben.get(f"{game.path}/ahead").json == {"moves": []}


def test_a_move_by_rest_takes_its_place_at_once(tmp_path: Path):
    game = begun(tmp_path)
    hold(game)
    ben = game.people[1]
    assert game.move(ben, "purple bus 102").status_code == 201
    assert ben.get(f"{game.path}/ahead").json == {"moves": []}
