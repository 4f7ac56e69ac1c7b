"""Two runs of a test are one: neither modules, nor names that are hashed, nor the system's chance are in it."""

import os
import secrets
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from server.runtime.keyring import NONCE

DRAWN = """
import secrets, uuid
from hypothesis import given, settings, strategies as st

def test_drawn():
    import_more()
    found = []

    @settings(max_examples=100)
    @given(st.tuples(st.integers(), st.text("onetwhr"), st.floats(), st.binary()))
    def draw(drawn):
        found.append(repr(drawn))

    draw()
    print("DRAWN", [*found, secrets.token_hex(8), uuid.uuid4().hex, secrets.SystemRandom().random()])
"""


def drawn(folder: Path, imports: str, seed: str) -> str:
    """Return the draws of a test in a process that imports these modules and hashes strings with this seed."""
    (folder / "test_drawn.py").write_text(DRAWN.replace("import_more()", imports))
    environ = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    environ.pop("CAMPAIGN", None)
    command = [sys.executable, "-m", "pytest", "-p", "tests.chance", "-p", "tests.profiles", "-s", "--rootdir", folder]
    done = subprocess.run(
        [*command, "test_drawn.py"], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.partition("DRAWN")[2].splitlines()[0]


def test_every_run_draws_the_same_whatever_is_imported_and_however_strings_are_hashed(tmp_path: Path):
    (tmp_path / "ours.py").write_text("NUMBERS = [4711, 4712, 4713]\nWORDS = ['one', 'two', 'three']\n")
    assert drawn(tmp_path, "pass", "1") == drawn(tmp_path, "import ours", "2")


_keys: set[str] = set()


@pytest.mark.parametrize("number", range(2))
def test_each_test_has_keys_and_ids_of_its_own(number: int):
    key = secrets.token_hex(32) + uuid.uuid4().hex + os.urandom(NONCE).hex()
    assert key not in _keys
    _keys.add(key)
