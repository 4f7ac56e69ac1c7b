"""The hand-written guides, from Markdown to pages.

They are in English in `docs`; those of another language are in a folder of its code, with the same names and headings.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from server.engine import Board
from server.vocabulary.resources import docs
from server.vocabulary.translation import ENGLISH, current

if TYPE_CHECKING:
    from markdown_it.token import Token

# It logs every step of its parsing.
logging.getLogger("markdown_it").setLevel(logging.INFO)
# In the order in which a newcomer reads them; the others come behind.
ORDER = (
    "how-to-play", "browser", "first-game", "mail", "mail-reference", "deadlines", "promises", "seal", "api",
    "endpoints", "bots", "webhooks", "built-in-bots", "engine", "hosting", "operating", "operating-reference", "sizing",
    "settings", "commands", "secrets", "data", "rules",
)  # fmt: skip
# Who reads a guide, by how its first sentence begins; all others are for those who write programs.
READERS = {"players": "For players", "operators": "For operators"}
# A board to print, of which the server shows each language at one path.
_MAP = re.compile(rf"(maps/(?:{'|'.join(Board.names())}))(?:-\w\w)?(\.pdf)")


@dataclass(frozen=True)
class Guide:
    """A page: its language, title, first paragraph as plain text, headings with their ranks, and all of it as HTML."""

    name: str
    language: str
    title: str
    about: str
    headings: Sequence[tuple[str, str, str]]
    html: str

    @property
    def reader(self) -> str:
        """Return for whom the guide is: players, operators or programmers."""
        about = _guide(self.name, ENGLISH).about
        return next((reader for reader, begins in READERS.items() if about.startswith(begins)), "programmers")


@cache
def names() -> tuple[str, ...]:
    found = sorted(path.stem for path in docs().glob("*.md"))
    return tuple(sorted(found, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER)))


def guide(name: str) -> Guide:
    """Return the guide of that name, which must be one of `names`, in the current language, or else in English."""
    return _guide(name, current() if (docs() / current() / f"{name}.md").is_file() else ENGLISH)


@cache
def _guide(name: str, language: str) -> Guide:
    from markdown_it import MarkdownIt  # noqa: PLC0415 a megabyte, for who reads guides

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    folder = docs() if language == ENGLISH else docs() / language
    tokens = markdown.parse((folder / f"{name}.md").read_text(encoding="utf-8"))
    headings = _headings(tokens)
    if language != ENGLISH:
        _add_anchors(tokens, [anchor for _, anchor, _ in _guide(name, ENGLISH).headings])
    for token in tokens:
        _link_among_pages(token.children or [])
    _prepare_for_phones(tokens)
    body = tokens[3:] if tokens[:1] and tokens[0].tag == "h1" else tokens  # the page has its heading already
    html = markdown.renderer.render(body, markdown.options, {})
    # A wide table scrolls in its own box, and not the page with it; so does code. By keyboard, too.
    html = html.replace("<table", '<div class="wide" tabindex="0"><table').replace("</table>", "</table></div>")
    html = html.replace("<pre>", '<pre tabindex="0">')
    title = next((said for rank, _, said in headings if rank == "h1"), name)
    about = next((_plain(inline) for opening, inline in pairwise(tokens) if opening.type == "paragraph_open"), "")
    return Guide(name, language, title, about, headings, html)


def _headings(tokens: Sequence["Token"]) -> list[tuple[str, str, str]]:
    """Set the anchors of the headings; return (rank, anchor, text) of each."""
    found: list[tuple[str, str, str]] = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            said = _plain(inline)
            anchor = re.sub(r"[^\w\- ]", "", said.lower()).replace(" ", "-")
            opening.attrSet("id", anchor)
            found.append((opening.tag, anchor, said))
    return found


def _add_anchors(tokens: Sequence["Token"], anchors: Iterable[str]) -> None:
    """Give the headings these anchors as well: what leads to the guide in English leads to them."""
    from markdown_it.token import Token  # noqa: PLC0415 as above

    inlines = (inline for opening, inline in pairwise(tokens) if opening.type == "heading_open")
    for inline, anchor in zip(inlines, anchors, strict=True):
        place = Token("html_inline", "", 0, content=f'<span id="{anchor}"></span>')
        inline.children = [place, *(inline.children or [])]


def _prepare_for_phones(tokens: Sequence["Token"]) -> None:
    """Give each cell the heading of its column, and each wide table its class.

    On a phone the cells of three or four columns stand below each other, each behind its heading (`cards`); a table
    with more columns is scrolled (`columns`).
    """
    table: Token | None = None
    heads: list[str] = []
    column = 0
    for token, content in pairwise(tokens):
        if token.type == "table_open":
            table, heads = token, []
        elif token.type == "th_open":
            heads.append(_plain(content))
        elif token.type == "tr_open":
            column = 0
        elif token.type == "td_open":
            token.attrSet("data-head", heads[column])
            column += 1
        elif token.type == "thead_close" and table and len(heads) > 2:  # two columns fit on a phone
            table.attrSet("class", "cards" if len(heads) < 5 else "columns")


def _plain(inline: "Token") -> str:
    return "".join(" " if part.type == "softbreak" else part.content for part in inline.children or [])


def _link_among_pages(parts: Sequence["Token"]) -> None:
    """Turn links to other guides into links to their pages, and other links into the repository into text."""
    for part in parts:
        if part.type == "link_open":
            part.attrs["href"] = target = _target(str(part.attrs["href"]))
            if not target:
                part.tag, part.attrs = "span", {}
        elif part.type == "link_close" and _opening(parts, part).tag == "span":
            part.tag = "span"


def _opening(parts: Sequence["Token"], closing: "Token") -> "Token":
    before = list(parts)[: list(parts).index(closing)]
    return next(part for part in reversed(before) if part.type == "link_open")


def _target(href: str) -> str:
    """Return the target of a guide's link on the pages, or an empty text if nothing there is the target."""
    if href.startswith(("#", "https://", "http://")):
        return href
    href = href.removeprefix("../")  # of a guide in another language
    if board := _MAP.fullmatch(href):
        return f"/{board[1]}{board[2]}"
    file, _, anchor = href.partition("#")
    name = file.removesuffix(".md")
    return f"{name}{'#' if anchor else ''}{anchor}" if name in names() else ""


def inline(text: str) -> str:
    """Return a sentence with code between backticks as HTML."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
