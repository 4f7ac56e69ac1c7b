"""The wheel: what is in it, and that it works without the repository."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the wheel is unpacked, which is all that its installation does."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    target = folder / "installed"
    zipfile.ZipFile(next(folder.glob("*.whl"))).extractall(target)
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
    assert "was brought to" in ran(installed, "-m", "blackticket", "db", "upgrade").stdout
    pages = (
        "from blackticket.wsgi import app; c = app.test_client(); "
        "print([c.get(p).status_code for p in ('/', '/docs/mail', '/style.css', '/openapi.json')])"
    )
    told = ran(installed, "-c", pages)
    assert told.stdout.strip() == "[200, 200, 200, 200]", told.stderr
