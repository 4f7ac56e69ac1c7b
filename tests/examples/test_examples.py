"""The examples play whole games, as programs of their own, against a server that is one too."""

import base64
import json
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from blackticket.demo import own_server
from blackticket.demo.own_server import OwnServer
from blackticket.standalone.client import Client, Game
from server.engine.events import REASONS
from server.webhooks import sender
from tests.examples import quick
from tests.loaded import Command

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
LOOKS = "0.1"  # seconds between two
LONGEST = 90


class QuickServer(OwnServer):
    """`blackticket serve` whose players of the house do not think long, a copy of a process that has loaded it."""

    @contextmanager
    def _serve(self) -> Iterator[Any]:
        self.log.touch()  # the little that it says stays in its pipes
        process = self._started("serve")
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(LONGEST)

    def _started(self, *words: str) -> Command:
        return Command(words, self.folder, self._environment(), quick.main)

    def command(self, *words: str) -> Any:
        process = self._started(*words, "--json")
        said, errors = process.communicate(LONGEST)
        assert process.returncode == 0, errors
        return json.loads(said)

    def _environment(self) -> dict[str, str]:
        return super()._environment() | {"BLACKTICKET_TICK_SECONDS": "0.1"}


@pytest.fixture(scope="module")
def server() -> Iterator[QuickServer]:
    with QuickServer() as running:
        yield running


@pytest.fixture(scope="module")
def client(server: QuickServer) -> Iterator[Client]:
    """The player whose bots they are."""
    with Client(server.url, server.command("player", "add", "Ada", "ada@example.org")["token"]) as made:
        yield made


def against_the_house(client: Client, role: str, rounds: int) -> Game:
    """A game of one person that has begun; a short one."""
    house = {"role": "detective", "bot": "constable"} if role == "mr_x" else {"role": "mr_x", "bot": "fugitive"}
    seats = sorted([{"role": role, "player": client.me()["id"]}, house], key=lambda seat: seat["role"], reverse=True)
    game = client.open_game("condensed", seats=seats, options={"log_windows": rounds})
    return client.start(game["id"])


def ended(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=ROOT, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PYTHON": sys.executable},
        capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip


def run(*words: str) -> str:
    done = ended(*words)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def is_well_over(game: Game) -> bool:
    """Return True if play ended the game and nobody was late."""
    outcome = game["outcome"]
    return outcome is not None and outcome["final"] and outcome["reason"] in REASONS


def test_the_polling_bot_plays_four_detectives_to_the_end(server: QuickServer, client: Client):
    game = against_the_house(client, "detective", rounds=3)
    said = run(sys.executable, str(EXAMPLES / "polling_bot.py"), server.url, client.token, "--until-over", game["id"])
    over = client.game(game["id"])
    assert is_well_over(over)
    mine = [move for move in over["history"] if move.split()[0] in over["starts"].keys() - {"mr_x"}]
    assert len(mine) > 4
    assert {f"{game['name']}: {move}" for move in mine} <= set(said.splitlines())


@pytest.mark.campaign
def test_the_polling_bot_opens_a_game_of_its_own_and_plays_it_to_the_end(server: QuickServer):
    guide = (ROOT / "docs" / "bots.md").read_text()
    commands = re.findall(r"^\.venv/bin/blackticket (player .*)$", guide, re.MULTILINE)
    assert len(commands) == 2
    token = [server.command(*shlex.split(words)) for words in commands][-1]["token"]
    said = run(sys.executable, str(EXAMPLES / "polling_bot.py"), server.url, token)
    with Client(server.url, token) as robot:
        [over] = [robot.game(game["id"]) for game in robot.games(mine=True)]
    assert is_well_over(over)
    outcome = over["outcome"]
    assert outcome is not None
    assert said.splitlines()[-1] == f"The game is over: {outcome['winner']}, {outcome['reason']}"


def test_a_polling_bot_that_may_not_open_a_game_ends_with_a_sentence(server: QuickServer, client: Client):
    token = client.add_token("timid", ["read", "play"])
    done = ended(sys.executable, str(EXAMPLES / "polling_bot.py"), server.url, token)
    assert done.returncode == 1
    assert done.stderr.startswith("The bot ends, as it was refused. ")
    assert "host" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_shell_script_plays_mr_x_to_the_end(server: QuickServer, client: Client):
    said = run("sh", str(EXAMPLES / "curl.sh"), server.url, client.token, LOOKS)
    [over] = [client.game(game["id"]) for game in client.games(mine=True, label="played by curl")]
    assert is_well_over(over)
    assert said.splitlines()[0] == f"{over['name']} has begun"
    assert said.splitlines()[1].startswith("turn 1: ")
    assert said.splitlines()[-1].startswith("The game is over: ")


def test_the_program_in_the_guide_moves_where_it_is_awaited(server: QuickServer, client: Client):
    game = against_the_house(client, "mr_x", rounds=5)
    _, program = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "bots.md").read_text(), re.DOTALL)
    scope: dict[str, Any] = {}
    exec(program.replace("http://127.0.0.1:8000", server.url).replace("bt_...", client.token), scope)
    scope["client"].close()
    assert len(client.game(game["id"])["history"]) >= 1
    client.resign(game["id"])


def test_the_webhook_bot_plays_mr_x_to_the_end(server: QuickServer, client: Client):
    game = against_the_house(client, "mr_x", rounds=5)
    listen = "{}:{}".format(*own_server.free_addresses(1)[0])
    said = run(sys.executable, str(EXAMPLES / "webhook_bot.py"), server.url, client.token,
               "--listen", listen, "--until-over", game["id"])  # fmt: skip
    over = client.game(game["id"])
    assert is_well_over(over)
    mine = [move for move in over["history"] if move.split()[0] not in over["starts"]]
    assert said.splitlines() == [f"{game['name']}: {move}" for move in mine]
    assert client.get("/webhooks") == {"webhooks": []}, "it leaves nothing behind"


def test_the_webhook_bot_believes_what_is_signed_lately_and_nothing_else():
    is_signed = runpy.run_path(str(EXAMPLES / "webhook_bot.py"))["is_signed"]
    secret, other = (f"whsec_{base64.b64encode(bytes([n]) * 24).decode()}" for n in (1, 2))
    body, now = b'{"type": "game.event"}', datetime.now(UTC)
    headers = sender.signed_headers("msg_1", now, body, [other, secret])
    assert is_signed(secret, headers, body)
    assert is_signed(secret, {name.title(): value for name, value in headers.items()}, body)
    assert not is_signed(secret, headers, body + b" ")
    assert not is_signed(secret, headers | {"webhook-id": "msg_2"}, body)
    assert not is_signed(secret, sender.signed_headers("msg_1", now, body, [other]), body)
    assert not is_signed(secret, sender.signed_headers("msg_1", now - timedelta(minutes=6), body, [secret]), body)
    assert not is_signed(secret, {}, body)


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_an_example_is_short(path: Path):
    if path.is_file():
        assert len(path.read_text().splitlines()) < 100
