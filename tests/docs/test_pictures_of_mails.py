"""The pictures of mails in the documentation: all of them are there, small, and shown."""

from docs.images.photograph_mails import FOLDER, LARGEST, NAMES
from tests.docs.pages import page


def test_each_picture_of_a_mail_is_small_and_shown_in_the_documentation():
    sizes = {path.stem: path.stat().st_size for path in FOLDER.iterdir()}
    assert sizes.keys() == NAMES
    assert not [name for name, size in sizes.items() if size >= LARGEST]
    shown = page("docs/mail.md")
    assert [name for name in sorted(NAMES) if f"(images/mails/{name}.png)" not in shown] == []
