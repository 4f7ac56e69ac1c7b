"""A campaign goes on where it was, whatever stopped it, and names the cases that fail."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from campaign.running import main
from tests.worlds.tiny import TINY

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("TINY_NOTES", str(tmp_path / "notes"))
    return lambda *arguments: main(
        TINY, ["--state", str(tmp_path / "var" / "state.json"), "--processes", "1", *arguments]
    )


@pytest.fixture
def ran(tmp_path):
    """The seeds that ran, each as often as it did; those under way when the goal was reached are among them."""
    return lambda: [int(line) for line in (tmp_path / "notes").read_text().splitlines()]


def last_line(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_campaign_ends_with_a_line_of_what_was_done(run, capsys):
    assert run("--to", "10") == 0
    assert last_line(capsys) | {"seconds": 0} == {"name": "tiny", "done": 10, "goal": 10, "failed": 0, "seconds": 0}


def test_a_campaign_goes_on_where_it_was(run, capsys, tmp_path, ran):
    run("--to", "10")
    (tmp_path / "notes").unlink()
    run("--to", "20")
    assert min(ran()) == 10
    assert last_line(capsys)["done"] == 20


def test_a_campaign_whose_goal_is_reached_runs_no_case_again(run, capsys):
    run("--to", "10")
    assert run("--to", "10") == 0
    assert last_line(capsys)["done"] == 10


def test_a_case_that_fails_is_named_and_makes_the_exit_code_1(run, capsys, monkeypatch):
    monkeypatch.setenv("TINY_FAILS", "7")
    assert run("--to", "10") == 1
    out = capsys.readouterr().out
    assert "tiny: seed 7 failed; alone: python -m campaign tiny --seed 7" in out
    assert "a tiny fault" in out


def test_a_case_that_failed_is_tried_again_first(run, capsys, monkeypatch):
    monkeypatch.setenv("TINY_FAILS", "7")
    run("--to", "10")
    assert run("--to", "10") == 1
    monkeypatch.delenv("TINY_FAILS")
    assert run("--to", "10") == 0
    assert last_line(capsys)["failed"] == 0


def test_one_seed_is_run_alone(run, monkeypatch, ran):
    monkeypatch.setenv("TINY_FAILS", "7")
    with pytest.raises(AssertionError, match="a tiny fault"):
        run("tiny", "--seed", "7")
    assert ran() == [7]


def test_a_state_of_another_revision_is_begun_anew(run, capsys, tmp_path):
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "state.json").write_text('{"revision": 0, "campaigns": {"tiny": "something else"}}')
    assert run("--to", "5") == 0


def test_a_campaign_that_was_killed_goes_on_and_leaves_no_case_out(tmp_path, ran):
    script = "import sys; from campaign.running import main; from tests.worlds.tiny import TINY; "
    script += "sys.exit(main(TINY, sys.argv[1:]))"
    state = tmp_path / "state.json"
    command = [sys.executable, "-c", script, "--state", str(state), "--processes", "1"]
    environ = {**os.environ, "TINY_NOTES": str(tmp_path / "notes")}
    killed = subprocess.run(command, check=False, cwd=ROOT, env={**environ, "TINY_KILLS": "22"}, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    whole = subprocess.run(command, check=False, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert json.loads(whole.stdout.splitlines()[-1])["done"] == 40
    assert set(ran()) >= set(range(40))


def test_the_views_campaign_has_cases():
    from campaign import views

    assert sum(views.case(seed) for seed in range(5)) > 5
