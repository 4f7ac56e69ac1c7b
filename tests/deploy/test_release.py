"""What a release is built from: workflows and images that nobody can change behind our back."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, page

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = page(".github/workflows/release.yml")
PINNED_ACTION = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")
PINNED_IMAGE = re.compile(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_named_by_its_commit_and_its_version_stands_beside_it(path: Path):
    used = re.findall(r"uses: (.*)", path.read_text())
    assert used
    assert [each for each in used if not PINNED_ACTION.fullmatch(each)] == []


def test_every_image_is_named_by_its_digest():
    bases = re.findall(r"^FROM (\S+)", page("deploy/Dockerfile"), re.MULTILINE)
    files = [page(f"deploy/{name}") for name in ("compose.yaml", "compose-postgresql.yaml")]
    images = [image for file in files for image in re.findall(r"image: (\S+)", file) if image != "blackticket"]
    assert (len(bases), len(images)) == (2, 3)
    assert [each for each in (*bases, *images) if not PINNED_IMAGE.fullmatch(each)] == []
    assert len({*bases, *images}) == 3, "each image has one digest"


def test_a_tag_builds_the_wheel_the_image_and_what_is_in_them():
    assert 'tags: ["v*"]' in RELEASE
    (target,) = re.findall(r"run: make (\w+)$", RELEASE, re.MULTILINE)
    recipe = re.search(rf"^{target}: .*\n((?:\t.*\n)+)", page("Makefile"), re.MULTILINE)
    assert recipe is not None
    assert " wheel --no-deps " in recipe[1]
    assert "requirements.lock" in recipe[1].partition("cyclonedx-py requirements ")[2]
    assert "buildx build --file deploy/Dockerfile" in RELEASE
    assert "--sbom=true" in RELEASE
