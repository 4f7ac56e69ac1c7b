"""Tests of the page on the sealed log: its example is a real game of this server, and its commands print what it says.

UPDATE_GOLDEN=1 plays the example again; then copy the new output into the page.
"""

import json
import mailbox
import os
import random
import re
import shutil
import subprocess
import sys
from copy import deepcopy
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from blackticket.standalone import verifier
from server.sealing import hash_chain
from tests.table import Person, Playing, Table

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "seal.md").read_text()
EXAMPLE = ROOT / "docs" / "examples" / "seal"
FILES = ("transcript.json", "resealed.json", "ben.mbox", "cleo.mbox")
CONSOLE = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def play(folder: Path) -> None:
    """Play random moves to the end, Ada as Mr. X against two; write transcript and mailboxes to `folder`."""
    table = Table(folder / "server", 4, secret_key="the key of a server that is only an example")
    ada, ben, cleo = table.people(3)
    for person in (ben, cleo):
        person.request("PATCH", "/me/preferences", json={"picture": "off"})
    game = table.game([ada, ben, cleo], options={"log_windows": 5, "surfacing": [3]})
    dice = random.Random(4)
    while game.view()["status"] == "running":
        table.clock.turn(hours=5)
        mover = game.mover()
        assert game.move(mover, dice.choice(singles(game, mover))).status_code == 201
        table.tick()
    transcript = ben.get(f"{game.path}/transcript").json
    (folder / "transcript.json").write_text(json.dumps(transcript, indent=1) + "\n")
    (folder / "resealed.json").write_text(json.dumps(resealed(transcript), indent=1) + "\n")
    for person in (ben, cleo):
        keep(person, folder / f"{person.name.lower()}.mbox")


def resealed(transcript: dict[str, Any]) -> dict[str, Any]:
    """Return a forged transcript: Yellow moved an hour earlier, and the chain is computed again."""
    forged = deepcopy(transcript)
    yellow = next(event for event in forged["events"] if event["number"] == 25)
    assert yellow["data"]["notation"] == "yellow bus 3"
    yellow["at"] = "2026-11-26T21:00:00Z"
    forged["head"] = reduce(hash_chain.link, forged["events"], hash_chain.first_link(forged["header"]))
    return forged


def singles(game: Playing, mover: Person) -> list[str]:
    """Return the legal moves of the pawn to move, without double moves."""
    pawn = game.view()["to_move"][0]
    moves = mover.get(f"{game.path}/legal-moves").json["moves"]
    return [move["notation"] for move in moves if move["pawn"] == pawn and "double" not in move]


def keep(person: Person, path: Path) -> None:
    """Write a person's mails to a file, as a mail program exports them."""
    box = mailbox.mbox(path)
    for mail in person.mails:
        entry = mailbox.mboxMessage(mail)
        entry.set_from("play@localhost", mail["Date"].datetime.timetuple())
        box.add(entry)
    box.flush()
    box.close()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    (folder / "server").mkdir()
    play(folder)
    if os.environ.get("UPDATE_GOLDEN"):
        EXAMPLE.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copy(folder / name, EXAMPLE / name)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_the_example_is_a_game_of_this_server(example: Path, name: str):
    assert without_ids((example / name).read_text()) == without_ids((EXAMPLE / name).read_text())


def without_ids(text: str) -> str:
    """Return the text without ids, which depend on how many mails there were before."""
    return re.sub(r"(?<![a-z2-7])(?:[a-z2-7]{16}){1,2}(?![a-z2-7])", "id", text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the example's files and the downloaded verifier."""
    for name in FILES:
        shutil.copy(EXAMPLE / name, tmp_path)
    shutil.copy(verifier.__file__, tmp_path / "verifier.py")
    return tmp_path


def sessions() -> list[tuple[str, str]]:
    """Return each command of the page with the output that the page shows."""
    return [
        (command, printed)
        for block in CONSOLE
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def test_every_command_of_the_page_prints_what_the_page_says(folder: Path):
    for command, printed in sessions():
        done = subprocess.run(
            command, shell=True, cwd=folder, capture_output=True, text=True, check=False,
            env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )  # fmt: skip
        assert words(done.stdout + done.stderr) == words(printed), command
    assert len(sessions()) > 4


def words(text: str) -> list[str]:
    """Return the words of a text: the page breaks lines at other places."""
    return text.split()


def test_the_commitment_is_computed_by_hand_as_the_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder)
    known: dict[str, Any] = {}
    for block in PYTHON:
        exec(block, known)
    assert known["computed"] == known["sealed"]
    assert len(PYTHON) == 1


def test_the_release_notes_have_the_sum_of_the_verifier():
    done = subprocess.run(["sha256sum", verifier.__file__], capture_output=True, text=True, check=True)
    newest, *_ = re.findall(r"`([0-9a-f]{64})`", (ROOT / "CHANGELOG.md").read_text())
    assert newest == done.stdout.split()[0]
