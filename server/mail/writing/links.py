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
from server.vocabulary.labels import AUDIENCES, name_of
from server.vocabulary.translation import gettext

LONGEST_BODY = 1_200  # characters of what a link writes; longer ones some mail programs do not open


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
    choices = []
    for pawn, moves in known["mine"].items():
        items = []
        for line, ticket, stations, by_station in sentences.choices(moves, facts[pawn]["tickets"]):
            hrefs = {station: begin + _quoted(sentences.typed(str(move))) for station, move in by_station.items()}
            items.append(Choice(line, ticket, stations, hrefs))
        if moves:
            choices.append(Choices(sentences.heading_of_choices(pawn, facts[pawn]["station"], is_only=is_only), items))
    return choices


def pressed(
    text: str, token: PrintedToken | None, talk: PrintedToken | None, offer: str | None, subject: str
) -> tuple[str, Mapping[str, Sequence[Words]]]:
    """Return the text of a mail with a link behind each answer that `sentences.press` has put there.

    Also return each such line as HTML has it: what is shown leads to a page, and a second link writes the answer. Where
    pages have no address the first does that. Lines without any link are left out. `talk` is the token of words that
    were kept, and `offer` the id of an answer to somebody without an account.
    """
    address = token.address if token else reply_addresses.offer_address(offer)[1] if offer else ""
    is_whole = token is None or token.written == token.address
    lines, as_html = [], {}
    for line in text.split("\n"):
        shown, *parts = line.removeprefix(" - ").split(sentences.PRESSED)
        if not parts:
            lines.append(line)
            continue
        label, body = parts[0], f"body={_quoted(parts[1])}"
        of_page = talk if label in AUDIENCES else token
        page = f"{site()}/answer/{presses.link_token(of_page)}/{name_of(label)}" if of_page and site() else ""
        to = _to(address) if address and is_whole and len(body) <= LONGEST_BODY else ""
        if page or to:
            # As "play now" would be a command.
            named = shown if sentences.is_in_marks(shown) else sentences.quoted(shown)
            written = f"{named}: {page or f'{to}?{body}'}"
            lines.append(f" - {written}")
            mailto = f"{to}?subject={quote(f'Re: {subject}', safe='')}&{body}" if to else ""
            before, after = (gettext(" (or {by_mail})") if page else gettext(" ({by_mail})")).split("{by_mail}")
            beside = [Words(before), Words(gettext("by mail"), mailto if page else ""), Words(after)] if mailto else []
            as_html[written] = [Words(shown, page or mailto), *beside]
    return "\n".join(lines), as_html


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
