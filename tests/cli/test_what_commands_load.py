"""A command loads what it needs, so that the help of one comes at once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What only a server needs, by where it comes from.
OF_THE_SERVER = {
    "aiosmtpd", "alembic", "apscheduler", "cryptography", "flask", "flask_smorest", "flask_sqlalchemy", "jinja2",
    "marshmallow", "PIL", "sqlalchemy", "tornado", "werkzeug",
}  # fmt: skip


def loaded(folder: Path, *arguments: str) -> tuple[int, set[str]]:
    """Run a command in a process of its own; return its exit status and the modules that it has loaded by its end."""
    told = folder / "told.json"
    program = f"""
import atexit, json, pathlib, sys
atexit.register(lambda: pathlib.Path({str(told)!r}).write_text(json.dumps([*sys.modules])))
import blackticket
sys.argv = ["blackticket", *{arguments!r}]
blackticket.main()
"""
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    ran = subprocess.run([sys.executable, "-c", program], check=False, cwd=folder, env=environ, capture_output=True)
    return ran.returncode, set(json.loads(told.read_text()))


@pytest.mark.parametrize(
    "words", ["play --help", "verify --help", "arena --help", "player add --help", "game new --help", "--help"]
)
def test_help_loads_no_library_of_the_server(words: str, tmp_path: Path):
    status, modules = loaded(tmp_path, *words.split())
    assert status == 0
    assert "server.cli" in modules
    assert not OF_THE_SERVER & modules


@pytest.mark.parametrize("words", ["play --loud", "verify", "verify not-there.json"])
def test_a_command_line_that_is_wrong_loads_no_library_of_the_server(words: str, tmp_path: Path):
    status, modules = loaded(tmp_path, *words.split())
    assert status == 2
    assert not OF_THE_SERVER & modules
