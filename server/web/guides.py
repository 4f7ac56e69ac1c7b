"""The hand-written guides, from Markdown to pages."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from server.resources import docs

# It tells every step of its parsing, and a page is parsed once.
logging.getLogger("markdown_it").setLevel(logging.INFO)
# In the order in which somebody new would read them; what is not named comes behind.
ORDER = (
    "first-game", "mail", "rules", "api", "bots", "webhooks", "deadlines", "seal", "built-in-bots", "engine", "mailbox",
    "own-domain", "operating", "settings", "commands",
)  # fmt: skip


@dataclass(frozen=True)
class Guide:
    """A page: its heading, its first paragraph as plain text, its second-rank headings, and all of it as HTML."""

    name: str
    title: str
    about: str
    headings: Sequence[tuple[str, str]]
    html: str


@cache
def names() -> tuple[str, ...]:
    """The names of all guides."""
    found = sorted(path.stem for path in docs().glob("*.md"))
    return tuple(sorted(found, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER)))


@cache
def guide(name: str) -> Guide:
    """The guide of that name, which must be one of `names`."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse((docs() / f"{name}.md").read_text(encoding="utf-8"))
    headings = _headings(tokens)
    for token in tokens:
        _link_among_pages(token.children or [])
    body = tokens[3:] if tokens[:1] and tokens[0].tag == "h1" else tokens  # the page has its heading already
    html = markdown.renderer.render(body, markdown.options, {})
    # A wide table is moved aside by itself, and not the page with it.
    html = html.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    title = next((said for rank, _, said in headings if rank == "h1"), name)
    about = next((_plain(inline) for opening, inline in pairwise(tokens) if opening.type == "paragraph_open"), "")
    second = [(anchor, said) for rank, anchor, said in headings if rank == "h2"]
    return Guide(name, title, about, second, html)


def _headings(tokens: Sequence[Token]) -> list[tuple[str, str, str]]:
    """(rank, anchor, text) of each heading; the anchors are set."""
    found: list[tuple[str, str, str]] = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            said = _plain(inline)
            anchor = re.sub(r"[^\w\- ]", "", said.lower()).replace(" ", "-")
            opening.attrSet("id", anchor)
            found.append((opening.tag, anchor, said))
    return found


def _plain(inline: Token) -> str:
    return "".join(" " if part.type == "softbreak" else part.content for part in inline.children or [])


def _link_among_pages(parts: Sequence[Token]) -> None:
    """Links to other guides lead to their pages; what lies elsewhere in the repository is named without a link."""
    for part in parts:
        if part.type == "link_open":
            part.attrs["href"] = target = _target(str(part.attrs["href"]))
            if not target:
                part.tag, part.attrs = "span", {}
        elif part.type == "link_close" and _opening(parts, part).tag == "span":
            part.tag = "span"


def _opening(parts: Sequence[Token], closing: Token) -> Token:
    before = list(parts)[: list(parts).index(closing)]
    return next(part for part in reversed(before) if part.type == "link_open")


def _target(href: str) -> str:
    """Where a link of a guide leads on a page beside it; empty where there is nothing to lead to."""
    if href.startswith(("#", "https://", "http://")):
        return href
    file, _, anchor = href.partition("#")
    name = file.removesuffix(".md")
    return f"{name}{'#' if anchor else ''}{anchor}" if name in names() else ""


def inline(text: str) -> str:
    """A sentence with code between backticks, as HTML."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
