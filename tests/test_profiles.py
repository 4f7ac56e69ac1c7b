"""Two runs of a test draw the same examples: neither modules, nor how names are hashed, is in them."""

import os
import subprocess
import sys
from pathlib import Path

DRAWN = """
from hypothesis import given, settings, strategies as st

def test_drawn():
    import_more()
    found = []

    @settings(max_examples=100)
    @given(st.tuples(st.integers(), st.text("onetwhr"), st.floats(), st.binary()))
    def draw(drawn):
        found.append(repr(drawn))

    draw()
    print("DRAWN", found)
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
    command = [sys.executable, "-m", "pytest", "-p", "tests.profiles", "-s", "--rootdir", folder, "test_drawn.py"]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.partition("DRAWN")[2].splitlines()[0]


def test_every_run_draws_the_same_whatever_is_imported_and_however_strings_are_hashed(tmp_path: Path):
    (tmp_path / "ours.py").write_text("NUMBERS = [4711, 4712, 4713]\nWORDS = ['one', 'two', 'three']\n")
    assert drawn(tmp_path, "pass", "1") == drawn(tmp_path, "import ours", "2")
