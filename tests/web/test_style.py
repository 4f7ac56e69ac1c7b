"""The stylesheet: type, spacing and colours stand as tokens in its first rule, and nowhere else."""

import re

import pytest
from PIL import ImageFont

from server.vocabulary.resources import templates
from server.vocabulary.translation import languages, speaking
from server.web import guides

RULES = re.compile(r"([{;]\s*)([\w-]+): ([^;{}]+)")
LENGTH = re.compile(r"(?<![\w-])\d*\.?\d+(?:r?em|px|pt|%|ch)")
IN_TOKENS = {
    "type": (r"font|font-size|line-height", re.compile(r"(?<![\w-])\.?\d")),
    "spacing": (r"(?:scroll-)?(?:margin|padding)(?:-\w+)?|(?:row-|column-)?gap|border-radius", LENGTH),
    "sizes": (r".+", re.compile(r"(?<![\w-])\d*\.?\d+(?:r?em|px|pt|ch)")),
    "colours": (r".+", re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklab)a?\(", re.I)),
}
ROUND = {f"{name}: 50%" for name in ("border-radius", "rotate")}  # a circle


def style() -> str:
    return (templates() / "web" / "style.css").read_text()


def declarations() -> list[tuple[str, str]]:
    """Return the declarations behind the tokens, which are in `:root`: a property and its value."""
    rest = re.sub(r"/\*.*?\*/|:root \{[^}]*\}", "", style(), flags=re.DOTALL)
    return [(name, value) for _, name, value in RULES.findall(rest)]


@pytest.mark.parametrize("kind", IN_TOKENS)
def test_what_is_a_matter_of_design_is_a_token(kind: str):
    names, literal = IN_TOKENS[kind]
    said = [f"{name}: {value}" for name, value in declarations() if re.fullmatch(names, name)]
    assert len(said) > 20
    assert [each for each in said if each not in ROUND and literal.search(each.partition(": ")[2])] == []


def test_every_token_that_is_used_is_there_and_none_is_left_over():
    defined = set(re.findall(r"[{;\s](--[\w-]+): ", style()))
    by_script = {"--across", "--down", "--at"}  # the shape of a board, and where a line of the coach points
    assert set(re.findall(r"var\((--[\w-]+)", style())) - by_script == defined


@pytest.mark.parametrize("language", languages())
def test_the_font_of_headings_has_the_letters_of_the_language(language: str):
    font = ImageFont.truetype(templates() / "web" / "heading.woff2", 40)

    def drawn(letter: str) -> tuple[tuple[int, int], bytes]:
        mask = font.getmask(letter)
        return mask.size, bytes(mask)

    with speaking(language):
        said = {letter for name in guides.names() for _, _, text in guides.guide(name).headings for letter in text}
    assert [letter for letter in sorted(said) if drawn(letter) == drawn("Ж")] == []
