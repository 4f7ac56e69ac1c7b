"""Tests of the README, and of the page on the first game, whose commands run as a newcomer types them."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from blackticket.standalone.client import Client
from tests import databases
from tests.loaded import Command, Process, from_nothing
from tests.profiles import IS_CAMPAIGN
from tests.relays import free_port

pytestmark = pytest.mark.sqlite("the pages begin a server without a relay, which PostgreSQL needs")

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
FIRST_GAME = (ROOT / "docs" / "first-game.md").read_text()
BY_TWO, _, ALONE = FIRST_GAME.partition("\n## Against bots, with curl\n")
BY_CURL, _, IN_TERMINAL = ALONE.partition("\n## In a terminal\n")
README_WORDS = 700
FIRST_SCREEN = 30  # lines of the README that say everything a newcomer needs
PROMISES = (ROOT / "docs" / "promises.md").read_text()
LONGEST = 60  # seconds for anything that is waited for
HTTP, SMTP = "127.0.0.1:8000", "127.0.0.1:2525"

# A newcomer reads a mail when it has come.
PRELUDE = """
set -euo pipefail
once_a_mail_says() {
    local end=$((SECONDS + 60))
    until grep -qs -- "$1" var/mail/new/*; do
        [ $SECONDS -lt $end ] || { echo "the mail did not come" >&2; exit 1; }
        sleep 0.2
    done
}
"""
AWAITED = ("^Subject: .*your move", "^Understood")  # in the mails that the page reads


def blocks(page: str) -> list[str]:
    """Return the commands of a page, block by block."""
    return re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


class Place:
    """A folder with the program in it, as after `make run`, and a server that runs there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.http, self.smtp = (f"127.0.0.1:{free_port()}" for _ in range(2))
        (folder / ".venv").mkdir()
        (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
        self.environ = (
            kept
            | databases.environ(folder / "var")
            | {
                "BLACKTICKET_HTTP_LISTEN": self.http,
                "BLACKTICKET_MAIL_LISTEN": f"smtp://{self.smtp}",
            }
        )

    def bash(self, script: str) -> subprocess.CompletedProcess[str]:
        script = script.replace(HTTP, self.http).replace(SMTP, self.smtp)
        return subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=3 * LONGEST,
            check=False,
        )

    def serve(self) -> Process:
        """Start the server: the command of the page, from nothing in a campaign."""
        return (from_nothing if IS_CAMPAIGN else Command)(["serve"], self.folder, self.environ)

    def wait_until_ready(self, server: Process) -> None:
        end = time.monotonic() + LONGEST
        with Client(f"http://{self.http}", timeout=LONGEST) as client:
            while time.monotonic() < end:
                assert server.poll() is None, "the server ended at once"
                if client.is_ready():
                    return
                time.sleep(0.05)
        raise AssertionError("the server did not get ready")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place(tmp_path_factory.mktemp("newcomer"))
    server = made.serve()
    try:
        made.wait_until_ready(server)
        yield made
    finally:
        server.terminate()
        server.communicate(timeout=LONGEST)


@pytest.mark.campaign
def test_the_first_game_goes_as_its_page_says(place: Place) -> None:
    awaited = iter(AWAITED)
    steps = [f"once_a_mail_says '{next(awaited)}'\n{step}" if "var/mail" in step else step for step in blocks(BY_TWO)]
    assert list(awaited) == []
    done = place.bash(PRELUDE + "".join(steps))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    said = done.stdout.splitlines()
    assert said[:2] == ["{'seat': 1, 'pawns': ['mr_x']}", "{'seat': 2, 'pawns': ['purple', 'red', 'green', 'yellow']}"]
    ada, ben = (line for line in said if line.startswith("{'station': "))
    assert re.match(r"{'station': \d", ada)
    assert ben.startswith("{'station': None")
    assert "To: Ben <ben@example.org>" in said
    assert any(re.fullmatch(r'Understood .*"purple \w+ \d+".*', line) for line in said)
    assert "turn 3, round 1: red until " in done.stdout


def test_the_first_game_against_bots_takes_five_calls(place: Place) -> None:
    before, five, after = blocks(BY_CURL)
    assert [line.count("curl ") for line in five.splitlines()] == [1] * 5
    done = place.bash(f"set -euo pipefail\n{before}{five}{after}")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    you, station, history = done.stdout.splitlines()
    assert you == "{'seat': 1, 'pawns': ['mr_x']}"
    assert station.isdigit()
    assert re.fullmatch(r"\['(taxi|bus|underground|black) \d+'\]", history)
    assert (place.folder / "board.png").read_bytes().startswith(b"\x89PNG")


def test_the_first_move_in_a_terminal_goes_as_its_page_says(place: Place) -> None:
    add, deal, look, move = blocks(IN_TERMINAL)[0].splitlines()
    server = f"set -euo pipefail; export BLACKTICKET_URL=http://{place.http}"
    dealt = place.bash(f"{server}\n{add}\n{deal}\necho $BLACKTICKET_TOKEN")
    assert dealt.returncode == 0, f"{dealt.stdout}\n{dealt.stderr}"
    said, token = dealt.stdout.splitlines()
    name = said.split()[0]
    player = f"{server} BLACKTICKET_TOKEN={token}\n"
    seen = place.bash(player + look.replace("Foggy", name))
    stations = re.search(r"mr_x taxi +(\d+)", seen.stdout)
    assert stations, f"{seen.stdout}\n{seen.stderr}"
    made = place.bash(player + move.replace("Foggy", name).replace("NN", stations[1]))
    assert made.stdout.startswith("The move is played."), f"{made.stdout}\n{made.stderr}"


def test_the_page_on_the_first_game_shows_each_step() -> None:
    steps = "".join(blocks(BY_TWO))
    for word in ("player add Ada ada@example.org --json", "/legal-moves", "/moves --data", "--mail-from", "game show"):
        assert word in steps


def test_the_first_screen_of_the_readme_says_everything_a_newcomer_needs() -> None:
    assert len(README.split()) < README_WORDS
    first = "\n".join(README.splitlines()[:FIRST_SCREEN])
    for part in ("(docs/images/game.png)", "make run", "make test", "*Play now*", "| You want to", "The limit of"):
        assert part in first


def test_the_readme_names_each_promise() -> None:
    named = README.partition("\n## What the server promises\n")[2].partition("\n## ")[0]
    whole = PROMISES.partition("\n## Promises\n")[2].partition("\n## ")[0]
    assert named.count("\n* ") == whole.count("\n* ") == 6


@pytest.mark.parametrize("target", ["run", "test"])
def test_the_two_commands_of_the_readme_are_targets_of_the_makefile(target: str) -> None:
    assert re.search(rf"^make {target} ", README, re.MULTILINE)
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
