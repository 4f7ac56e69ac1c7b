"""The pictures of mails in the documentation: all of them are there, small, and shown."""

from pathlib import Path

from tests.mail.pictures import FOLDER, LARGEST, NAMES

PAGE = Path(__file__).parents[2] / "docs" / "mail.md"


def test_each_picture_of_a_mail_is_small_and_shown_in_the_documentation():
    sizes = {path.stem: path.stat().st_size for path in FOLDER.iterdir()}
    assert sizes.keys() == NAMES
    assert not [name for name, size in sizes.items() if size >= LARGEST]
    page = PAGE.read_text("utf-8")
    assert [name for name in sorted(NAMES) if f"(images/mails/{name}.png)" not in page] == []
