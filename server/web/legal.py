"""The imprint and the privacy page, with text of the operator's own in a small subset of Markdown."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from flask import Response, render_template

from server.runtime import legal_texts, runtime
from server.vocabulary.translation import gettext
from server.web import guides
from server.web.static_files import static

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINKS = ("http://", "https://", "mailto:")
_BARE = re.compile(r"https?://[^\s<>\"]*[^\s<>\".,;:!?)]|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_LOWER = {"h1": "h2", "h2": "h3", "h3": "h4"}  # below the heading of the page


def imprint() -> Response:
    """Show who runs this server, in the operator's words."""
    return static(_page("imprint", gettext("Imprint")))


def privacy() -> Response:
    """Show what this server stores: in the operator's words, or as the guide says if there are none."""
    return static(_page("privacy", gettext("Privacy"), guides.guide("data")))


def _page(name: str, title: str, guide: guides.Guide | None = None) -> str:
    text = legal_texts.read(name)
    html = as_html(text) if text is not None else _in_docs(guide.html) if guide else ""
    known = {"is_own": text is not None, "guide": guide, "push": runtime().settings.push}
    return render_template("web/legal.html", name=name, title=title, html=html, **known)


@lru_cache(len(legal_texts.NAMES))
def as_html(text: str) -> str:
    """Return a text of the operator's as HTML: paragraphs, headings, lists and links; anything else stays text.

    It is kept until the text changes: one of nothing but opening brackets takes seconds.
    """
    from markdown_it import MarkdownIt  # noqa: PLC0415 a megabyte, for who reads guides

    markdown = MarkdownIt("zero", {"html": False, "breaks": True})
    tokens = markdown.enable(["heading", "list", "newline", "link", "autolink", "entity"]).parse(text)
    for token in tokens:
        token.tag = _LOWER.get(token.tag, token.tag)
        token.children = _linked(token.children or []) if token.type == "inline" else token.children
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _linked(parts: list["Token"]) -> list["Token"]:
    """Return the parts of a line with its bare addresses as links, and without links to anything but sites and mail."""
    found: list[Token] = []
    closed_as = "a"
    is_inside = False
    for part in parts:
        if part.type == "link_open":
            is_inside = True
            closed_as = "a" if str(part.attrs["href"]).startswith(_LINKS) else "span"
            part.tag, part.attrs = closed_as, part.attrs if closed_as == "a" else {}
        elif part.type == "link_close":
            is_inside, part.tag = False, closed_as
        found += [part] if part.type != "text" or is_inside else _with_links(part.content)
    return found


def _with_links(text: str) -> list["Token"]:
    from markdown_it.token import Token  # noqa: PLC0415 as above

    found: list[Token] = []
    at = 0
    for match in _BARE.finditer(text):
        href = match[0] if match[0].startswith("http") else f"mailto:{match[0]}"
        opening = Token("link_open", "a", 1, attrs={"href": href})
        before, said = Token("text", "", 0, content=text[at : match.start()]), Token("text", "", 0, content=match[0])
        found += [before, opening, said, Token("link_close", "a", -1)]
        at = match.end()
    return [*found, Token("text", "", 0, content=text[at:])]


def _in_docs(html: str) -> str:
    """Return the HTML of a guide for a page that does not lie beside the guides."""
    return re.sub(r'href="(?![#/]|https?:)', 'href="/docs/', html)
