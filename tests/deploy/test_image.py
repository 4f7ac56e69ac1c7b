"""The Dockerfile builds from files that exist, installs what is pinned, and runs without rights."""

import fnmatch
import re
import shutil
import subprocess

import pytest

from tests.docs.pages import ROOT, page

DOCKERFILE = page("deploy/Dockerfile").replace("\\\n", " ")
LINES = [line for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]
COPIED = [
    source
    for line in LINES
    if line.startswith("COPY ") and "--from" not in line
    for source in line.split()[1:-1]
]  # fmt: skip


def test_what_is_copied_exists_and_is_let_through_by_the_ignore_file():
    allowed = [line[1:] for line in page(".dockerignore").splitlines() if line.startswith("!")]
    assert sorted(COPIED) == sorted(allowed)
    assert all((ROOT / source).exists() for source in COPIED)
    assert "*" in page(".dockerignore").splitlines()


def test_what_the_wheel_needs_is_copied():
    wheel = page("pyproject.toml").partition("[tool.hatch.build.targets.wheel]")[2].partition("[tool.ruff]")[0]
    needed = re.findall(r'^"([\w.]+)" = ', wheel, re.MULTILINE) + re.findall(r'packages = \["(\w+)"\]', wheel)
    assert len(needed) == 5
    assert {*needed, "LICENSE", "README.md", "pyproject.toml"} <= set(COPIED)


def test_everything_is_installed_by_its_hash_and_the_wheel_without_what_it_depends_on():
    installs = re.findall(r"pip (?:install|wheel) [^&\n]*", DOCKERFILE)
    assert len(installs) == 3
    assert all("--require-hashes" in each or "--no-deps" in each for each in installs)


def test_the_driver_of_postgresql_is_taken_from_the_lock_of_the_tests_with_its_hashes():
    program = re.search(r"awk '([^']+)' requirements-dev.lock", DOCKERFILE)
    assert program is not None
    told = subprocess.run(
        ["awk", program[1], "requirements-dev.lock"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    pinned = re.findall(r"^([\w-]+)==[\d.]+ .*\\\n    --hash=sha256:", told, re.MULTILINE)
    assert pinned == ["psycopg", "psycopg-binary"]
    # What the driver needs itself is pinned for everybody.
    assert re.search(r"^typing-extensions==", page("requirements.lock"), re.MULTILINE)


def test_it_runs_as_a_user_without_rights_and_asks_itself_for_its_health():
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER \d{4,}$", last, re.MULTILINE)
    assert "http://127.0.0.1:8000/healthz" in last.partition("HEALTHCHECK")[2]
    assert 'CMD ["serve"]' in last
    assert fnmatch.fnmatch(LINES[0], "FROM python:3.*-slim@sha256:* AS build")


def test_hadolint_finds_nothing():
    hadolint = shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint not installed: it is a single program, from the releases of hadolint/hadolint")
    told = subprocess.run(
        [hadolint, "deploy/Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (told.returncode, told.stdout) == (0, "")
