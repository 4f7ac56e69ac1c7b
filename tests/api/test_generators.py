"""Programs that make a client of the OpenAPI document read the whole of it; each is tried where it is installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from server.vocabulary.resources import docs

DOCUMENT = docs() / "openapi.json"
PYTHON, TYPESCRIPT = "openapi-python-client", "openapi-typescript"


@pytest.mark.skipif(shutil.which(TYPESCRIPT) is None, reason="npm install -g openapi-typescript")
def test_openapi_typescript_makes_types_without_unknowns(tmp_path: Path):
    made = tmp_path / "api.d.ts"
    subprocess.run([TYPESCRIPT, DOCUMENT, "-o", made], check=True, capture_output=True)
    text = made.read_text()
    assert "makeMove: {" in text
    assert not re.search(r"& \(?unknown|unknown [&|]", text), "a condition was read as a type"


@pytest.mark.skipif(shutil.which(PYTHON) is None, reason="pipx install openapi-python-client")
def test_openapi_python_client_leaves_out_nothing_but_pictures(tmp_path: Path):
    command = [PYTHON, "generate", "--path", DOCUMENT, "--meta", "none", "--output-path", tmp_path / "made"]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    left_out = re.findall(r"parsing (\w+ \S+) within", told.stdout + told.stderr)
    assert {path.rpartition("/")[2] for path in left_out} <= {"board.svg", "board.png"}
    assert (tmp_path / "made" / "api" / "moves" / "make_move.py").exists()
