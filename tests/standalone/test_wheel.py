"""The wheel: what is in it, and that it works without the repository."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MANUAL = "data/share/man/man1/blackticket.1"
# As `python -m blackticket db upgrade` would, and then some pages.
UPGRADE_AND_ASK = """
import contextlib, runpy, sys
sys.argv = ["blackticket", "db", "upgrade"]
with contextlib.suppress(SystemExit):
    runpy.run_module("blackticket", run_name="__main__")
from blackticket.wsgi import app
client = app.test_client()
pages = ("/", "/docs/mail", "/style.css", "/openapi.json", "/client.py", "/verifier.py")
print([client.get(page).status_code for page in pages])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """Return a folder in which the wheel is unpacked, which is nearly all that its installation does."""
    target = wheel.parent / "installed"
    zipfile.ZipFile(wheel).extractall(target)
    return target


def ran(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Return what Python says with the wheel and the dependencies, without the `.pth` that leads to this checkout."""
    paths = os.pathsep.join((str(installed), sysconfig.get_path("purelib")))
    return subprocess.run(
        [sys.executable, "-S", *words], cwd=installed.parent, env=os.environ | {"PYTHONPATH": paths},
        check=False, capture_output=True, text=True,
    )  # fmt: skip


def test_nothing_but_blackticket_is_at_the_top(installed: Path):
    assert {path.name.partition("-")[0] for path in installed.iterdir()} == {"blackticket"}


def test_the_code_that_runs_is_that_of_the_wheel(installed: Path):
    told = ran(installed, "-c", "import blackticket, server.engine; print(server.engine.__file__)")
    assert told.stdout.startswith(str(installed)), told.stderr


def test_the_command_makes_a_database_and_has_its_templates_and_guides(installed: Path):
    told = ran(installed, "-c", UPGRADE_AND_ASK)
    upgraded, asked = told.stdout.splitlines() or ("", "")
    assert "a new one was made" in upgraded, told.stderr
    assert asked == str([200] * 6), told.stderr


def test_the_programs_of_players_come_with_it(installed: Path):
    for name in ("client", "verifier"):
        program = f"from blackticket.standalone import {name}; print({name}.__file__)"
        told = ran(installed, "-c", program)
        assert told.stdout.strip() == str(installed / "blackticket" / "standalone" / f"{name}.py"), told.stderr
    for words, line in (
        (("play",), "Put your token"),
        (("verify", "nowhere.json"), "nowhere.json"),
        (("demo", "--help"), "Play a whole game"),
    ):
        told = ran(installed, "-m", "blackticket", *words)
        assert line in told.stdout + told.stderr


def test_the_manual_page_and_the_command_are_where_an_installation_puts_them(installed: Path):
    (data,) = installed.glob("*.data")
    assert [str(path.relative_to(data)) for path in data.rglob("*") if path.is_file()] == [MANUAL]
    (entries,) = installed.glob("*.dist-info/entry_points.txt")
    assert "[console_scripts]\nblackticket = blackticket:main" in entries.read_text()


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_finds_the_manual_page_beside_the_command(wheel: Path, tmp_path: Path):
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-compile",
        "--no-index",
        "--ignore-installed",
        "--prefix",
        str(tmp_path),
    ]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    assert (tmp_path / "bin" / "blackticket").exists()
    path = os.pathsep.join((str(tmp_path / "bin"), os.environ["PATH"]))
    told = subprocess.run(
        ["man", "--where", "blackticket"], env={"PATH": path}, check=True, capture_output=True, text=True
    )  # fmt: skip
    assert told.stdout.strip() == str(tmp_path / "share" / "man" / "man1" / "blackticket.1")
