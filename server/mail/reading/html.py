"""The text of an HTML mail, with each quotation reduced to a ">"."""

import re
from collections.abc import Iterator
from typing import Protocol, Self

MAX_HTML = 400_000  # characters that are looked at; replies stand on top
MAX_TAGS = 20_000

# Of the markup only the difference between tags that break lines and others stays. Tables, lists and styles go, as
# inscriptis pads their text: a table of one long and many short cells would fill the memory.
# fmt: off
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "body", "center", "dd", "div", "dl", "dt", "fieldset",
        "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main",
        "nav", "ol", "p", "section", "table", "tbody", "tfoot", "thead", "tr", "ul",
    )
)
_DROPPED = frozenset(
    (
        "applet", "audio", "button", "canvas", "datalist", "del", "embed", "head", "iframe", "img",
        "input", "link", "map", "math", "meta", "noscript", "object", "option", "s", "script", "select",
        "strike", "style", "svg", "template", "textarea", "title", "video", "xml",
    )
)
# fmt: on
_KEPT = frozenset({"br", "pre"})
# Names that programs give to elements other than blockquote that hold a quotation, to signatures, and to the divider
# between the answer and an original without any mark.
_QUOTE = re.compile(
    r"(?:^|[-_]|block)quoted?(?:$|[-_])|^zmail_extra$|^moz-email-headers-table$|^moz-forward-container$|replysection$"
    r"|reply-?(?:mail_)?content|reference-message|^aqm-original|^_?originalcontent$|^olk_src_body_section$"
)
_SIGNATURE = re.compile(r"signature|(?:^|[-_])sign?(?:$|[-_])")
_DIVIDER = re.compile(r"^(?:divrplyfwdmsg|stopspelling|__divider__|replysplit)$")
_WORD_DIVIDER = re.compile(r"border:\s*none;\s*border-top:\s*solid")
_CUT = "-----Original Message-----"
# Properties that hide a text, each with the beginning of the value; text that is struck out counts as hidden.
_HIDING = {"display": "none", "visibility": "hidden", "mso-hide": "all"}
_MEASURES = ("opacity", "font-size", "line-height", "max-height")
_ZERO = re.compile(r"0(?![.\d])")
_XML = re.compile(r"^\s*<\?xml[^>]*>")
_PREFIX = re.compile(r"^(?:x_|ydp[0-9a-f]+)+")


def html_lines(html: str) -> list[str]:
    """Return the lines that a person sees of `html`, each quotation as one line ">".

    Quotations leave a mark, since text may follow below them; so does the beginning of an original without a mark.
    Nothing is fetched.
    """
    # Both are heavy, and most mails have plain text.
    from inscriptis.html_engine import Inscriptis  # type: ignore[import-untyped]  # noqa: PLC0415
    from lxml import html as lxml_html  # type: ignore[import-untyped]  # noqa: PLC0415

    data = _shorten(html).encode("utf-8", "replace")
    parser = lxml_html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    tree = lxml_html.document_fromstring(b"<div></div>" + data, parser=parser)
    for element in list(tree.iter()):
        _simplify(element)
    text: str = Inscriptis(tree).get_text()
    return [line.strip() for line in text.splitlines()]


def _shorten(html: str) -> str:
    html = _XML.sub("", html[:MAX_HTML])
    pieces = html.split("<", MAX_TAGS)
    return "<".join(pieces[:MAX_TAGS])


class Element(Protocol):
    """An element of a page, as lxml has it."""

    tag: str
    text: str | None
    tail: str | None
    attrib: dict[str, str]

    def __iter__(self) -> Iterator[Self]: ...
    def get(self, name: str, default: str, /) -> str: ...
    def remove(self, child: Self, /) -> None: ...
    def addnext(self, element: Self, /) -> None: ...
    def makeelement(self, tag: str, /) -> Self: ...


def _simplify(element: Element) -> None:
    if not isinstance(element.tag, str):
        return
    if _is_quotation(element):
        _empty(element, ">")
    elif _is_divider(element):
        _empty(element, _CUT)
    elif element.tag in _DROPPED or _is_hidden(element) or _is_called(element, _SIGNATURE):
        _empty(element, "")
    elif element.tag not in _KEPT:
        # A blank keeps the cells of one row apart, and an empty line a table from what stands below it.
        if element.tag in ("td", "th"):
            element.tail = " " + (element.tail or "")
        elif element.tag == "table":
            _break_after(element)
        # Around a span inscriptis puts blanks; an element of unknown kind stays part of its word.
        element.tag = "div" if element.tag in _BLOCKS else "font"
    element.attrib.clear()


def _empty(element: Element, text: str) -> None:
    for child in list(element):
        element.remove(child)
    element.tag, element.text = "div" if text else "span", text


def _break_after(element: Element) -> None:
    gap = element.makeelement("br")
    gap.tail, element.tail = element.tail, None
    element.addnext(gap)


def _is_hidden(element: Element) -> bool:
    declarations = element.get("style", "").lower().split(";")
    return "hidden" in element.attrib or any(map(_hides, declarations))


def _hides(declaration: str) -> bool:
    """Return True if a declaration of a style, such as "display: none", hides the text of its element."""
    name, _, value = (part.strip() for part in declaration.partition(":"))
    if name.endswith(tuple(_HIDING)):
        return any(name.endswith(hiding) and value.startswith(start) for hiding, start in _HIDING.items())
    if name.endswith(_MEASURES):
        return _ZERO.match(value) is not None
    return "text-decoration" in name and "line-through" in value


def _is_quotation(element: Element) -> bool:
    """Return True for a blockquote, or an element called one, unless an answer may stand beside a blockquote in it."""
    return element.tag == "blockquote" or (
        _is_called(element, _QUOTE) and not any(child.tag == "blockquote" for child in element)
    )


def _is_divider(element: Element) -> bool:
    return _is_called(element, _DIVIDER) or bool(_WORD_DIVIDER.search(element.get("style", "").lower()))


def _is_called(element: Element, pattern: re.Pattern[str]) -> bool:
    return any(map(pattern.search, _names(element)))


def _names(element: Element) -> list[str]:
    """Return the classes, id and other names of an element, without the prefixes of other programs."""
    named = " ".join(element.get(key, "") for key in ("class", "id", "name", "data-marker"))
    return [_PREFIX.sub("", name) for name in named.lower().split()]
