"""A mail as HTML: the same words in the same order as its text, in one column.

It is made from the text, so that both say the same, and a new kind of mail needs no HTML of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

import css_inline
from jinja2 import Environment
from markupsafe import Markup

from server.mail.writing.sentences import is_in_marks
from server.mail.writing.wrapping import FOLD
from server.vocabulary.resources import templates
from server.vocabulary.translation import current
from server.vocabulary.words import marks

ITEM = " - "


class Words(NamedTuple):
    """A part of a line, and the address that it links to, if any; `kind` is that of an item that it begins."""

    text: str
    href: str = ""
    kind: str = "link"


@dataclass(frozen=True)
class Block:
    """Lines of one `kind`: `paragraph` (one line), `list`, or `quote` (the words of a person).

    A line with links comes in its parts.
    """

    kind: str
    lines: Sequence[str | Sequence[Words]]


class Picture(NamedTuple):
    """A picture in a mail: the cid of its attachment, and the words for it."""

    cid: str
    alt: str


class Choice(NamedTuple):
    """An item of a list of moves with one kind of ticket, its stations in words, and the links of these moves."""

    line: str
    ticket: str
    stations: str
    hrefs: Mapping[int, str]


class Choices(NamedTuple):
    """The list of moves of one pawn, which stands below the line `heading`."""

    heading: str
    items: Sequence[Choice]


def page(
    text: str, *, marker: str, pawn: str, seal: str = "", pictures: Sequence[Picture] = (),
    choices: Sequence[Choices] = (), pressed: Mapping[str, Sequence[Words]] = MappingProxyType({}),
) -> str:  # fmt: skip
    """Return the HTML of a mail whose text, not yet wrapped, is `text`; `seal` is its last line.

    The part of the first line before `marker` is the heading. `pawn`, of the reader, gives the colour. What stands
    behind `FOLD` is smaller, below the pictures. Of `choices` those that the text lists get links, in its order; items
    in `pressed` are shown as the words there.
    """
    first, _, rest = text.strip().partition("\n")
    heading, _, after = first.partition(marker)
    upper, _, lower = rest.partition(FOLD)
    left = list(choices)
    known = {
        "heading": heading.strip(), "marker": marker if after or first.endswith(marker) else "",
        "upper": list(_blocks(upper, left, pressed)), "lower": list(_blocks(lower, left, pressed)),
    }  # fmt: skip
    render = _layout(pawn)
    return render(seal=seal.strip(), pictures=pictures, language=current(), **known) + "\n"


def _blocks(text: str, choices: list[Choices], pressed: Mapping[str, Sequence[Words]]) -> Iterator[Block]:
    """Return the blocks of a text; the choices that are listed in it are taken from `choices`."""
    lines = [line.strip("\n") for line in text.split("\n") if line.strip()]
    listed: Sequence[Choice] = ()
    for kind, group in groupby(lines, _kind):
        of_kind = list(group)
        said = [line.removeprefix(ITEM) for line in of_kind]
        found = [pressed[line] if line in pressed else _words(line, kind, listed) for line in said]
        listed = _below(of_kind[-1], choices) if kind == "paragraph" else ()
        yield from [Block(kind, [line]) for line in found] if kind == "paragraph" else [Block(kind, found)]


def _below(heading: str, choices: list[Choices]) -> Sequence[Choice]:
    """Take the first of `choices` that has this heading."""
    i = next((i for i, offered in enumerate(choices) if offered.heading == heading.strip()), None)
    return choices.pop(i).items if i is not None else ()


def _words(line: str, kind: str, listed: Sequence[Choice]) -> str | list[Words]:
    """Return a line as it is, or in parts of which the stations of a choice are links, or a URL of ours at its end.

    Words of people stand in quotation marks, so no URL of theirs ends a line.
    """
    if kind in ("paragraph", "list") and (match := _LINK.fullmatch(line)) and not any(mark in line for mark in marks()):
        return [Words(match[1]), Words(match[2], match[2])]
    choice = next((choice for choice in listed if choice.line == line), None) if kind == "list" else None
    if choice is None:
        return line
    if not choice.stations:
        return [Words(line, kind="ticket a")]
    before, stations, after = line.partition(choice.stations)
    parts = [Words(part, choice.hrefs[int(part)] if part.isdigit() else "") for part in _NUMBER.split(stations)]
    return [Words(before, kind=f"ticket {choice.ticket}"), *parts, Words(after)]


_NUMBER = re.compile(r"(\d+)")
_LINK = re.compile(r"(.*: )(https?://[^\s<>]+)")


def _kind(line: str) -> str:
    if line.startswith(ITEM):
        return "list"
    return "quote" if is_in_marks(line) else "paragraph"


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
    """Return text as HTML has it between tags; what a macro of the layout made is HTML already."""
    return value if isinstance(value, Markup) else escape(value, quote=False).replace("\xa0", "&nbsp;")
