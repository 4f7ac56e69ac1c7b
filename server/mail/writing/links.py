"""Links: to the pages, and such as write a mail with a move or an answer in it, which the reader only has to send.

Quoted in an answer, a link of the second kind is no command: it has no blanks.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from server.application.game import reply_addresses
from server.application.game.reply_addresses import PrintedToken
from server.application.mail import presses
from server.mail.writing import sentences
from server.mail.writing.html import Choice, Choices, Words
from server.runtime import runtime
from server.vocabulary.labels import LABELS, name_of


def of_choices(known: Mapping[str, Any], token: PrintedToken | None, subject: str) -> list[Choices]:
    """Return the lists of choices of a mail, one for each pawn that can move, with a link for each station.

    `known` is the template context. There are no links where the token of the answer is not in its address alone, as
    a link cannot hold a name.
    """
    if token is None or token.written != token.address or "view" not in known:
        return []
    facts = known["view"]["pawns"]
    begin = f"{_to(token.address)}?subject={quote(f'Re: {subject}', safe='')}&body="
    is_only = len(known["mine"]) == 1
    return [
        Choices(
            sentences.heading_of_choices(pawn, facts[pawn]["station"], is_only=is_only),
            [
                Choice(choice.line, {station: begin + _quoted(str(move)) for station, move in choice.moves.items()})
                for choice in sentences.choices(moves, facts[pawn]["tickets"])
            ],
        )
        for pawn, moves in known["mine"].items()
        if moves
    ]


def pressed(
    text: str, token: PrintedToken | None, offer: str | None, subject: str
) -> tuple[str, Mapping[str, Sequence[Words]]]:
    """Return the text of a mail with a link behind each label that `sentences.press` has put there.

    Also return each such line as HTML has it: the label leads to a page, and a second link writes the answer. Where
    pages have no address the label does that. Lines without any link are left out. `offer` is the id of an answer to
    somebody without an account.
    """
    lines, as_html = [], {}
    for line in text.split("\n"):
        label, mark, _ = line.removeprefix(" - ").partition(sentences.PRESSED)
        if not mark:
            lines.append(line)
        elif links := _links_of(label, token, offer, subject):
            (page, short), mailto = links
            written = f'"{label}": {page or short}'  # in quotation marks, as "play now" would be a command
            lines.append(f" - {written}")
            other = [Words("or ")] if page else []
            beside = [Words(" ("), *other, Words("by mail", mailto if page else ""), Words(")")] if mailto else []
            as_html[written] = [Words(label, page or mailto), *beside]
    return "\n".join(lines), as_html


def _links_of(
    label: str, token: PrintedToken | None, offer: str | None, subject: str
) -> tuple[tuple[str, str], str] | None:
    """Return the page of a label, what writes its word, and the same with a subject; None where there is none of it."""
    address = token.address if token else reply_addresses.offer_address(offer)[1] if offer else ""
    is_whole = token is None or token.written == token.address
    short = f"{_to(address)}?body={LABELS[label]}" if address and is_whole else ""
    mailto = f"{_to(address)}?subject={quote(f'Re: {subject}', safe='')}&body={LABELS[label]}" if short else ""
    page = f"{site()}/answer/{presses.link_token(token)}/{name_of(label)}" if token and site() else ""
    return ((page, short), mailto) if page or mailto else None


def _to(address: str) -> str:
    return f"mailto:{quote(address, safe='@')}"


@lru_cache(maxsize=2048)
def _quoted(move: str) -> str:
    return quote(move, safe="")


def site() -> str | None:
    """Return the URL at which the pages are, without a slash at its end; None where mails hold no links."""
    url = runtime().settings.public_url
    return url.rstrip("/") if url else None


def verifier() -> str | None:
    """Return the URL of the file that checks a transcript; None where mails hold no links."""
    return f"{site()}/verifier.py" if site() else None
