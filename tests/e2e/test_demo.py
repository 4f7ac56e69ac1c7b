"""The demo, as somebody who tries Black Ticket sees it. Here, and nowhere else, time is real."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

WINDOW = re.compile(r"^ +(\d+)  (\w+) +(\d+)( surfaced)?(?: by (\w+))?$", re.MULTILINE)


@dataclass
class Demo:
    """A demo that has run."""

    code: int
    out: str
    folder: Path  # where it could leave temporary files behind

    @property
    def trips(self) -> list[tuple[str, int]]:
        """The opened travel log: by what, and where to."""
        return [(by or ticket, int(station)) for _, ticket, station, _, by in WINDOW.findall(self.out)]


COMMAND = (sys.executable, "-m", "blackticket", "demo", "--seed", "3")


def environ_of(folder: Path) -> dict[str, str]:
    """Return the environment of a demo whose temporary files are in a folder."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
    # Settings of a user's own, which a demo must leave alone: it could not even start with them.
    return environ | {"TMPDIR": str(folder), "BLACKTICKET_DATABASE_URL": "sqlite:////nowhere/at/all.db"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        COMMAND, env=environ_of(folder), capture_output=True, text=True, check=False, timeout=180,
    )  # fmt: skip
    return Demo(done.returncode, done.stdout + done.stderr, folder)


def test_a_demo_that_is_told_to_stop_after_a_round_has_played_it_and_leaves_nothing_behind(tmp_path: Path):
    with subprocess.Popen(
        COMMAND, env=environ_of(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("  2 Mr. X (REST) "):
                process.terminate()
    begun = Demo(process.returncode, "".join(said), tmp_path)
    assert (begun.code, list(tmp_path.iterdir())) == (128 + signal.SIGTERM, []), begun.out
    assert_six_people_play(begun)
    rounds = re.findall(r"^  1 Mr\. X \(REST\) .*\n(.*)$", begun.out, re.MULTILINE)
    assert 5 in [len(re.findall(r"\w+ \d+", moves)) for moves in rounds], begun.out


@pytest.mark.campaign
def test_the_demo_ends_well_and_leaves_nothing_behind(demo: Demo):
    assert (demo.code, list(demo.folder.iterdir())) == (0, []), demo.out
    assert_six_people_play(demo)


def assert_six_people_play(demo: Demo) -> None:
    assert len(re.findall(r"plays by mail only$", demo.out, re.MULTILINE)) == 3
    assert len(re.findall(r"plays by REST only$", demo.out, re.MULTILINE)) == 3


@pytest.mark.campaign
def test_the_server_moves_for_the_detective_who_sleeps_through_a_deadline(demo: Demo):
    asleep = demo.out.index("Blue is to move, but Finn sleeps")
    reminded = demo.out.index("A reminder is mailed to Finn", asleep)
    assert re.compile(r"The deadline has passed: the server moved Blue by \w+ to \d+\.").search(demo.out, reminded)


@pytest.mark.campaign
def test_the_demo_says_what_it_has_checked(demo: Demo):
    said = " ".join(demo.out.split())
    told = re.search(r"Checked by .* holds: \d+ events, (\d+) windows\. It is open\..* (\d+) mails agree with it", said)
    assert told
    assert int(told[1]) == len(demo.trips)
    assert int(told[2]) > 10
