"""The pictures of mails in the documentation: all of them are there, small, and shown."""

import re

import pytest

from docs.images.photograph_mails import BY_LANGUAGE, FOLDER, LARGEST, path_of
from server.vocabulary.translation import ENGLISH
from tests.docs.pages import page


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_each_picture_of_a_mail_is_small_and_shown_in_the_guide_of_its_language(language: str):
    sizes = {path.stem: path.stat().st_size for path in path_of(FOLDER, language, "").parent.glob("*.png")}
    assert sizes.keys() == BY_LANGUAGE[language]
    assert not [name for name, size in sizes.items() if size >= LARGEST]
    guide, images = (
        ("mail", "images/mails") if language == ENGLISH else (f"{language}/mail", f"../images/mails/{language}")
    )
    assert sorted(re.findall(rf"\({images}/([\w-]+)\.png\)", page(f"docs/{guide}.md"))) == sorted(sizes)
