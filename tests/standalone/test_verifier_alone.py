"""A copy of the verifier runs with nothing beside it, as a program of a player's."""

import json
import subprocess
import sys
from pathlib import Path

from blackticket.standalone import verifier

from .mails import heads, letter, write_mbox
from .transcripts import honest

SOURCE = Path(verifier.__file__)


def alone(folder, *arguments):
    """Run a copy of the file with nothing beside it, as a player does."""
    copy = folder / "verifier.py"
    copy.write_bytes(SOURCE.read_bytes())
    command = [sys.executable, "-I", "-S", str(copy), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_it_runs_alone(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(honest(1)))
    done = alone(tmp_path, "t.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The log of ")


def test_a_failure_is_one_line_and_exit_status_1(tmp_path):
    transcript = honest(1)
    transcript["events"][2]["number"] += 1
    (tmp_path / "t.json").write_text(json.dumps(transcript))
    done = alone(tmp_path, "t.json")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1


def test_facts_come_as_json(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(honest(1)))
    write_mbox(tmp_path / "mails", [letter(honest(1), heads(honest(1))[0])])
    done = alone(tmp_path, "--json", "t.json", "mails")
    facts = json.loads(done.stdout)
    assert (facts["holds"], facts["mails"]) == (True, 1)


def test_what_cannot_be_read_is_exit_status_2(tmp_path):
    done = alone(tmp_path, "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
