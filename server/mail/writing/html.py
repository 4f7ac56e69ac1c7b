"""A mail as HTML: the same words in the same order as its text, in one column.

It is made from the text, so that both say the same, and a new kind of mail needs no HTML of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import groupby

import css_inline
from jinja2 import Environment

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
    render = _layout(pawn)
    return render(blocks=list(_blocks(rest)), seal=seal.strip(), picture=picture, **known) + "\n"


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


@lru_cache(maxsize=16)
def _layout(pawn: str) -> Callable[..., str]:
    """Return the function that renders the layout in the colour of `pawn`, with the styles inlined.

    Some programs know no others; rules for the screen size stay in the head. No style depends on the words of a mail,
    so they are inlined once.
    """
    mail = templates() / "mail"
    style = (mail / "_style.css").read_text(encoding="utf-8")
    layout = (mail / "_layout.html").read_text(encoding="utf-8").strip().replace("{{ pawn }}", pawn)
    inliner = css_inline.CSSInliner(extra_css=style, load_remote_stylesheets=False, keep_at_rules=True)
    environment = Environment(autoescape=False, finalize=_escaped)  # noqa: S701 finalize escapes
    return environment.from_string(inliner.inline(layout)).render


def _escaped(value: str) -> str:
    """Return text as HTML has it between tags."""
    return escape(value, quote=False).replace("\xa0", "&nbsp;")
