"""A mail as HTML: the same words in the same order as its text, in one column.

It is made from the text, so that both say the same, and a new kind of mail needs no HTML of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import css_inline
from flask import render_template

from server.resources import templates

ITEM = " - "


@dataclass(frozen=True)
class Block:
    """Lines of one `kind`: `paragraph` (one line), `list`, or `quote` (the words of a person)."""

    kind: str
    lines: Sequence[str]


def page(text: str, *, marker: str, pawn: str, seal: str = "", picture: str | None = None) -> str:
    """Return the HTML of a mail whose text, not yet wrapped, is `text`; `seal` is its last line.

    The part of the first line before `marker` is the heading. `pawn`, of the reader, gives the colour; `picture` is the
    cid of a picture of the board.
    """
    first, _, rest = text.strip().partition("\n")
    heading, _, after = first.partition(marker)
    known = {"heading": heading.strip(), "marker": marker if after or first.endswith(marker) else ""}
    made = render_template(
        "mail/_layout.html", blocks=list(_blocks(rest)), pawn=pawn, seal=seal.strip(), picture=picture, **known
    )
    return f"{_inliner().inline(made)}\n"


def _blocks(text: str) -> Iterator[Block]:
    lines = [line.strip("\n") for line in text.split("\n") if line.strip()]
    for kind, group in groupby(lines, _kind):
        found = [line.removeprefix(ITEM) for line in group]
        yield from [Block(kind, [line]) for line in found] if kind == "paragraph" else [Block(kind, found)]


def _kind(line: str) -> str:
    if line.startswith(ITEM):
        return "list"
    is_quoted = line.startswith('"') and line.endswith('"')
    return "quote" if is_quoted else "paragraph"


@cache
def _inliner() -> css_inline.CSSInliner:
    """Return the inliner of styles, as some programs know no others; rules for the screen size stay in the head."""
    style = (templates() / "mail" / "_style.css").read_text(encoding="utf-8")
    return css_inline.CSSInliner(extra_css=style, load_remote_stylesheets=False, keep_at_rules=True)
